#include "../c/lia.h"
#include "native.h"

/* alpha */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	struct ab_linked l = ab_linked(g, now);
	double windows = 0, share = (double)l.rate / (double)l.total;

	for (u32 i = 0; i < AB_PATHS; i++)
		if (ab_counts(&g->path[i], now))
			windows += ab_to_real(g->path[i].cwnd);
	if (n > 0)
		out[0] = windows * share * share / ab_to_real(l.window);
}

AB_EXPORT(lia, observe);
