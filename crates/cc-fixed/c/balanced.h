/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The coupling of BALIA (Peng, Walid, Hwang, Low, 2016): based on the ratio of the largest rate to a path's rate. */
#ifndef AB_BALANCED_H
#define AB_BALANCED_H

#include "aimd.h"

/* x = w/T, in Q20 segments per second. */
struct ab_balanced {
	u64 total; /* sum x */
	u64 largest; /* max x; 0 without paths that count */
};

AB_OPAQUE u64 ab_balance_rows(const struct ab_group *g, u64 now, struct ab_balanced *out)
{
	struct ab_balanced b = {};

	if (!g || !out)
		return 0;
	AB_EACH_ROW(i, g) {
		u64 x = ab_counts(&g->path[i], now) ? g->path[i].rate : 0;

		b.total += x;
		b.largest = ab_max(b.largest, x);
	}
	*out = b;
	return b.total;
}

AB_INLINE struct ab_balanced ab_balanced(const struct ab_group *g, u64 now)
{
	struct ab_balanced b = {};

	ab_balance_rows(g, now, &b);
	return b;
}

/*
 * x/(T (sum x)^2) (1 + alpha)/2 (4 + alpha)/5 with alpha = max x / x, Q40 per acknowledged segment. With
 * s = x / sum x and m = max x / sum x that is (s + m)(4 s + m) / (10 w), without alpha, which is unbounded.
 * s <= m <= 1 and m >= 1/9 in Q48; 10 w < 2^64. Error: 2^-28 of it and 2^-40, with rates known within 1e-4
 * of themselves. A path without a round-trip time, and so without a rate, grows like Reno.
 */
AB_INLINE u64 ab_balanced_increase(const struct ab_balanced *b, const struct ab_path *p)
{
	u64 s, m;

	if (!p->rate)
		return ab_reno_increase(p->cwnd);
	s = ab_div(p->rate, b->total, 48);
	m = ab_div(b->largest, b->total, 48);
	return ab_min(ab_div(ab_mul(s + m, 4 * s + m, 48), 10 * p->cwnd, 32), AB_SEGMENT);
}

/* min(alpha, 3/2): the reduction at a loss, in halves of the window, Q32; 1 on a path without a rate. */
#define AB_HALF (1ULL << 32)

AB_INLINE u64 ab_balanced_halves(const struct ab_balanced *b, const struct ab_path *p)
{
	if (!p->rate)
		return AB_HALF;
	return ab_min(ab_div(b->largest, p->rate, 32), 3 * AB_HALF / 2);
}

/* Slow start and the increase. */
AB_INLINE void ab_balanced_acked(const struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	u64 rest = ab_slow_start(p, ack->acked);

	if (rest) {
		struct ab_balanced b = ab_balanced(g, ack->now);

		ab_grow(p, rest, ab_balanced_increase(&b, p));
	}
}

/* Takes `halves` halves (Q32, at most 3/2) of the window. */
AB_INLINE void ab_take_halves(struct ab_path *p, u64 halves)
{
	ab_reduce_to(p, p->cwnd - ab_mul(p->cwnd, halves, 33));
}

#endif
