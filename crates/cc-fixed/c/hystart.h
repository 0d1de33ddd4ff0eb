/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* HyStart++ (RFC 9406): a rising round-trip time ends the first slow start before the loss does. Exact, in whole
 * microseconds and quarters of a segment. */
#ifndef AB_HYSTART_H
#define AB_HYSTART_H

#include "units.h"

/* MIN_RTT_THRESH and MAX_RTT_THRESH, us; MIN_RTT_DIVISOR. */
#define AB_MIN_RISE 4000
#define AB_MAX_RISE 16000
#define AB_RISE_DIVISOR 8
#define AB_RTT_SAMPLES 8 /* N_RTT_SAMPLE */
#define AB_CSS_GROWTH_DIVISOR 4
#define AB_CSS_ROUNDS 5

struct ab_hystart {
	u32 round; /* the last seen round of the path */
	u32 samples;
	u32 min_rtt; /* of this round and the last one, us; AB_NO_RTT without a sample */
	u32 last_min_rtt;
	u32 conservative; /* whether in conservative slow start */
	u32 baseline; /* cssBaselineMinRtt, us */
	u32 rounds; /* completed rounds in it, including its first partial one */
};

AB_INLINE void ab_hystart_begin(struct ab_hystart *h)
{
	h->min_rtt = AB_NO_RTT;
	h->last_min_rtt = AB_NO_RTT;
}

/* Starts a round; whether it follows the last one of conservative slow start. */
AB_INLINE int ab_hystart_round(struct ab_hystart *h, u32 round)
{
	h->round = round;
	h->last_min_rtt = h->min_rtt;
	h->min_rtt = AB_NO_RTT;
	h->samples = 0;
	return h->conservative && ++h->rounds >= AB_CSS_ROUNDS;
}

/* Whether the delay rose enough to become conservative, or fell enough to return. */
AB_INLINE void ab_hystart_judge(struct ab_hystart *h)
{
	u64 rise;

	if (h->conservative) {
		h->conservative = h->min_rtt >= h->baseline;
		return;
	}
	if (h->min_rtt < h->last_min_rtt)
		return;
	rise = ab_min(ab_max(h->last_min_rtt, AB_MIN_RISE * AB_RISE_DIVISOR), AB_MAX_RISE * AB_RISE_DIVISOR);
	if ((u64)(h->min_rtt - h->last_min_rtt) * AB_RISE_DIVISOR >= rise) {
		h->conservative = 1;
		h->baseline = h->min_rtt;
		h->rounds = 0;
	}
}

/* The increase of the window for `acked` segments, Q40, of which `burst` (L) count at most; `sample` as in
 * ab_path. */
AB_INLINE u64 ab_hystart_step(struct ab_hystart *h, u32 acked, u32 burst, u32 sample)
{
	u64 step = ab_window(ab_min(acked, burst)) / (h->conservative ? AB_CSS_GROWTH_DIVISOR : 1);

	if (sample) {
		h->min_rtt = ab_min(h->min_rtt, sample);
		if (++h->samples >= AB_RTT_SAMPLES)
			ab_hystart_judge(h);
	}
	return step;
}

#endif
