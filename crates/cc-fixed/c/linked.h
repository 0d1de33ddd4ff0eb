/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The coupling of RFC 6356, which limits the growth of a connection's paths together. */
#ifndef AB_LINKED_H
#define AB_LINKED_H

#include "aimd.h"

/* The path with the largest w/T^2, and all of them together. */
struct ab_linked {
	u64 window; /* w of the best path, Q40 segments; 0 without paths that count */
	u64 rate; /* x = w/T of it, Q20 segments per second */
	u64 total; /* sum x, Q20 segments per second */
};

/* Takes a path with window w > 0, rate x and smoothed round-trip time rtt (us) into account. */
AB_INLINE void ab_link(struct ab_linked *l, u32 *best_rtt, u64 w, u64 x, u32 rtt)
{
	l->total += x;
	/* x/T > best x/T: compared as products, because the quotient needs more than 64 bits. */
	if (!l->window || ab_product_greater(x, *best_rtt, l->rate, rtt)) {
		l->window = w;
		l->rate = x;
		*best_rtt = rtt;
	}
}

AB_OPAQUE u64 ab_link_rows(const struct ab_group *g, u64 now, struct ab_linked *out)
{
	struct ab_linked l = {};
	u32 best_rtt = 0;

	if (!g || !out)
		return 0;
	AB_EACH_ROW(i, g) {
		const struct ab_path *p = &g->path[i];

		if (ab_counts(p, now))
			ab_link(&l, &best_rtt, p->cwnd, p->rate, p->srtt);
	}
	*out = l;
	return l.total;
}

AB_INLINE struct ab_linked ab_linked(const struct ab_group *g, u64 now)
{
	struct ab_linked l = {};

	ab_link_rows(g, now, &l);
	return l;
}

/*
 * min(alpha / sum w, 1/w) (RFC 6356, section 3), Q40 per acknowledged segment. With s = x_best / sum x,
 * alpha / sum w = (w_best/T_best^2) / (sum x)^2 = s^2 / w_best, without a unit of time.
 * Error: 2^-40 absolute, and s is known within 2^-48 + 1e-4 of itself (the rates' scale).
 */
AB_INLINE u64 ab_linked_increase(const struct ab_linked *l, u64 cwnd)
{
	u64 share = ab_div(l->rate, l->total, 48); /* Q48, at most 1 */
	u64 per_segment = l->window ? ab_div(ab_mul(share, share, 48), l->window, 32) : AB_MAX;

	return ab_min(per_segment, ab_reno_increase(cwnd));
}

#endif
