/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* CUBIC: RFC 9438, with the slow start of RFC 9406. */
#ifndef AB_CUBIC_H
#define AB_CUBIC_H

#define AB_FIRST_SAMPLES
#define AB_PAUSES

#include "cubic_window.h"
#include "hystart.h"

struct ab_state {
	struct ab_hystart slow_start;
	struct ab_cubic window;
	struct ab_cubic before; /* the last congestion (RFC 9438, section 4.9) */
};

#include "first_slow_start.h"

AB_INLINE void ab_added(struct ab_path *p)
{
	ab_hystart_begin(&p->state.slow_start);
	ab_cubic_restart(&p->state.window);
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	u64 acked = ab_first_slow_start(&p->state.slow_start, p, ack);

	if (acked)
		p->cwnd = ab_cubic_grow(&p->state.window, p->cwnd, ab_div(acked, p->cwnd, AB_WINDOW_BITS), ack->now,
					p->srtt);
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	p->state.before = p->state.window;
	ab_reduce_to(p, ab_cubic_reduce(&p->state.window, p->cwnd));
}

AB_INLINE void ab_timed_out(struct ab_path *p)
{
	p->state.window.from_plateau = 1; /* section 4.8 */
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
	p->state.window = p->state.before;
}

AB_INLINE void ab_app_limited(struct ab_path *p, u64 now)
{
	ab_cubic_pause(&p->state.window, now);
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 4

/* w_cubic, w_est, w_max, k: in congestion avoidance only */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	const struct ab_cubic *c = &g->path[r].state.window;

	if (!c->begun)
		return;
	out[0] = ab_to_real(ab_cubic_at(c, c->t));
	out[1] = ab_to_real(c->w_est);
	out[2] = ab_to_real(c->w_max);
	out[3] = c->k / 1024e6;
}
#endif

#endif
