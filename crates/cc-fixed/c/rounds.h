/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Selects the acknowledgements for rules that act once per round trip. */
#ifndef AB_ROUNDS_H
#define AB_ROUNDS_H

#include "fixed.h"

/* Whether a round's samples are from after the last congestion. Earlier ones show a queue that has already caused a
 * reaction. */
enum ab_doubt {
	AB_CLEAN,
	AB_CLEARING, /* samples count from the round `clean` */
	AB_UNCLEAN,
};

struct ab_rounds {
	u32 last; /* the round of the rule's last action */
	u32 clean;
	u32 doubt; /* enum ab_doubt */
};

/*
 * Whether the rule acts on this acknowledgement, the first in its round that may grow the window. The kernel does not call
 * the algorithm during recovery: a round that ends there is judged after recovery, by the last complete one. Round numbers
 * wrap around.
 */
AB_INLINE int ab_round_due(struct ab_rounds *r, u32 round, u32 acked)
{
	if (!acked)
		return 0;
	if (r->doubt == AB_UNCLEAN) {
		/* Data sent from now is acknowledged in the second round from now. */
		r->clean = round + 2;
		r->doubt = AB_CLEARING;
	}
	if (round == r->last)
		return 0;
	r->last = round;
	if (r->doubt == AB_CLEARING && (s32)(round - r->clean) >= 0)
		r->doubt = AB_CLEAN;
	return 1;
}

/* Congestion: rounds count again a round after recovery. */
AB_INLINE void ab_rounds_congestion(struct ab_rounds *r)
{
	r->doubt = AB_UNCLEAN;
}

#endif
