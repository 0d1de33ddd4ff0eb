#include "../c/coupled_cubic.h"
#include "native.h"

/* alpha over paths that are linked by windows whose sum is given */
static double alpha(const struct ab_linked *l, double windows)
{
	double share = (double)l->rate / (double)l->total;

	return windows * share * share / ab_to_real(l->window);
}

/* w_cubic, virtual_reno, virtual_lia, alpha1, alpha2, large */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	const struct ab_path *p = &g->path[r];
	const struct ab_coupled *s = &p->state.now;
	double w = ab_to_real(p->cwnd), v = ab_to_real(s->reno), scale, lia = 0;
	struct ab_links links;
	struct ab_linked by;
	double alpha1;

	ab_link_all(g, now, &links);
	alpha1 = ab_alpha1(&links) / 0x1p32;
	scale = __builtin_sqrt(alpha1);
	for (u32 i = 0; i < AB_PATHS; i++) {
		const struct ab_path *q = &g->path[i];

		if (ab_counts(q, now))
			lia += q->state.now.large ? scale * ab_to_real(q->state.now.reno) : ab_to_real(q->cwnd);
	}
	by = ab_linked_by_lia(&links);

	double values[] = { s->large ? ab_to_real(s->uncoupled) : __builtin_nan(""), s->large ? v : w,
			    s->large ? v * scale : w, alpha1, alpha(&by, lia), s->large };

	for (u32 i = 0; i < n && i < sizeof(values) / sizeof(*values); i++)
		out[i] = values[i];
}

AB_EXPORT(coupled_cubic, observe);
