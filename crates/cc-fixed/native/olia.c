#include "../c/olia.h"
#include "native.h"

/* a, l, whether in B, whether in M */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	struct ab_olia t = ab_olia(g, now);
	const struct ab_path *p = &g->path[r];

	if (n < 4 || !ab_counts(p, now))
		return;
	out[0] = (double)ab_olia_a(&t, p) / (double)(1ULL << 48);
	out[1] = ab_olia_l(p);
	out[2] = ab_olia_in_b(&t, p);
	out[3] = ab_olia_in_m(&t, p);
}

AB_EXPORT(olia, observe);
