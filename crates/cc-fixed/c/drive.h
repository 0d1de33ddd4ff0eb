/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * The events of a path. The kernel's glue and the simulator pass each event to a row by one of these functions. They run the
 * algorithm of the header that was included before this one. The algorithm's header defines
 *
 *   void ab_acked(struct ab_group *, struct ab_path *, const struct ab_ack *)    grow the window
 *   void ab_congestion(struct ab_group *, struct ab_path *, u64 now)  set threshold and window after a loss
 *
 * and, unless it defines AB_STATELESS,
 *
 *   void ab_added(struct ab_path *)                       a new row begins, its state all zeros
 *   void ab_timed_out(struct ab_path *)                   the last loss was a timeout
 *   void ab_spurious(struct ab_group *, struct ab_path *) the window is restored; restore the state
 *
 * and, if it defines AB_PAUSES,
 *
 *   void ab_app_limited(struct ab_path *, u64 now)        the application limited the sender
 *
 * Algorithms sum over the rows that count (ab_counts()). The row of the event counts if it has a round-trip time.
 *
 * A header defines
 *
 *   AB_SAMPLES          if it reads single round-trip times or those of a round, not only their smoothed mean and minimum.
 *                       Linux has no samples in a recovery, but for the acknowledgement that begins it.
 *   AB_FIRST_SAMPLES    if it reads them in the first slow start only, for HyStart++
 *   AB_ONCE_PER_ROUND   if it defines AB_SAMPLES, and the window changes in congestion avoidance at the end of a round only
 *   AB_KEEPS_STATE      if a row's state holds state of the connection: a new row begins with the last path's state, of
 *                       which ab_added() clears the path's own fields
 */
#ifndef AB_DRIVE_H
#define AB_DRIVE_H

#include "group.h"

#if defined(AB_ONCE_PER_ROUND) && !defined(AB_SAMPLES)
#error "AB_ONCE_PER_ROUND needs AB_SAMPLES: without it, the row is not notified of the end of a round"
#endif

#ifdef AB_STATELESS
AB_INLINE void ab_added(struct ab_path *p)
{
}

AB_INLINE void ab_timed_out(struct ab_path *p)
{
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
}
#endif

#ifndef AB_PAUSES
AB_INLINE void ab_app_limited(struct ab_path *p, u64 now)
{
}
#endif

/* The kernel's threshold until the first congestion, in its segments. */
#define AB_WHOLE_NO_SSTHRESH 0x7fffffff

/* Converts the kernel's threshold to the row's. */
AB_INLINE u64 ab_threshold(u32 ssthresh)
{
	return ssthresh >= AB_WHOLE_NO_SSTHRESH ? AB_NO_SSTHRESH : ab_window(ssthresh);
}

/* See ab_path_added(). cwnd and ssthresh: segments. */
AB_INLINE void ab_on_added(struct ab_path *p, u32 cwnd, u32 ssthresh, u32 srtt)
{
	ab_path_added(p, ab_window(cwnd), srtt);
	p->ssthresh = ab_threshold(ssthresh);
	ab_added(p);
}

/* Updates the row's measurements with an acknowledgement, also in recovery. */
AB_INLINE void ab_on_sample(struct ab_path *p, const struct ab_ack *ack)
{
	ab_measure(p, ack);
	ab_settle(p);
}

/* Outside of recovery, after ab_on_sample(). */
AB_INLINE void ab_on_ack(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	if (!ack->limited)
		ab_app_limited(p, ack->now);
	ab_acked(g, p, ack);
	ab_settle(p);
}

/* A loss or an ECN mark. */
AB_INLINE void ab_on_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	u64 until = p->counts_until;

	ab_remember(p);
	p->counts_until = p->srtt ? ab_max(until, now + 1) : 0; /* in its own event */
	ab_congestion(g, p, now);
	p->counts_until = until;
	ab_lost(p);
	ab_settle(p);
}

/* The last congestion event was a timeout (the kernel reports this afterwards). The window is one segment (RFC 5681,
 * section 3.1), and all data in flight is deemed lost. */
AB_INLINE void ab_on_timeout(struct ab_path *p)
{
	ab_timed_out(p);
	p->cwnd = AB_MIN_CWND;
	p->counts_until = 0; /* until the next acknowledgement */
	ab_settle(p);
}

/* Whether anything was undone. */
AB_INLINE int ab_on_spurious(struct ab_group *g, struct ab_path *p)
{
	if (!ab_undo(p))
		return 0;
	ab_spurious(g, p);
	ab_settle(p);
	return 1;
}

/* Converts the row's threshold to the kernel's. */
AB_INLINE u32 ab_whole_ssthresh(const struct ab_path *p)
{
	return p->ssthresh == AB_NO_SSTHRESH ? AB_WHOLE_NO_SSTHRESH : p->ssthresh >> AB_WINDOW_BITS;
}

/* Whether the kernel's own rules can have produced this threshold: they restore the one before the last congestion, or
 * raise a current one to three quarters of the window. */
AB_INLINE int ab_believes_ssthresh(const struct ab_path *p, u32 ssthresh)
{
	u64 before = p->before_ssthresh == AB_NO_SSTHRESH ? 0 : p->before_ssthresh;

	/* Or the kernel stored it from earlier connections. */
	if (p->ssthresh == AB_NO_SSTHRESH)
		return ssthresh == AB_WHOLE_NO_SSTHRESH || ssthresh <= AB_MAX_CWND >> AB_WINDOW_BITS;
	if (ssthresh == AB_WHOLE_NO_SSTHRESH)
		return p->before_ssthresh == AB_NO_SSTHRESH;
	return ssthresh <= ab_max(ab_max(p->ssthresh, before), ab_max(p->cwnd, p->before_cwnd)) >> AB_WINDOW_BITS;
}

/* Whether the kernel's own rules can have produced this window. They never exceed the window before the last
 * congestion, except by one segment (after a failed MTU probe). */
AB_INLINE int ab_believes_cwnd(const struct ab_path *p, u32 cwnd)
{
	return cwnd <= (ab_max(p->cwnd, p->before_cwnd) >> AB_WINDOW_BITS) + 1;
}

/* Adopts changes of window and threshold (segments) by the kernel's own rules. If these rules cannot have made the
 * changes, ignores them and returns 0. */
AB_INLINE int ab_adopt(struct ab_path *p, u32 cwnd, u32 ssthresh)
{
	if (!ab_believes_cwnd(p, cwnd) || !ab_believes_ssthresh(p, ssthresh))
		return 0;
	if (ab_whole_ssthresh(p) != ssthresh)
		p->ssthresh = ab_threshold(ssthresh);
	if (p->cwnd >> AB_WINDOW_BITS != cwnd) {
		p->cwnd = ab_window(cwnd);
		ab_settle(p);
	}
	return 1;
}

#endif
