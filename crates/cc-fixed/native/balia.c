#include "../c/balia.h"
#include "native.h"

/* alpha */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	struct ab_balanced b = ab_balanced(g, now);

	if (n > 0 && ab_counts(&g->path[r], now))
		out[0] = (double)b.largest / (double)g->path[r].rate;
}

AB_EXPORT(balia, observe);
