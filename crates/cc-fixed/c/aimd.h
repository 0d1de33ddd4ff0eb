/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Slow start, additive increase and multiplicative decrease, shared by Reno and the algorithms that link its windows.
 * */
#ifndef AB_AIMD_H
#define AB_AIMD_H

#include "group.h"

/* Slow start up to the threshold (RFC 5681, section 3.1; RFC 3465). Returns the segments left over for
 * congestion avoidance, Q40. */
AB_INLINE u64 ab_slow_start(struct ab_path *p, u32 acked)
{
	u64 all = ab_min(acked, AB_MAX_CWND >> AB_WINDOW_BITS) << AB_WINDOW_BITS, step;

	if (!ab_in_slow_start(p))
		return all;
	step = ab_min(all, p->ssthresh - p->cwnd);
	p->cwnd += step;
	if (step < all)
		ab_settle(p); /* the increase for the rest reads the rate */
	return all - step;
}

/* Adds `increase` (Q40 per segment) for each of `acked` segments (Q40). */
AB_INLINE void ab_grow(struct ab_path *p, u64 acked, u64 increase)
{
	p->cwnd += ab_mul(acked, increase, AB_WINDOW_BITS);
}

/* 1/w, Q40 per acknowledged segment. */
AB_INLINE u64 ab_reno_increase(u64 cwnd)
{
	return ab_div(AB_SEGMENT, cwnd, AB_WINDOW_BITS);
}

/* Threshold and window after a congestion signal: at least two segments (RFC 5681, Eq. 4). */
AB_INLINE void ab_reduce_to(struct ab_path *p, u64 cwnd)
{
	p->ssthresh = ab_max(cwnd, AB_MIN_SSTHRESH);
	p->cwnd = p->ssthresh;
}

#endif
