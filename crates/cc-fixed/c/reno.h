/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Reno: RFC 5681 with the acknowledged-segment counting of RFC 3465. */
#ifndef AB_RENO_H
#define AB_RENO_H

#define AB_STATELESS

#include "aimd.h"

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	u64 acked = ab_slow_start(p, ack->acked);

	ab_grow(p, acked, ab_reno_increase(p->cwnd));
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	ab_reduce_to(p, p->cwnd / 2);
}

#endif
