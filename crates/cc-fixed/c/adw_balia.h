/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* ADW-BALIA, BALIA with an adaptive decrease: Kim, Song, Mahmud, Cho (2021). */
#ifndef AB_ADW_BALIA_H
#define AB_ADW_BALIA_H

#define AB_SAMPLES

#include "fluctuation.h"
#include "balanced.h"

AB_INLINE void ab_added(struct ab_path *p)
{
	ab_keep_comparison(p);
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	ab_catch_up(g, p);
	ab_balanced_acked(g, p, ack);
}

/* w -= w/2 (1 - j/4) where j > 0, w/2 min(alpha, 3/2) where j = 0 */
AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	struct ab_balanced b = ab_balanced(g, now);
	u32 level;

	ab_compare_on_loss(g, p, now);
	level = ab_level(&p->state.last);
	ab_take_halves(p, level ? AB_HALF - level * (AB_HALF / 4) : ab_balanced_halves(&b, p));
}

AB_INLINE void ab_timed_out(struct ab_path *p)
{
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
	ab_forget_loss(g, p);
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 5

/* D, A, d, j, alpha */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	const double second = (double)(1ULL << AB_FLUCTUATION_BITS) * 1e6;
	struct ab_balanced b = ab_balanced(g, now);
	const struct ab_path *p = &g->path[r];
	struct ab_path seen = *p;
	const struct ab_comparison *c = &seen.state.last;

	ab_catch_up(g, &seen);
	if (ab_fluctuates(p, now))
		out[0] = (double)ab_fluctuation(p) / 1e6;
	if (c->known)
		out[1] = (double)c->average / second;
	if (c->loss) {
		out[2] = c->away ? (double)c->away / (double)c->average : 0;
		out[3] = ab_level(c);
	}
	if (ab_counts(p, now))
		out[4] = (double)b.largest / (double)p->rate;
}
#endif

#endif
