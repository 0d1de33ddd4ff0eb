/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * What happens on a path, told to the algorithm whose header was included before this one: the one way in,
 * for the kernel's glue and for the simulator. The algorithm's header has
 *
 *   void ab_acked(struct ab_group *, struct ab_path *, const struct ab_ack *)    grow the window
 *   void ab_congestion(struct ab_group *, struct ab_path *, u64 now, enum ab_signal)  set threshold and window
 *
 * and, unless it is AB_STATELESS,
 *
 *   void ab_added(struct ab_path *)                       a row of its own begins, its state all zeros
 *   void ab_spurious(struct ab_group *, struct ab_path *) the window is restored; restore the state
 *   void ab_app_limited(struct ab_path *, u64 now)        the application limited the sender
 */
#ifndef AB_DRIVE_H
#define AB_DRIVE_H

#include "group.h"

#ifdef AB_STATELESS
AB_INLINE void ab_added(struct ab_path *p)
{
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
}

AB_INLINE void ab_app_limited(struct ab_path *p, u64 now)
{
}
#endif

/* A row for a path that has sent nothing yet. The caller has claimed it (`owner`). cwnd: segments. */
AB_INLINE void ab_on_added(struct ab_path *p, u32 cwnd)
{
	ab_path_added(p, (u64)cwnd << AB_WINDOW_BITS);
	ab_added(p);
}

/* The row's measurements with an acknowledgement, in recovery too. */
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

AB_INLINE void ab_on_congestion(struct ab_group *g, struct ab_path *p, u64 now, enum ab_signal signal)
{
	ab_remember(p);
	ab_congestion(g, p, now, signal);
	ab_lost(p, signal);
	ab_settle(p);
}

AB_INLINE void ab_on_spurious(struct ab_group *g, struct ab_path *p)
{
	if (ab_undo(p)) {
		ab_spurious(g, p);
		ab_settle(p);
	}
}

/* The window as something else left it: the transport's own rules, or an undo. cwnd: segments. */
AB_INLINE void ab_adopt(struct ab_path *p, u32 cwnd)
{
	if (p->cwnd >> AB_WINDOW_BITS != cwnd) {
		p->cwnd = (u64)cwnd << AB_WINDOW_BITS;
		ab_settle(p);
	}
}

#endif
