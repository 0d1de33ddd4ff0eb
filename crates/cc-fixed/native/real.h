/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Converts fixed point to real numbers for display; native builds only. */
#ifndef AB_REAL_H
#define AB_REAL_H

#include "units.h"

static const double ab_segment = (double)AB_SEGMENT;

/* Segments to Q40, saturating. */
AB_INLINE u64 ab_from_real(double segments)
{
	double x = segments * ab_segment;

	return x < 0x1p63 ? (u64)x : AB_NO_SSTHRESH;
}

AB_INLINE double ab_to_real(u64 window)
{
	return window == AB_NO_SSTHRESH ? __builtin_inf() : (double)window / ab_segment;
}

/* Segments, AB_MAX if unknown. */
AB_INLINE double ab_known(u64 segments)
{
	return segments == AB_MAX ? __builtin_nan("") : (double)segments / ab_segment;
}

/* Q32 us to seconds. */
AB_INLINE double ab_seconds(u64 time)
{
	return (double)time / (double)(1ULL << AB_TIME_BITS) / 1e6;
}

#endif
