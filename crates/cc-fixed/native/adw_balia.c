#include "../c/adw_balia.h"
#include "native.h"

static double seconds(u64 time)
{
	return (double)time / (double)(1ULL << AB_FLUCTUATION_BITS) / 1e6;
}

/* D, A, d, j, alpha */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	struct ab_balanced b = ab_balanced(g, now);
	const struct ab_path *p = &g->path[r];
	struct ab_path seen = *p;
	const struct ab_comparison *c = &seen.state.last;

	if (n < 5)
		return;
	ab_catch_up(g, &seen);
	if (ab_fluctuates(p, now))
		out[0] = (double)ab_fluctuation(p) / 1e6;
	if (c->known)
		out[1] = seconds(c->average);
	if (c->loss) {
		out[2] = c->away ? (double)c->away / (double)c->average : 0;
		out[3] = ab_level(c);
	}
	if (ab_counts(p, now))
		out[4] = (double)b.largest / (double)p->rate;
}

AB_EXPORT(adw_balia, observe);
