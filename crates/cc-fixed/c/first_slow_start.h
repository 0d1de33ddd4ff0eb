/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* A path's slow start, with HyStart++ in the first one (RFC 9406, section 4.3). */
#ifndef AB_FIRST_SLOW_START_H
#define AB_FIRST_SLOW_START_H

#include "aimd.h"
#include "hystart.h"

/* Grows the window; returns the segments left over for congestion avoidance, Q40. The first slow start ends
 * with the first threshold. */
AB_INLINE u64 ab_first_slow_start(struct ab_hystart *h, struct ab_path *p, const struct ab_ack *ack)
{
	if (p->ssthresh == AB_NO_SSTHRESH) {
		if (p->round == h->round || !ab_hystart_round(h, p->round)) {
			p->cwnd += ab_hystart_step(h, ack->acked, ack->burst, p->sample);
			return 0;
		}
		p->ssthresh = p->cwnd;
	}
	return ab_slow_start(p, ack->acked);
}

#endif
