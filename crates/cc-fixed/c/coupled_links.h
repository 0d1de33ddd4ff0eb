/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The coupling of paths in Coupled CUBIC: by V, Reno's window under the same loss, and by L, LIA's. Include it after
 * the definition of `struct ab_state`. */
#ifndef AB_COUPLED_LINKS_H
#define AB_COUPLED_LINKS_H

#include "linked.h"
#include "roots.h"

/* alpha1 = 1, Q32. */
#define AB_ALPHA_ONE (1ULL << 32)

/* The paths linked by V: large ones, with a V that differs from the window, and small ones. */
struct ab_links {
	struct ab_linked large;
	struct ab_linked small;
	u64 windows; /* sum V, Q32 segments */
	u32 large_rtt; /* of the best path, us */
	u32 small_rtt;
};

/* V of a large path and the corresponding rate, which all paths read. */
AB_INLINE void ab_set_reno(struct ab_path *p, u64 reno)
{
	p->state.now.reno = reno;
	/* Below 1.3 AB_MAX_CUBIC, 2^62.4: Q20, it has 42.4 bits, and 10^6 adds 20. */
	p->state.now.reno_rate =
		p->srtt ? (reno >> (AB_WINDOW_BITS - AB_RATE_BITS)) * 1000000 / p->srtt : 0;
}

AB_OPAQUE u64 ab_link_all(const struct ab_group *g, u64 now, struct ab_links *out)
{
	struct ab_links l = {};

	if (!g || !out)
		return 0;
	AB_EACH_ROW(i, g) {
		const struct ab_path *p = &g->path[i];
		const struct ab_coupled *s = &p->state.now;

		if (!ab_counts(p, now))
			continue;
		if (!s->large) {
			ab_link(&l.small, &l.small_rtt, p->cwnd, p->rate, p->srtt);
			l.windows += p->cwnd >> 8;
		} else if (s->reno && s->reno_rate) {
			ab_link(&l.large, &l.large_rtt, s->reno, s->reno_rate, p->srtt);
			l.windows += s->reno >> 8;
		}
	}
	*out = l;
	return l.windows;
}

/* The small paths and the large ones, optionally scaled. */
AB_INLINE struct ab_linked ab_together(const struct ab_links *l, struct ab_linked large, u32 *rtt)
{
	struct ab_linked both = l->small;

	*rtt = l->small_rtt;
	if (large.window)
		ab_link(&both, rtt, large.window, large.rate, l->large_rtt);
	both.total = l->small.total + large.total < large.total ? AB_MAX : l->small.total + large.total;
	return both;
}

/* Linked by V. */
AB_INLINE struct ab_linked ab_linked_by_reno(const struct ab_links *l, u32 *rtt)
{
	return ab_together(l, l->large, rtt);
}

/*
 * alpha1 = sum V max(V/T^2) / (sum V/T)^2 (Eq. 1), Q32: at least 1/9, at most 10^8/4 (RTTs of 1 us and
 * 100 s). With s = x_best / sum x, it is s^2 sum V / V_best. s is at least 2^-15, since windows differ by
 * 2^22 at most. Relative error 2^-26 and twice the rates'; exact for one path alone.
 */
AB_OPAQUE u64 ab_alpha1(const struct ab_links *l)
{
	struct ab_linked by;
	u64 share, windows;
	u32 rtt;

	if (!l)
		return AB_ALPHA_ONE;
	by = ab_linked_by_reno(l, &rtt);
	if (by.rate == by.total)
		return AB_ALPHA_ONE;
	share = ab_div(by.rate, by.total, 48);
	windows = ab_div(l->windows, by.window, AB_WINDOW_BITS);
	return ab_mul(windows, ab_mul(share, share, 34), 62);
}

/* The paths linked by L: V sqrt(alpha1) on large paths, the window on small ones. */
AB_INLINE struct ab_linked ab_linked_by_lia(const struct ab_links *l)
{
	struct ab_linked large = l->large;
	u64 scale;
	u32 rtt;

	if (!large.window)
		return l->small;
	scale = ab_sqrt(ab_alpha1(l));
	large.window = ab_mul(large.window, scale, 32);
	large.rate = ab_mul(large.rate, scale, 32);
	large.total = ab_mul(large.total, scale, 32);
	return ab_together(l, large, &rtt);
}

