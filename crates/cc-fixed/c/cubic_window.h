/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The window of CUBIC in congestion avoidance (RFC 9438, section 4), independent of a path: `cubic` uses it as a path's
 * window, `coupled-cubic` keeps one in the background. C = 0.4, beta = 0.7, fast convergence. */
#ifndef AB_CUBIC_WINDOW_H
#define AB_CUBIC_WINDOW_H

#include "roots.h"
#include "units.h"

/* The largest such window. One in the background can be three times a path's. */
#define AB_MAX_CUBIC (AB_MAX_CWND << 2)
#define AB_K_BITS 10
#define AB_STAGE_BITS 20
#define AB_LONGEST_STAGE (1ULL << 62)

/* CUBIC's state in congestion avoidance. Windows in Q40 segments, times in us. */
struct ab_cubic {
	u64 w_max; /* window at the plateau of the cubic function */
	u64 prior; /* window before the last congestion; 0 before the first */
	u64 last; /* the time of the last acknowledgement */
	u64 t; /* time from the start of the stage to `last`, without application-limited time, Q20 us */
	u64 w_est; /* the window of a Reno flow under the same conditions (section 4.3) */
	u64 k; /* time from the start of the stage to the plateau, 1/1024 us */
	u8 begun; /* whether in a stage of congestion avoidance: not in slow start and recovery */
	u8 from_plateau; /* whether the next stage starts on its plateau (4.8, 4.10) or, after a loss, below it */
};

/* The next stage starts on the plateau at the current window, as after a slow start that ended without loss (section
 * 4.10). */
AB_INLINE void ab_cubic_restart(struct ab_cubic *c)
{
	c->prior = 0;
	c->from_plateau = 1;
	c->begun = 0;
}

/* C d^3, Q40 segments, for d in 1/1024 us; constant from 268 s, where it is 1.8 AB_MAX_CUBIC.
 * Error 10^-10 of it and, with d in seconds, 10^-10 (d + d^2) segments. */
AB_INLINE u64 ab_cubic_rise(u64 d)
{
	u64 s = ab_mul(ab_min(d, 1ULL << 38), 4611686018427, 40); /* seconds, Q32 */

	return ab_mul(ab_mul(s, s, 32), ab_mul(s, 1717986918, 32), 24);
}

/*
 * K = cbrt((w_max - w)/C) (Figure 2), 1/1024 us, below 2^38. The cube root, then a Newton step so that the function reaches
 * the plateau at K, rounded up: the function must not start above w, because W_est is only one acknowledgement's growth above
 * w. Error 3 and 10^-10 K.
 */
AB_OPAQUE u64 ab_cubic_k(u64 below)
{
	u64 k, risen;

	if (!below)
		return 0;
	k = ab_mul(ab_cbrt(below), 8824564490, 56); /* 1.024 10^9 (2^40 C)^(-1/3), Q16 */
	risen = ab_cubic_rise(k);
	if (risen > below)
		k -= ab_mul(ab_div(risen - below, below, 40), k / 3, 40);
	else
		k += ab_mul(ab_div(below - risen, below, 40), k / 3, 40);
	return k + 2;
}

/* The cubic function (Figure 1), t (Q20 us) into the stage. */
AB_INLINE u64 ab_cubic_at(const struct ab_cubic *c, u64 t)
{
	u64 fine = t >> (AB_STAGE_BITS - AB_K_BITS);

	return fine < c->k ? ab_less(c->w_max, ab_cubic_rise(c->k - fine)) : c->w_max + ab_cubic_rise(fine - c->k);
}

/* Starts a stage of congestion avoidance (section 4.2). */
AB_INLINE void ab_cubic_begin(struct ab_cubic *c, u64 w)
{
	if (c->from_plateau || c->w_max < w)
		c->w_max = w;
	c->k = ab_cubic_k(c->w_max - w);
	c->t = 0;
	c->w_est = w;
	c->begun = 1;
}

/* The time since the last acknowledgement, Q20 us; 2^40 us at most. */
AB_INLINE u64 ab_cubic_passed(struct ab_cubic *c, u64 now)
{
	u64 passed = ab_min(ab_less(now, c->last), 1ULL << 40);

	c->last = now;
	return passed << AB_STAGE_BITS;
}

/*
 * The window w after `part` of it (Q40) was acknowledged in congestion avoidance; c->t is up to date. `reno`: the fraction
 * that counts for W_est. `ahead`: a round-trip time, Q20 us.
 */
AB_OPAQUE u64 ab_cubic_step(struct ab_cubic *c, u64 w, u64 part, u64 reno, u64 ahead)
{
	u64 target;

	if (!c)
		return w;
	if (!c->begun)
		ab_cubic_begin(c, w);
	/* Section 4.3, Figure 4: alpha = 9/17, and 1 once the window has reached its value before the loss. */
	c->w_est = ab_min(c->w_est + (c->w_est < c->prior ? reno * 9 / 17 : reno), AB_MAX_CUBIC);

	if (ab_cubic_at(c, c->t) < c->w_est) {
		u64 most = ab_min(ab_mul(w, part, AB_WINDOW_BITS), AB_MAX_CUBIC);

		return ab_max(w, ab_min(c->w_est, w + most)); /* section 4.3 */
	}
	target = ab_min(ab_max(ab_cubic_at(c, c->t + ahead), w), w + w / 2); /* section 4.2 */
	return w + ab_mul(target - w, ab_min(part, AB_SEGMENT), AB_WINDOW_BITS); /* sections 4.4, 4.5 */
}

/* The same for unmodified RFC 9438. */
AB_INLINE u64 ab_cubic_grow(struct ab_cubic *c, u64 w, u64 part, u64 now, u32 srtt)
{
	c->t = ab_min(c->t + ab_cubic_passed(c, now), AB_LONGEST_STAGE);
	return ab_cubic_step(c, w, part, part, (u64)srtt << AB_STAGE_BITS);
}

/* The window after congestion (section 4.6). */
AB_INLINE u64 ab_cubic_reduce(struct ab_cubic *c, u64 w)
{
	c->w_max = w < c->w_max ? w / 20 * 17 : w; /* section 4.7 */
	c->prior = w;
	c->from_plateau = 0;
	c->begun = 0;
	return w / 10 * 7;
}

/* The application limited the sender since the last acknowledgement: that time does not count (4.2). */
AB_INLINE void ab_cubic_pause(struct ab_cubic *c, u64 now)
{
	c->last = ab_max(c->last, now);
}

#endif
