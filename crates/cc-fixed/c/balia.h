/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* BALIA, balanced linked adaptation: Peng, Walid, Hwang, Low (2016). */
#ifndef AB_BALIA_H
#define AB_BALIA_H

#define AB_STATELESS

#include "balanced.h"

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	ab_balanced_acked(g, p, ack);
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	struct ab_balanced b = ab_balanced(g, now);

	ab_take_halves(p, ab_balanced_halves(&b, p));
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 1

/* alpha */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	struct ab_balanced b = ab_balanced(g, now);

	if (ab_counts(&g->path[r], now))
		out[0] = (double)b.largest / (double)g->path[r].rate;
}
#endif

#endif
