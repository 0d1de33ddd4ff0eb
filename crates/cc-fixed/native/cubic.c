#include "../c/cubic.h"
#include "native.h"

/* w_cubic, w_est, w_max, k: in congestion avoidance only */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	const struct ab_cubic *c = &g->path[r].state.window;
	double values[] = { ab_to_real(ab_cubic_at(c, c->t)), ab_to_real(c->w_est),
			    ab_to_real(c->w_max), c->k / 1024e6 };

	for (u32 i = 0; c->begun && i < n && i < sizeof(values) / sizeof(*values); i++)
		out[i] = values[i];
}

AB_EXPORT(cubic, observe);