#define AB_GUESS_BITS 28
#define AB_GUESS_ONE (1ULL << AB_GUESS_BITS)
/* 9^(1/3): with nine paths alpha1 is 1/9 or more, and the inverse of its cube root at most this value. */
#define AB_GUESS_MAX 558368249ULL

/* a b, Q28 each, and below 64 bits. */
AB_INLINE u64 ab_scaled(u64 a, u64 b)
{
	return a * b >> AB_GUESS_BITS;
}

/*
 * The y in [1, 9^(1/3)] at which y^3 alpha (1 + v z) max(1, best y) / (1 + x z)^2 = 1, z = y - 1; all Q28, alpha from 1/9 to
 * 1, the rest from 0 to 1. The left side grows with y by a power from 1 to 5, so y is unique and at most 1/alpha. Above it,
 * numerator minus denominator is convex, so Newton's steps decrease towards it and never pass it. Six steps leave an error of
 * 1e-8 in all cases.
 */
AB_OPAQUE u64 ab_solve(u64 alpha, u64 v, u64 x, u64 best)
{
	u64 y = ab_min(ab_div(AB_GUESS_ONE, alpha, AB_GUESS_BITS), AB_GUESS_MAX);

	for (u32 i = 0; i < 6; i++) {
		u64 z = ab_less(y, AB_GUESS_ONE);
		u64 square = ab_scaled(ab_scaled(alpha, y), y), cube = ab_scaled(square, y);
		u64 linear = AB_GUESS_ONE + ab_scaled(v, z), rates = AB_GUESS_ONE + ab_scaled(x, z);
		u64 own = ab_scaled(best, y) > AB_GUESS_ONE ? best : 0;
		u64 most = own ? ab_scaled(best, y) : AB_GUESS_ONE;
		u64 over = ab_less(ab_scaled(ab_scaled(cube, linear), most), ab_scaled(rates, rates));
		u64 slope = ab_scaled(ab_scaled(3 * square, linear) + ab_scaled(cube, v), most) +
			    ab_scaled(ab_scaled(cube, linear), own);

		y = ab_less(y, ab_div(over, ab_less(slope, 2 * ab_scaled(x, rates)), AB_GUESS_BITS));
	}
	return ab_max(y, AB_GUESS_ONE);
}

/* a b / (c d), Q28, at most 1; c d > 0. */
AB_INLINE u64 ab_at_most_one(u64 a, u32 b, u64 c, u32 d)
{
	struct ab_product above = ab_product(a, b), below = ab_product(c, d);
	u32 down = ab_bits(below.high); /* below 33 */

	if (above.high > below.high || (above.high == below.high && above.low >= below.low))
		return AB_GUESS_ONE;
	if (down) {
		above.low = above.high << (64 - down) | above.low >> down;
		below.low = below.high << (64 - down) | below.low >> down;
	}
	return ab_div(above.low, below.low, AB_GUESS_BITS);
}

/* For a window w and V computed for W_cubic = w, as in `l`: the factor y of V, and y^(3/2) of W_cubic, for which
 * sqrt(min(alpha1, 1)) W_cubic = w. The sums of the other paths stay, alpha1 changes with V, and the condition is y^3
 * alpha1(y) = 1. */
AB_INLINE u64 ab_fixed_point(const struct ab_links *l, const struct ab_path *p)
{
	u64 alpha = ab_alpha1(l), v = p->state.now.reno, x = p->state.now.reno_rate;
	struct ab_linked by;
	u32 rtt;

	if (alpha >= AB_ALPHA_ONE)
		return AB_GUESS_ONE;
	by = ab_linked_by_reno(l, &rtt);
	return ab_solve(alpha >> 4, ab_min(ab_div(v >> 8, l->windows, AB_GUESS_BITS), AB_GUESS_ONE),
			ab_min(ab_div(x, by.total, AB_GUESS_BITS), AB_GUESS_ONE), ab_at_most_one(x, rtt, by.rate, p->srtt));
}

#endif
