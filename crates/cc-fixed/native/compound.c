#include "../c/compound.h"
#include "native.h"

/* dwnd, diff, threshold */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	const struct ab_compound *c = &g->path[r].state.now;

	if (n > 0)
		out[0] = ab_to_real(c->delay.dwnd);
	if (n > 1)
		out[1] = ab_known(c->diff);
	if (n > 2)
		out[2] = ab_to_real(c->gamma);
}

AB_EXPORT(compound, observe);
