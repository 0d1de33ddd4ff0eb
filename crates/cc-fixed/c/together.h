/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * Selects the acknowledgements that a row receives at once, and those that it receives together with later ones. Fetching a
 * row that has left the processor's caches costs more than all of an algorithm's arithmetic.
 *
 * In congestion avoidance, the row receives half a window as one acknowledgement. Rules are nearly linear in the acknowledged
 * segments, and the windows and times that a rule reads change little meanwhile (tests/all/together.rs bounds the
 * difference). With AB_ONCE_PER_ROUND, the row receives a whole round at once. Acknowledgements that may not grow the window
 * wait, too. Acknowledgements never wait in slow start, or after the last segment in flight. With AB_SAMPLES, they do not
 * wait across the end of a round; without it, they wait at most AB_SHOW_AGAIN.
 */
#ifndef AB_TOGETHER_H
#define AB_TOGETHER_H

#include "drive.h"

/* Updates per window of acknowledged segments. */
#define AB_STEPS 2

/* us: the maximum age of the numbers that a row shows to a monitor. With AB_SAMPLES, they last until half a window is
 * acknowledged or the round ends. */
#define AB_SHOW_AGAIN 10000

/* The acknowledgements that a row has not received yet. All zeros: no acknowledgement waits. */
struct ab_waiting {
	u64 paused; /* us: the end of the application-limited time; 0 if the row has received it */
	u32 acked; /* segments that may grow the window */
	u32 shown; /* us, the low 32 bits: the time when the row last showed its numbers */
};

/* The state of a sender after an acknowledgement. */
struct ab_sender {
	u64 now; /* us */
	u32 has_row; /* whether it has a row and uses the row's window */
	u32 cwnd; /* segments, as is the next */
	u32 ssthresh; /* AB_WHOLE_NO_SSTHRESH until the first congestion */
	u32 in_flight; /* 0 if all data is acknowledged */
	u32 limited; /* whether the window limited the sender (RFC 7661) */
	u32 ends_round; /* whether a round has ended since the row last received an acknowledgement */
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

/* An acknowledgement of `acked` segments has arrived: returns whether the row may receive it later. If not, `ack` has
 * the segments of all waiting ones. */
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

/* Passes the preceding pause to the row, before it receives an acknowledgement. */
AB_INLINE void ab_tell_pause(struct ab_waiting *w, struct ab_path *p)
{
#ifdef AB_PAUSES
	if (w->paused)
		ab_app_limited(p, w->paused);
	w->paused = 0;
#endif
}

/* Congestion: waiting segments were acknowledged before it and no longer grow the window. */
AB_INLINE void ab_discard(struct ab_waiting *w)
{
	w->acked = 0;
}

/* Whether the row updates its shown numbers now. */
AB_INLINE u32 ab_shows(struct ab_waiting *w, u64 now, u32 in_flight)
{
	if (in_flight && (u32)now - w->shown < AB_SHOW_AGAIN)
		return 0;
	w->shown = now;
	return 1;
}

#endif
