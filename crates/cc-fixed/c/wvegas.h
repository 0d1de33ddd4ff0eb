/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* wVegas, weighted Vegas: Cao, Xu and Fu, 2012. */
#ifndef AB_WVEGAS_H
#define AB_WVEGAS_H

#define AB_SAMPLES
#define AB_ONCE_PER_ROUND

#include "rounds.h"

struct ab_wvegas {
	struct ab_rounds rounds;
	u64 rate; /* x when the backlog last reached alpha, Q20 segments per second; 0 before, and in slow start */
	u64 weight; /* the path's fraction of the connection's rate, Q40 */
	u64 alpha; /* the target of queued segments on the path, Q40 */
	u64 diff; /* segments queued in the last judged round, Q40; AB_NO_DIFF before the first */
	u64 queueing; /* RTT - base of it, Q32 us */
	u64 smallest; /* of those with diff >= alpha, since the last backoff; AB_MAX if there was no such round */
};

struct ab_state {
	u32 hold; /* whether slow start holds the window in this round */
	struct ab_wvegas now;
	struct ab_wvegas before; /* the last congestion */
};

#include "queue.h"
#include "vegas_start.h"

/* The target of queued segments on all paths together; and a path's initial value and minimum, Q40. */
#define AB_WVEGAS_TOTAL_ALPHA 10
#define AB_WVEGAS_INITIAL_ALPHA (2 * AB_SEGMENT)

AB_INLINE void ab_added(struct ab_path *p)
{
	p->state.now.weight = AB_SEGMENT;
	p->state.now.alpha = AB_WVEGAS_INITIAL_ALPHA;
	p->state.now.diff = AB_NO_DIFF;
	p->state.now.smallest = AB_MAX;
}

/* The sum of the rates of paths that have reached their alpha. */
AB_OPAQUE u64 ab_wvegas_total(const struct ab_group *g, u64 now)
{
	u64 total = 0;

	if (!g)
		return 0;
	AB_EACH_ROW(i, g)
		if (ab_counts(&g->path[i], now))
			total += g->path[i].state.now.rate;
	return total;
}

/* The share of a path with rate x, which has reached its alpha. Error of the weight: the error of the rates, 1e-4 of a path with a
 * segment per 100 s. */
AB_INLINE void ab_wvegas_share(const struct ab_group *g, struct ab_wvegas *v, u64 rate, u64 now)
{
	v->rate = rate;
	v->weight = ab_min(ab_div(rate, ab_wvegas_total(g, now), AB_WINDOW_BITS), AB_SEGMENT);
	v->alpha = ab_max(AB_WVEGAS_TOTAL_ALPHA * v->weight, AB_WVEGAS_INITIAL_ALPHA);
}

/* Congestion avoidance, at the end of a round. */
AB_INLINE void ab_wvegas_avoid(const struct ab_group *g, struct ab_path *p, const struct ab_round *round, int clean,
			       u64 now)
{
	struct ab_wvegas *v = &p->state.now;

	if (v->diff >= v->alpha)
		ab_wvegas_share(g, v, ab_round_rate(round, p->cwnd), now);
	if (v->diff < v->alpha)
		p->cwnd += AB_SEGMENT;
	else if (v->diff > v->alpha && clean)
		ab_reduce_to(p, ab_less(p->cwnd, AB_SEGMENT));
	if (v->diff < v->alpha || !clean)
		return;
	v->smallest = ab_min(v->smallest, v->queueing);
	if (v->queueing / 2 >= v->smallest) {
		ab_reduce_to(p, ab_less(p->cwnd, ab_queued(round, p->cwnd)) / 2);
		v->smallest = AB_MAX;
	}
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	struct ab_wvegas *v = &p->state.now;
	struct ab_round round = ab_round_by_mean(p);
	int judged = ab_round_due(&v->rounds, p->round, ack->acked) && round.rtt;
	int clean = v->rounds.doubt == AB_CLEAN;

	if (ab_in_slow_start(p))
		v->rate = 0;
	if (judged) {
		v->diff = ab_queued(&round, p->cwnd);
		v->queueing = ab_queueing(&round);
	}
	if (!ab_vegas_start(p, &p->state.hold, ack->acked, judged, v->diff, clean) && judged)
		ab_wvegas_avoid(g, p, &round, clean, ack->now);
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	struct ab_wvegas *v = &p->state.now;

	p->state.before = *v;
	ab_rounds_congestion(&v->rounds);
	v->smallest = AB_MAX;
	ab_reduce_to(p, p->cwnd / 2);
}

AB_INLINE void ab_timed_out(struct ab_path *p)
{
	p->state.now.rate = 0;
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
	p->state.now = p->state.before;
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 4

/* weight, alpha_r, diff, queue_delay */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	const struct ab_wvegas *v = &g->path[r].state.now;

	out[0] = ab_to_real(v->weight);
	out[1] = ab_to_real(v->alpha);
	out[2] = ab_known(v->diff);
	if (v->diff != AB_NO_DIFF)
		out[3] = ab_seconds(v->queueing);
}
#endif

#endif
