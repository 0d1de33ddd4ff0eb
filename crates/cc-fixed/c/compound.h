/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Compound TCP: Tan, Song, Zhang and Sridharan, 2006; draft-sridharan-tcpm-ctcp-02. */
#ifndef AB_COMPOUND_H
#define AB_COMPOUND_H

#define AB_SAMPLES

#include "compound_window.h"
#include "rounds.h"

struct ab_compound {
	struct ab_rounds rounds;
	struct ab_delay_window delay;
	u64 gamma; /* the number of queued segments at which the delay window starts to shrink, Q40 */
	u64 diff; /* segments queued in the last judged round, Q40; AB_NO_DIFF before the first */
	u64 diff_reno; /* the loss window's fraction of them, until a loss has used it; AB_NO_DIFF afterwards */
};

struct ab_state {
	struct ab_compound now;
	struct ab_compound before; /* the last congestion */
};

#include "aimd.h"
#include "queue.h"

/* gamma: the initial and maximum value, and the minimum, Q40. */
#define AB_COMPOUND_GAMMA (30 * AB_SEGMENT)
#define AB_COMPOUND_GAMMA_LOW (5 * AB_SEGMENT)

AB_INLINE void ab_added(struct ab_path *p)
{
	p->state.now.gamma = AB_COMPOUND_GAMMA;
	p->state.now.diff = AB_NO_DIFF;
	p->state.now.diff_reno = AB_NO_DIFF;
}

AB_INLINE void ab_compound_judge(struct ab_path *p, struct ab_compound *c)
{
	struct ab_round round = ab_round_by_mean(p);
	int clean = c->rounds.doubt == AB_CLEAN;

	c->diff = ab_queued(&round, p->cwnd);
	c->diff_reno = clean ? ab_queued(&round, ab_loss_window(&c->delay, p->cwnd)) : AB_NO_DIFF;
	if (c->diff < c->gamma)
		ab_forge_ahead(&c->delay, p->cwnd);
	else if (clean)
		ab_reduce_to(p, ab_retreat(&c->delay, p->cwnd, c->diff));
	else
		ab_pause(&c->delay);
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	struct ab_compound *c = &p->state.now;
	u64 acked;
	int due;

	ab_delay_window_fit(&c->delay, p->cwnd, ab_in_slow_start(p));
	acked = ab_slow_start(p, ack->acked);
	due = ab_round_due(&c->rounds, p->round, ack->acked);

	if (!acked)
		return;
	if (due && p->round_rtt)
		ab_compound_judge(p, c);
	ab_grow(p, acked, ab_reno_increase(p->cwnd));
	p->cwnd += ab_delay_window_step(&c->delay, acked);
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	struct ab_compound *c = &p->state.now;

	p->state.before = *c;
	/* gamma = 0.2 gamma + 0.8 3/4 diff_reno: for at most 2^20 segments, five times it fits. */
	if (c->diff_reno != AB_NO_DIFF)
		c->gamma = ab_max(ab_min((c->gamma + 3 * c->diff_reno) / 5, AB_COMPOUND_GAMMA), AB_COMPOUND_GAMMA_LOW);
	c->diff_reno = AB_NO_DIFF;
	ab_rounds_congestion(&c->rounds);
	ab_reduce_to(p, ab_delay_window_loss(&c->delay, p->cwnd));
}

AB_INLINE void ab_timed_out(struct ab_path *p)
{
	p->state.now.gamma = AB_COMPOUND_GAMMA;
	ab_delay_window_timeout(&p->state.now.delay);
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
	p->state.now = p->state.before;
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 3

/* dwnd, diff, threshold */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	const struct ab_compound *c = &g->path[r].state.now;

	out[0] = ab_to_real(c->delay.dwnd);
	out[1] = ab_known(c->diff);
	out[2] = ab_to_real(c->gamma);
}
#endif

#endif
