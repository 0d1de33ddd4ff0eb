/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Slow start as Vegas does it (Brakmo and Peterson, 1995): it doubles the window in every other round, and
 * ends when a queue builds. */
#ifndef AB_VEGAS_START_H
#define AB_VEGAS_START_H

#include "aimd.h"

/* gamma: slow start ends when more is queued, Q40 segments. */
#define AB_VEGAS_GAMMA AB_SEGMENT

/* Grows the window while the path is in slow start; returns 0 if it is not. `hold`: whether the window is held
 * in this round; `judged`: whether a round was judged just now, with `diff` segments queued (Q40). */
AB_INLINE int ab_vegas_start(struct ab_path *p, u32 *hold, u32 acked, int judged, u64 diff, int clean)
{
	if (!ab_in_slow_start(p))
		return 0;
	if (judged) {
		if (clean && diff > AB_VEGAS_GAMMA) {
			/* w base/RTT is the data in flight without the queue. */
			ab_reduce_to(p, ab_min(p->cwnd, ab_less(p->cwnd, diff) + AB_SEGMENT));
			return 1;
		}
		*hold = !*hold;
	}
	if (!*hold)
		ab_slow_start(p, acked);
	return 1;
}

#endif
