#include "../c/wcompound.h"
#include "native.h"

/* dwnd, diff, alpha_r, alpha_s, e_r, e, y, p */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	const struct ab_path *p = &g->path[r];
	const struct ab_wcompound *c = &p->state.now;
	struct ab_expected all = {}, own = {};
	double p_r = __builtin_nan(""), e_r = p_r;

	ab_wcompound_total(g, now, &all);
	if (p->round_rtt) {
		struct ab_round round = ab_round_by_mean(p);

		ab_wcompound_expect(&own, p);
		e_r = ab_to_real(own.gain) - ab_to_real(own.loss);
		p_r = ab_to_real(ab_wcompound_unqueued(p, &round, AB_SEGMENT));
	}
	const double values[] = {
		ab_to_real(c->delay.dwnd),
		ab_known(c->diff),
		ab_to_real(c->alpha),
		ab_to_real(ab_wcompound_alpha_s(&all)),
		e_r,
		ab_to_real(all.gain) - ab_to_real(all.loss),
		(double)all.rate / (double)(1 << AB_RATE_BITS),
		p_r,
	};

	__builtin_memcpy(out, values, ab_min(n * sizeof(*out), sizeof(values)));
}

AB_EXPORT(wcompound, observe);
