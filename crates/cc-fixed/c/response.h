/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* CUBIC's response function (RFC 9438, section 5.1) for C = 0.4 and beta = 0.7, where K^4 = 37/30: the mean
 * window under one loss every 1/p segments is K (T/p)^(3/4), and Reno's sqrt(1.5/p). */
#ifndef AB_RESPONSE_H
#define AB_RESPONSE_H

#include "roots.h"
#include "units.h"

/*
 * V: Reno's mean window at the loss rate at which CUBIC's is w, sqrt(1.5/p) with p = T (K/w)^(4/3). That is
 * w (1.5/T)^(1/2) K^(-2/3) w^(-1/3): two inverse roots. w at least a segment, Q40; rtt in us. Relative
 * error 2^-26.
 */
AB_OPAQUE u64 ab_virtual_reno(u64 w, u32 rtt)
{
	struct ab_root a = ab_root3(w), t = ab_root2(rtt);
	/* sqrt(1.5 10^6) K^(-2/3) 2^(40/3), Q20 */
	u64 factor = ab_mul(12799669034891, a.root * t.root >> 30, 30);

	return ab_mul(w, factor, 20 + a.shift + t.shift);
}

/* The window at which both regions meet, sqrt(3.375/K^4) T^(-3/2) = 1.654 T^(-3/2): the largest number for times below
 * 2.3 us, where the window does not fit. Relative error 2^-27. */
AB_OPAQUE u64 ab_crossing(u32 rtt)
{
	struct ab_root t = ab_root2(rtt);

	/* sqrt(3.375/K^4) 10^9, Q20 */
	return ab_div(ab_mul(1734588917047432, t.root, 30 + t.shift), rtt, AB_WINDOW_BITS - 20);
}

#endif
