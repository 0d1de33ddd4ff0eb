/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* TCP Vegas: Brakmo and Peterson, 1995. */
#ifndef AB_VEGAS_H
#define AB_VEGAS_H

#define AB_SAMPLES
#define AB_ONCE_PER_ROUND

#include "rounds.h"

struct ab_vegas {
	struct ab_rounds rounds;
	u64 diff; /* segments queued in the last judged round, Q40; AB_NO_DIFF before the first */
};

struct ab_state {
	u32 hold; /* whether slow start holds the window in this round */
	struct ab_vegas now;
	struct ab_vegas before; /* the last congestion */
};

#include "queue.h"
#include "vegas_start.h"

/* The window grows below alpha queued segments and shrinks above beta, Q40. */
#define AB_VEGAS_ALPHA (2 * AB_SEGMENT)
#define AB_VEGAS_BETA (4 * AB_SEGMENT)

AB_INLINE void ab_added(struct ab_path *p)
{
	p->state.now.diff = AB_NO_DIFF;
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	struct ab_vegas *v = &p->state.now;
	/* The smallest sample replaces the authors' timed segment, because the sender's own bursts are not a queue. */
	struct ab_round round = ab_round_by_smallest(p);
	int judged = ab_round_due(&v->rounds, p->round, ack->acked) && round.rtt;
	int clean = v->rounds.doubt == AB_CLEAN;

	if (judged)
		v->diff = ab_queued(&round, p->cwnd);
	if (ab_vegas_start(p, &p->state.hold, ack->acked, judged, v->diff, clean) || !judged)
		return;
	if (v->diff < AB_VEGAS_ALPHA)
		p->cwnd += AB_SEGMENT;
	else if (v->diff > AB_VEGAS_BETA && clean)
		ab_reduce_to(p, ab_less(p->cwnd, AB_SEGMENT));
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	p->state.before = p->state.now;
	ab_rounds_congestion(&p->state.now.rounds);
	ab_reduce_to(p, p->cwnd / 2);
}

AB_INLINE void ab_timed_out(struct ab_path *p)
{
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
	p->state.now = p->state.before;
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 2

/* diff, base_rtt */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	const struct ab_path *p = &g->path[r];

	out[0] = ab_known(p->state.now.diff);
	if (p->min_rtt != AB_NO_RTT)
		out[1] = p->min_rtt / 1e6;
}
#endif

#endif
