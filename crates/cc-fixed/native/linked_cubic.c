#include "../c/linked_cubic.h"
#include "native.h"

/* share, single, eta, mean: of a path that counts */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	const struct ab_path *p = &g->path[r];
	double mean = ab_to_real(ab_mean_window(p)), share;
	u32 paths;
	s64 eta = ab_six_eta(g, now, &paths);

	share = __builtin_exp2(-(double)ab_sixty_share(g, p, now) / 60 / 0x1p26);

	double values[] = { share, mean / share, __builtin_exp2((double)eta / 6 / 0x1p26), mean };

	for (u32 i = 0; ab_counts(p, now) && i < n && i < sizeof(values) / sizeof(*values); i++)
		out[i] = values[i];
}

AB_EXPORT(linked_cubic, observe);
