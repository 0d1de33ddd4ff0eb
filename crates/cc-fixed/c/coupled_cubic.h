/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Coupled CUBIC (Lee, Kim, Kwon, Han, 2022): LIA on paths with a small bandwidth-delay product and a CUBIC
 * window, scaled by sqrt(alpha1), on paths with a large one. */
#ifndef AB_COUPLED_CUBIC_H
#define AB_COUPLED_CUBIC_H

#define AB_FIRST_SAMPLES
#define AB_PAUSES

#include "cubic_window.h"
#include "hystart.h"
#include "response.h"

/* The state that congestion changes and an undo restores. */
struct ab_coupled {
	struct ab_cubic cubic;
	u64 uncoupled; /* W_cubic of a large path, Q40 segments */
	u64 reno; /* V of a large path, Q40 segments */
	u64 reno_rate; /* V/T of it, Q20 segments per second */
	u32 large;
};

struct ab_state {
	struct ab_hystart slow_start;
	u32 crossing_rtt; /* the round-trip time of `crossing` */
	u64 crossing; /* the window at which the path becomes large, Q40 segments */
	struct ab_coupled now;
	struct ab_coupled before; /* the last congestion */
};

#include "coupled_links.h"
#include "first_slow_start.h"

/* W_cubic and the V that follows from it. */
AB_INLINE void ab_set_uncoupled(struct ab_path *p, u64 window)
{
	p->state.now.uncoupled = window;
	ab_set_reno(p, ab_virtual_reno(window, p->srtt));
}

/* Sets W_cubic to the window for which Eq. 11 gives the path's current one. */
AB_FUNCTION void ab_follow(struct ab_group *g, struct ab_path *p, u64 now)
{
	struct ab_links links = {};
	u64 y, power;

	ab_set_uncoupled(p, p->cwnd);
	ab_link_all(g, now, &links);
	y = ab_fixed_point(&links, p);
	if (y == AB_GUESS_ONE)
		return;
	power = ab_mul(ab_sqrt(y << 4), y, AB_GUESS_BITS); /* y^(3/2), Q32 */
	p->state.now.uncoupled = ab_min(ab_mul(p->cwnd, power, 32), AB_MAX_CUBIC);
	ab_set_reno(p, ab_mul(p->state.now.reno, y, AB_GUESS_BITS));
}

/* Compares the window with the crossing: a path is large above it, until below half of it. Returns whether that
 * changed. */
AB_INLINE int ab_resize(struct ab_path *p)
{
	struct ab_state *s = &p->state;
	u32 large = s->now.large;

	if (!p->srtt || p->min_rtt == AB_NO_RTT) {
		s->now.large = 0;
		return large;
	}
	if (s->crossing_rtt != p->min_rtt) {
		s->crossing_rtt = p->min_rtt;
		s->crossing = ab_crossing(p->min_rtt);
	}
	s->now.large = large ? p->cwnd >= s->crossing / 2 : p->cwnd > s->crossing;
	return s->now.large != large;
}

/* Eq. 11. W_cubic grows as if its own segments were acknowledged, by the same fraction. */
AB_INLINE void ab_grow_large(struct ab_group *g, struct ab_path *p, u64 acked, u64 now)
{
	struct ab_coupled *s = &p->state.now;
	u64 part = ab_div(acked, p->cwnd, AB_WINDOW_BITS), alpha, coupled;
	struct ab_links links = {};

	ab_set_uncoupled(p, ab_min(ab_cubic_grow(&s->cubic, s->uncoupled, part, now, p->srtt), AB_MAX_CUBIC));
	ab_link_all(g, now, &links);
	alpha = ab_alpha1(&links);
	coupled = alpha < AB_ALPHA_ONE ? ab_mul(s->uncoupled, ab_sqrt(alpha), 32) : s->uncoupled;
	p->cwnd = ab_min(coupled, p->cwnd + acked / 2);
	p->ssthresh = ab_max(ab_min(p->ssthresh, p->cwnd), AB_MIN_SSTHRESH);
}

