/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The scales of windows, rates and times. */
#ifndef AB_UNITS_H
#define AB_UNITS_H

#include "fixed.h"

/* Windows: segments in Q40, so that one acknowledgement's increase of the largest window is still visible. */
#define AB_WINDOW_BITS 40
#define AB_SEGMENT (1ULL << AB_WINDOW_BITS)
#define AB_MIN_CWND AB_SEGMENT
#define AB_MIN_SSTHRESH (2 * AB_SEGMENT) /* RFC 5681, Eq. 4 */
#define AB_MAX_CWND (AB_SEGMENT << 20)
/* The threshold until the first congestion. */
#define AB_NO_SSTHRESH AB_MAX

/* Rates: segments per second in Q20; a segment per 100 s is 10485, within 1e-4. Nine paths of 2^20
 * segments per microsecond still add up within 64 bits. */
#define AB_RATE_BITS 20

/* Times are in microseconds, and measured ones at most AB_MAX_RTT; means of them in Q32. */
#define AB_TIME_BITS 32
#define AB_MAX_RTT 100000000U
#define AB_NO_RTT (~0U)

/* Converts whole segments to a window, saturating. */
AB_INLINE u64 ab_window(u32 segments)
{
	return ab_min(segments, 1 << 23) << AB_WINDOW_BITS;
}

#endif
