#include "../c/vegas.h"
#include "native.h"

/* diff, base_rtt */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	const struct ab_path *p = &g->path[r];

	if (n > 0)
		out[0] = ab_known(p->state.now.diff);
	if (n > 1)
		out[1] = p->min_rtt == AB_NO_RTT ? __builtin_nan("") : p->min_rtt / 1e6;
}

AB_EXPORT(vegas, observe);
