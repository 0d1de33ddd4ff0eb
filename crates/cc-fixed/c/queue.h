/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Estimates the queue on the path from the excess of a round-trip time over the smallest one. */
#ifndef AB_QUEUE_H
#define AB_QUEUE_H

#include "group.h"

/* Before the first judged round. */
#define AB_NO_DIFF AB_MAX

/* The measurement of a complete round. */
struct ab_round {
	u64 rtt; /* Q32 us; 0 before the first */
	u64 base; /* the path's smallest sample, as an estimate without a queue, Q32 us */
};

/* The last round by the mean of its samples. */
AB_INLINE struct ab_round ab_round_by_mean(const struct ab_path *p)
{
	return (struct ab_round){ p->round_rtt, (u64)p->min_rtt << AB_TIME_BITS };
}

/* The last round by its smallest sample. */
AB_INLINE struct ab_round ab_round_by_smallest(const struct ab_path *p)
{
	return (struct ab_round){ (u64)p->round_min_rtt << AB_TIME_BITS, (u64)p->min_rtt << AB_TIME_BITS };
}

/* RTT - base, Q32 us, known within 2^-32 us. */
AB_INLINE u64 ab_queueing(const struct ab_round *round)
{
	return ab_less(round->rtt, round->base);
}

/* a `part`/`whole`, for a `part` of at most `whole`; a itself if it is larger. Relative error 2^-29. */
AB_OPAQUE u64 ab_share(u64 a, u64 part, u64 whole)
{
	return ab_mul(a, ab_min(ab_div(part, whole, 62), 1ULL << 62), 62);
}

/* w (RTT - base)/RTT: the segments of the window w in queues. Error: 2^-29 of itself, and 2^-32 us of the
 * RTT: below 3e-4 segments at 10^6 segments and 1 us. */
AB_INLINE u64 ab_queued(const struct ab_round *round, u64 window)
{
	return ab_share(window, ab_queueing(round), round->rtt);
}

/* w/RTT, Q20 segments per second. Error: 2^-20 segments per second, 1e-4 of a segment per 100 s. */
AB_INLINE u64 ab_round_rate(const struct ab_round *round, u64 window)
{
	return ab_div(ab_mul(window, 1000000, AB_WINDOW_BITS - AB_RATE_BITS), round->rtt, AB_TIME_BITS);
}

#endif
