/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * Which acknowledgements a row learns of at once, and which it learns of together with later ones. To fetch a row that
 * has left the processor's caches costs more than all of an algorithm's arithmetic.
 *
 * In congestion avoidance the row learns of half a window as of one acknowledgement: rules are nearly linear in the
 * segments acknowledged, and the windows and times that a rule reads change little meanwhile
 * (tests/all/together.rs bounds the difference). An algorithm that says AB_ONCE_PER_ROUND learns of a whole round.
 * Acknowledgements that may not grow the window wait, too. Nothing waits in slow start, nor after the last segment in
 * flight, nor across the end of a round under an algorithm that says AB_SAMPLES; under another one nothing waits once
 * AB_SHOW_AGAIN has passed.
 */
#ifndef AB_TOGETHER_H
#define AB_TOGETHER_H

#include "drive.h"

/* How often a window of acknowledged segments is told. */
#define AB_STEPS 2

/* us: how old the numbers may become that a row shows to a monitor, unless the algorithm says AB_SAMPLES: then until half
 * a window is acknowledged, or the round ends. */
#define AB_SHOW_AGAIN 10000

/* The acknowledgements that a row has not learnt of. All zeros: none. */
struct ab_waiting {
	u64 paused; /* us: until when the application limited the sender; 0 where the row has learnt of that */
	u32 acked; /* segments that may grow the window */
	u32 shown; /* us, the low 32 bits: when the row last showed its numbers */
};

/* A sender as an acknowledgement leaves it. */
struct ab_sender {
	u64 now; /* us */
	u32 has_row; /* whether it has a row, whose window is the one in use */
	u32 cwnd; /* segments, as is the next */
	u32 ssthresh; /* AB_WHOLE_NO_SSTHRESH until the first congestion */
	u32 in_flight; /* 0 where all is acknowledged */
	u32 limited; /* whether the window limited the sender (RFC 7661) */
	u32 ends_round; /* whether a round has ended since the row last learnt of an acknowledgement */
};

AB_INLINE u32 ab_may_wait(const struct ab_waiting *w, const struct ab_sender *s)
{
	if (!s->has_row || !s->in_flight)
		return 0;
#ifdef AB_SAMPLES
	if (s->ends_round)
		return 0;
#else
	if ((u32)s->now - w->shown >= AB_SHOW_AGAIN)
		return 0;
#endif
	if (!s->limited)
		return !w->acked;
	if (s->cwnd < s->ssthresh)
		return 0;
#ifdef AB_ONCE_PER_ROUND
	return 1;
#else
	return w->acked < s->cwnd / AB_STEPS;
#endif
}

/* An acknowledgement of `acked` segments has arrived: whether the row may learn of it later. If not, `ack` has the
 * segments of all that waited. */
AB_INLINE u32 ab_waits(struct ab_waiting *w, const struct ab_sender *s, u32 acked, struct ab_ack *ack)
{
	if (s->limited)
		w->acked += acked;
	if (ab_may_wait(w, s)) {
#ifdef AB_PAUSES
		if (!s->limited)
			w->paused = s->now;
#endif
		return 1;
	}
	ack->acked = w->acked;
	ack->limited = s->limited || w->acked;
	w->acked = 0;
	return 0;
}

/* Before the row learns of an acknowledgement: the pause that preceded it. */
AB_INLINE void ab_tell_pause(struct ab_waiting *w, struct ab_path *p)
{
#ifdef AB_PAUSES
	if (w->paused)
		ab_app_limited(p, w->paused);
	w->paused = 0;
#endif
}

/* Congestion: segments that wait were acknowledged before it, and no longer grow the window. */
AB_INLINE void ab_discard(struct ab_waiting *w)
{
	w->acked = 0;
}

/* Whether the row shows its numbers anew now. */
AB_INLINE u32 ab_shows(struct ab_waiting *w, u64 now, u32 in_flight)
{
	if (in_flight && (u32)now - w->shown < AB_SHOW_AGAIN)
		return 0;
	w->shown = now;
	return 1;
}

#endif
