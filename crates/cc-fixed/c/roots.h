/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Square and cube roots without a division: Newton's iteration for the inverse root of a mantissa. */
#ifndef AB_ROOTS_H
#define AB_ROOTS_H

#include "fixed.h"

/* A number a = m 2^(shift n), m below 1, and its inverse nth root, root 2^-shift. */
struct ab_root {
	u64 mantissa; /* m, Q32 */
	u64 root; /* m^(-1/n), Q30, from 1 to 2 */
	u32 shift;
};

/* a / 2^power, Q32, if a has `power` bits or one or two fewer. */
AB_INLINE u64 ab_mantissa(u64 a, u32 power)
{
	return power > 32 ? a >> ((power - 32) & 63) : a << (32 - power);
}

/*
 * r = 1/sqrt(m), Q30, for m in [1/4, 1), Q32: r <- r (3 - m r^2)/2. The initial parabola has a relative error of 0.0241. An
 * error e becomes 1.5 e^2: 2e-12 after three steps, below the rounding of the last one, 2^-28.
 */
AB_OPAQUE u64 ab_inverse_sqrt(u64 m)
{
	u64 r = 2867787662 + ((m * m >> 32) * 1759398817 >> 32) - (m * 3527624778 >> 32);

	for (u32 i = 0; i < 3; i++)
		r = r * ((3ULL << 30) - (m * (r * r >> 30) >> 32)) >> 31;
	return r;
}

/*
 * r = 1/cbrt(m), Q30, for m in [1/8, 1), Q32: r <- r (4 - m r^3)/3. The parabola is within 0.0419 of r; an
 * error e becomes 2 e^2, 2^-29 after three steps, and with the rounding 2^-28.
 */
AB_OPAQUE u64 ab_inverse_cbrt(u64 m)
{
	u64 r = 2395191246 + ((m * m >> 32) * 1626966404 >> 32) - (m * 2903510870 >> 32);

	for (u32 i = 0; i < 3; i++) {
		u64 cube = (m * r >> 32) * (r * r >> 30) >> 30;

		r = (r * ((4ULL << 30) - cube) >> 30) * 1431655766ULL >> 32; /* 2^32 / 3 */
	}
	return r;
}

/* a^(-1/2) for a > 0. */
AB_INLINE struct ab_root ab_root2(u64 a)
{
	u32 power = (ab_bits(a) + 1) & ~1U;
	u64 m = ab_mantissa(a, power);

	return (struct ab_root){ m, ab_inverse_sqrt(m), power / 2 };
}

/* a^(-1/3) for a > 0. */
AB_INLINE struct ab_root ab_root3(u64 a)
{
	u32 power = (ab_bits(a) + 2) / 3 * 3;
	u64 m = ab_mantissa(a, power);

	return (struct ab_root){ m, ab_inverse_cbrt(m), power / 3 };
}

/* sqrt(a), Q32 to Q32. Relative error 2^-28, absolute 2^-32. */
AB_INLINE u64 ab_sqrt(u64 a)
{
	struct ab_root r;

	if (!a)
		return 0;
	r = ab_root2(a);
	return r.mantissa * r.root >> (46 - r.shift); /* Q62; the root of 2^32 is 2^16 */
}

/* cbrt(a), a whole number to Q40. Relative error 2^-27. */
AB_INLINE u64 ab_cbrt(u64 a)
{
	struct ab_root r;

	if (!a)
		return 0;
	r = ab_root3(a);
	return r.mantissa * (r.root * r.root >> 30) >> (22 - r.shift); /* Q62 */
}

#endif
