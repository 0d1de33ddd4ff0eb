/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* OLIA, opportunistic linked increases: Khalili, Gast, Popovic, Le Boudec (2012). */
#ifndef AB_OLIA_H
#define AB_OLIA_H

#define AB_STATELESS

#include "aimd.h"

/* The sum, the maxima and the sizes of the sets, gathered in one pass. B: the paths with the largest l/T^2;
 * M: those with the largest window, in whole segments. */
struct ab_olia {
	u64 total; /* sum w/T, Q20 segments per second */
	u64 best_rtt2; /* l and T^2 (us^2) of a path in B */
	u32 best_l;
	u32 largest; /* the largest window, segments */
	u32 sizes; /* of the sets, see ab_olia_size() */
};

/* The bytes of `sizes`. */
enum { AB_OLIA_ALL, AB_OLIA_B, AB_OLIA_M, AB_OLIA_BOTH };

AB_INLINE u32 ab_olia_size(const struct ab_olia *t, u32 set)
{
	return t->sizes >> 8 * set & 0xff;
}

/* Adds a path: whether its l/T^2 is the best so far (1), equal (0) or worse (-1), and the same for its window. Opaque,
 * because the verifier would follow every way to count up to nine. */
AB_OPAQUE u32 ab_olia_count(u32 sizes, s32 better, s32 larger)
{
	u32 in_b = better >= 0, in_m = larger >= 0;

	if (better > 0)
		sizes &= ~(0xffu << 8 * AB_OLIA_B | 0xffu << 8 * AB_OLIA_BOTH);
	if (larger > 0)
		sizes &= ~(0xffu << 8 * AB_OLIA_M | 0xffu << 8 * AB_OLIA_BOTH);
	return sizes + 1 + (in_b << 8 * AB_OLIA_B) + (in_m << 8 * AB_OLIA_M) + ((in_b & in_m) << 8 * AB_OLIA_BOTH);
}

/* l: segments since the last loss or between the last two. */
AB_INLINE u32 ab_olia_l(const struct ab_path *p)
{
	return ab_max(p->span.delivered, p->span.delivered_between);
}

AB_INLINE u32 ab_olia_whole(const struct ab_path *p)
{
	return p->cwnd >> AB_WINDOW_BITS;
}

/* Compares l/T^2 with the best so far: 1 if larger, 0 if equal, -1 if smaller. Exact, by products of at most 86 bits.
 * Opaque, like the terms of a, because the verifier would follow each outcome. */
AB_OPAQUE s32 ab_olia_compare(u32 l, u64 rtt2, u32 best_l, u64 best_rtt2)
{
	struct ab_product p = ab_product(l, best_rtt2), q = ab_product(best_l, rtt2);

	if (p.high != q.high)
		return p.high > q.high ? 1 : -1;
	return p.low == q.low ? 0 : p.low > q.low ? 1 : -1;
}

AB_INLINE int ab_olia_in_b(const struct ab_olia *t, const struct ab_path *p)
{
	return ab_olia_compare(ab_olia_l(p), (u64)p->srtt * p->srtt, t->best_l, t->best_rtt2) == 0;
}

AB_INLINE int ab_olia_in_m(const struct ab_olia *t, const struct ab_path *p)
{
	return ab_olia_whole(p) == t->largest;
}

AB_OPAQUE u64 ab_olia_gather(const struct ab_group *g, u64 now, struct ab_olia *out)
{
	struct ab_olia t = { .best_rtt2 = 1 };

	if (!g || !out)
		return 0;
	AB_EACH_ROW(i, g) {
		const struct ab_path *p = &g->path[i];
		u32 w, l;
		u64 rtt2;
		s32 better, larger;

		if (!ab_counts(p, now))
			continue;
		w = ab_olia_whole(p);
		l = ab_olia_l(p);
		rtt2 = (u64)p->srtt * p->srtt;
		t.total += p->rate;
		better = ab_olia_compare(l, rtt2, t.best_l, t.best_rtt2);
		if (better > 0) {
			t.best_l = l;
			t.best_rtt2 = rtt2;
		}
		larger = w == t.largest ? 0 : w > t.largest ? 1 : -1;
		t.largest = ab_max(t.largest, w);
		t.sizes = ab_olia_count(t.sizes, better, larger);
	}
	*out = t;
	return t.total;
}

AB_INLINE struct ab_olia ab_olia(const struct ab_group *g, u64 now)
{
	struct ab_olia t = {};

	ab_olia_gather(g, now, &t);
	return t;
}

/* a by n, |M|, |B\M| and whether the path is in B and in M. */
AB_OPAQUE s64 ab_olia_transfer(u32 n, u32 m, u32 collected, u32 in_b, u32 in_m)
{
	if (!collected)
		return 0;
	if (in_m)
		return -(s64)ab_div(1, n * m, 48);
	return in_b ? ab_div(1, n * collected, 48) : 0;
}

/* a of a path that counts, Q48: if B\M is not empty, 1/(n |B\M|) there and -1/(n |M|) in M; 0 in all other cases. */
AB_INLINE s64 ab_olia_a(const struct ab_olia *t, const struct ab_path *p)
{
	u32 collected = ab_olia_size(t, AB_OLIA_B) - ab_olia_size(t, AB_OLIA_BOTH);

	return ab_olia_transfer(ab_olia_size(t, AB_OLIA_ALL), ab_olia_size(t, AB_OLIA_M), collected, ab_olia_in_b(t, p),
				ab_olia_in_m(t, p));
}

/*
 * (w/T^2)/(sum w/T)^2 + a/w per acknowledged segment, which is (s^2 + a)/w with s = (w/T) / sum w/T; at most one segment.
 * Error: s^2 and a within 2^-46 and the quotient within 2^-30 of itself and 2^-40, with rates known within 1e-4 of
 * themselves. If it is negative, the threshold follows the window down, or slow start would undo the decrease.
 */
AB_INLINE void ab_olia_avoid(const struct ab_group *g, struct ab_path *p, u64 acked, u64 now)
{
	struct ab_olia t = ab_olia(g, now);
	u64 share = ab_div(p->rate, t.total, 48);
	s64 up = (s64)ab_mul(share, share, 48) + ab_olia_a(&t, p);

	if (up >= 0) {
		ab_grow(p, acked, ab_min(ab_div(up, p->cwnd, 32), AB_SEGMENT));
	} else {
		p->cwnd = ab_less(p->cwnd, ab_mul(acked, ab_div(-up, p->cwnd, 32), AB_WINDOW_BITS));
		p->ssthresh = ab_max(ab_min(p->ssthresh, p->cwnd), AB_MIN_SSTHRESH);
	}
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	u64 acked = ab_slow_start(p, ack->acked);

	if (!acked)
		return;
	if (ab_counts(p, ack->now))
		ab_olia_avoid(g, p, acked, ack->now);
	else
		ab_grow(p, acked, ab_reno_increase(p->cwnd));
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	ab_reduce_to(p, p->cwnd / 2);
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 4

/* a, l, whether in B, whether in M */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	struct ab_olia t = ab_olia(g, now);
	const struct ab_path *p = &g->path[r];

	if (!ab_counts(p, now))
		return;
	out[0] = (double)ab_olia_a(&t, p) / (double)(1ULL << 48);
	out[1] = ab_olia_l(p);
	out[2] = ab_olia_in_b(&t, p);
	out[3] = ab_olia_in_m(&t, p);
}
#endif

#endif
