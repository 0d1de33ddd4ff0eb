/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* wCompound, weighted Compound: Zhuang et al., 2021. Compound TCP on each path, with a threshold that shares
 * the backlog of the connection among its paths. */
#ifndef AB_WCOMPOUND_H
#define AB_WCOMPOUND_H

#define AB_SAMPLES

#include "compound_window.h"
#include "rounds.h"

struct ab_wcompound {
	struct ab_rounds rounds;
	struct ab_delay_window delay;
	u64 alpha; /* the number of queued segments at which the delay window starts to shrink, Q40 */
	u64 diff; /* segments queued in the last judged round, Q40; AB_NO_DIFF before the first */
};

struct ab_state {
	struct ab_wcompound now;
	struct ab_wcompound before; /* the last congestion */
};

#include "aimd.h"
#include "queue.h"

/* alpha: the initial value and the minimum, Q40. */
#define AB_WCOMPOUND_INITIAL_ALPHA (6 * AB_SEGMENT)
#define AB_WCOMPOUND_MIN_ALPHA AB_SEGMENT

AB_INLINE void ab_added(struct ab_path *p)
{
	p->state.now.alpha = AB_WCOMPOUND_INITIAL_ALPHA;
	p->state.now.diff = AB_NO_DIFF;
}

/* Whether a row counts in the connection's expectation. */
AB_INLINE int ab_wcompound_counts(const struct ab_path *p, u64 now)
{
	return ab_counts(p, now) && p->round_rtt;
}

/* P a, with P = min(1, alpha RTT/((RTT - base) w_max)) (Eq. 13), the fraction of time with less than alpha queued. */
AB_INLINE u64 ab_wcompound_unqueued(const struct ab_path *p, const struct ab_round *round, u64 a)
{
	u64 queued = ab_queued(round, p->largest_cwnd), alpha = p->state.now.alpha;

	return queued > alpha ? ab_share(a, alpha, queued) : a;
}

/* The connection's expected change in a round, E = gain - loss (Eq. 40), and its rate y. */
struct ab_expected {
	u64 gain; /* Q40 segments; nine times a window and its increase fit */
	u64 loss;
	u64 rate; /* Q20 segments per second */
};

/* Adds a path: E_r = (w^(3/4)/8 + diff) P - diff (Eq. 14). Error: 2^-26 of either term. */
AB_INLINE void ab_wcompound_expect(struct ab_expected *e, const struct ab_path *p)
{
	struct ab_round round = ab_round_by_mean(p);
	u64 diff = ab_queued(&round, p->cwnd);

	e->gain += ab_wcompound_unqueued(p, &round, ab_compound_increase(p->cwnd) + diff);
	e->loss += diff;
	e->rate += ab_round_rate(&round, p->cwnd);
}

/* Once per round, from the current rows of all paths. */
AB_OPAQUE u64 ab_wcompound_total(const struct ab_group *g, u64 now, struct ab_expected *out)
{
	struct ab_expected e = {};

	if (!g || !out)
		return 0;
	AB_EACH_ROW(i, g)
		if (ab_wcompound_counts(&g->path[i], now))
			ab_wcompound_expect(&e, &g->path[i]);
	*out = e;
	return e.rate;
}

/* alpha_s = E y/(E + y/2) = E/(E/y + 1/2), Q40 segments (Eq. 39); 0 without an expected gain. */
AB_INLINE u64 ab_wcompound_alpha_s(const struct ab_expected *e)
{
	u64 change = ab_less(e->gain, e->loss);
	/* Q20/Q40: 20 bits more. */
	u64 per_rate = ab_min(ab_div(change, e->rate, AB_RATE_BITS), AB_MAX / 2);

	return ab_div(change, per_rate + AB_SEGMENT / 2, AB_WINDOW_BITS);
}

AB_INLINE void ab_wcompound_judge(const struct ab_group *g, struct ab_path *p, struct ab_wcompound *c, u64 now)
{
	struct ab_round round = ab_round_by_mean(p);
	struct ab_expected e = {};
	u64 alpha;

	ab_wcompound_total(g, now, &e);
	/* k alpha_s with k = x/y (Eq. 43) */
	alpha = ab_share(ab_wcompound_alpha_s(&e), ab_round_rate(&round, p->cwnd), e.rate);
	c->alpha = ab_max(alpha, AB_WCOMPOUND_MIN_ALPHA);
	c->diff = ab_queued(&round, p->cwnd);
	if (c->diff < c->alpha)
		ab_forge_ahead(&c->delay, p->cwnd);
	else if (c->rounds.doubt == AB_CLEAN)
		ab_reduce_to(p, ab_retreat(&c->delay, p->cwnd, c->diff));
	else
		ab_pause(&c->delay);
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	struct ab_wcompound *c = &p->state.now;
	u64 acked;
	int due;

	ab_delay_window_fit(&c->delay, p->cwnd, ab_in_slow_start(p));
	acked = ab_slow_start(p, ack->acked);
	due = ab_round_due(&c->rounds, p->round, ack->acked);

	if (!acked)
		return;
	if (due && p->round_rtt)
		ab_wcompound_judge(g, p, c, ack->now);
	ab_grow(p, acked, ab_reno_increase(p->cwnd));
	p->cwnd += ab_delay_window_step(&c->delay, acked);
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	struct ab_wcompound *c = &p->state.now;

	p->state.before = *c;
	ab_rounds_congestion(&c->rounds);
	ab_reduce_to(p, ab_delay_window_loss(&c->delay, p->cwnd));
}

AB_INLINE void ab_timed_out(struct ab_path *p)
{
	ab_delay_window_timeout(&p->state.now.delay);
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
	p->state.now = p->state.before;
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 8

/* dwnd, diff, alpha_r, alpha_s, e_r, e, y, p */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	const struct ab_path *p = &g->path[r];
	const struct ab_wcompound *c = &p->state.now;
	struct ab_expected all = {}, own = {};

	ab_wcompound_total(g, now, &all);
	out[0] = ab_to_real(c->delay.dwnd);
	out[1] = ab_known(c->diff);
	out[2] = ab_to_real(c->alpha);
	out[3] = ab_to_real(ab_wcompound_alpha_s(&all));
	out[5] = ab_to_real(all.gain) - ab_to_real(all.loss);
	out[6] = (double)all.rate / (double)(1 << AB_RATE_BITS);
	if (p->round_rtt) {
		struct ab_round round = ab_round_by_mean(p);

		ab_wcompound_expect(&own, p);
		out[4] = ab_to_real(own.gain) - ab_to_real(own.loss);
		out[7] = ab_to_real(ab_wcompound_unqueued(p, &round, AB_SEGMENT));
	}
}
#endif

#endif
