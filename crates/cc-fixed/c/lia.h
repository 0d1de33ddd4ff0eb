/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* LIA, linked increases: RFC 6356. */
#ifndef AB_LIA_H
#define AB_LIA_H

#define AB_STATELESS

#include "linked.h"

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	u64 acked = ab_slow_start(p, ack->acked);

	if (acked) {
		struct ab_linked linked = ab_linked(g, ack->now);

		ab_grow(p, acked, ab_linked_increase(&linked, p->cwnd));
	}
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	ab_reduce_to(p, p->cwnd / 2);
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 1

/* alpha */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	struct ab_linked l = ab_linked(g, now);
	double windows = 0, share = (double)l.rate / (double)l.total;

	for (u32 i = 0; i < AB_PATHS; i++)
		if (ab_counts(&g->path[i], now))
			windows += ab_to_real(g->path[i].cwnd);
	out[0] = windows * share * share / ab_to_real(l.window);
}
#endif

#endif