/* The paths as small ones are linked: by L, and with the paper's first factor only, by V. */
AB_INLINE struct ab_linked ab_linked_for_small(const struct ab_links *l)
{
#ifdef AB_SMALL_BY_RENO
	u32 rtt;

	return ab_linked_by_reno(l, &rtt);
#else
	return ab_linked_by_lia(l);
#endif
}

/* Eq. 2. */
AB_INLINE void ab_grow_small(struct ab_group *g, struct ab_path *p, u64 acked, u64 now)
{
	struct ab_links links = {};
	struct ab_linked linked;

	ab_link_all(g, now, &links);
	linked = ab_linked_for_small(&links);
	ab_grow(p, acked, ab_linked_increase(&linked, p->cwnd));
}

AB_INLINE void ab_added(struct ab_path *p)
{
	ab_hystart_begin(&p->state.slow_start);
	ab_cubic_restart(&p->state.now.cubic);
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	struct ab_coupled *s = &p->state.now;
	int slow_start = ab_in_slow_start(p);
	u64 acked = ab_first_slow_start(&p->state.slow_start, p, ack);
	int changed = ab_resize(p);

	if (changed && !slow_start)
		ab_cubic_restart(&s->cubic);
	if (s->large && (changed || slow_start))
		ab_follow(g, p, ack->now);
	if (acked && s->large)
		ab_grow_large(g, p, acked, ack->now);
	else if (acked)
		ab_grow_small(g, p, acked, ack->now);
	else if (s->large)
		ab_set_reno(p, s->reno); /* with the new round-trip time */
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	struct ab_coupled *s = &p->state.now;

	if (s->large && ab_in_slow_start(p))
		ab_follow(g, p, now);
	p->state.before = *s;
	if (s->large) {
		ab_set_uncoupled(p, ab_max(ab_cubic_reduce(&s->cubic, s->uncoupled), AB_MIN_SSTHRESH));
		ab_reduce_to(p, p->cwnd / 10 * 7);
	} else {
		ab_cubic_reduce(&s->cubic, p->cwnd);
		ab_reduce_to(p, p->cwnd / 2);
	}
}

/* The path is small until slow start makes it large again; RFC 9438, section 4.8. */
AB_INLINE void ab_timed_out(struct ab_path *p)
{
	p->state.now.large = 0;
	p->state.now.cubic.from_plateau = 1;
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
	p->state.now = p->state.before;
	ab_set_reno(p, p->state.now.reno);
}

AB_INLINE void ab_app_limited(struct ab_path *p, u64 now)
{
	ab_cubic_pause(&p->state.now.cubic, now);
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 6

/* alpha over paths linked by windows with the given sum */
static double ab_alpha_of(const struct ab_linked *l, double windows)
{
	double share = (double)l->rate / (double)l->total;

	return windows * share * share / ab_to_real(l->window);
}

/* w_cubic, virtual_reno, virtual_lia, alpha1, alpha2, large */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	const struct ab_path *p = &g->path[r];
	const struct ab_coupled *s = &p->state.now;
	double w = ab_to_real(p->cwnd), v = ab_to_real(s->reno), alpha1, scale, lia = 0;
	struct ab_links links;
	struct ab_linked by;

	ab_link_all(g, now, &links);
	alpha1 = ab_alpha1(&links) / 0x1p32;
	scale = __builtin_sqrt(alpha1);
	for (u32 i = 0; i < AB_PATHS; i++) {
		const struct ab_path *q = &g->path[i];

		if (ab_counts(q, now))
			lia += q->state.now.large ? scale * ab_to_real(q->state.now.reno) : ab_to_real(q->cwnd);
	}
	by = ab_linked_by_lia(&links);
	if (s->large)
		out[0] = ab_to_real(s->uncoupled);
	out[1] = s->large ? v : w;
	out[2] = s->large ? v * scale : w;
	out[3] = alpha1;
	out[4] = ab_alpha_of(&by, lia);
	out[5] = s->large;
}
#endif

#endif
