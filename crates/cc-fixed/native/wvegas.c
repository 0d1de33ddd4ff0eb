#include "../c/wvegas.h"
#include "native.h"

/* weight, alpha_r, diff, queue_delay */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	const struct ab_wvegas *v = &g->path[r].state.now;

	if (n > 0)
		out[0] = ab_to_real(v->weight);
	if (n > 1)
		out[1] = ab_to_real(v->alpha);
	if (n > 2)
		out[2] = ab_known(v->diff);
	if (n > 3)
		out[3] = v->diff == AB_NO_DIFF ? __builtin_nan("") : ab_seconds(v->queueing);
}

AB_EXPORT(wvegas, observe);
