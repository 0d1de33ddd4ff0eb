/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* EWTCP, equally weighted TCP (Honda et al., 2009), in the form of Wischik et al. (2011): Reno on each of n
 * paths at 1/n^2 of its increase. */
#ifndef AB_EWTCP_H
#define AB_EWTCP_H

#define AB_STATELESS

#include "aimd.h"

/* 1/n^2, n = 1 .. 9, Q40, rounded to nearest. */
static const u64 ab_ewtcp_weights[AB_PATHS] = {
	1099511627776, 274877906944, 122167958642, 68719476736, 43980465111,
	30541989660, 22439012812, 17179869184, 13574217627,
};

/* The number of paths that count. */
AB_OPAQUE u32 ab_ewtcp_count(const struct ab_group *g, u64 now)
{
	u32 n = 0;

	if (!g)
		return 0;
	AB_EACH_ROW(i, g)
		n += ab_counts(&g->path[i], now);
	return n;
}

/* The weight of each path that counts, Q40. */
AB_INLINE u64 ab_ewtcp_weight(const struct ab_group *g, u64 now)
{
	u32 n = ab_less(ab_ewtcp_count(g, now), 1);

	return ab_ewtcp_weights[n < AB_PATHS ? n : AB_PATHS - 1];
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	u64 acked = ab_slow_start(p, ack->acked);
	u64 weight = ab_counts(p, ack->now) ? ab_ewtcp_weight(g, ack->now) : AB_SEGMENT;

	/* weight/w: error 2^-40 per acknowledged segment, and 2^-30 of itself. */
	ab_grow(p, acked, ab_div(weight, p->cwnd, AB_WINDOW_BITS));
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	ab_reduce_to(p, p->cwnd / 2);
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 1

/* share */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	out[0] = ab_to_real(ab_ewtcp_weight(g, now));
}
#endif

#endif
