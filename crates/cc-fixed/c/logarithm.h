/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Logarithms and powers to the base 2, which turn products of odd powers into sums. They use polynomials, without
 * divisions. */
#ifndef AB_LOGARITHM_H
#define AB_LOGARITHM_H

#include "fixed.h"

#define AB_LOG_BITS 26

/* log2(a), Q26; 0 for 0. A polynomial interpolates the logarithm of the mantissa 1 + f at the Chebyshev nodes of [0,
 * 1], with an error of 2^-32. Eleven roundings of 2^-30 and a last one of 2^-26 add to it. Error 2^-25. */
AB_OPAQUE u32 ab_log2(u64 a)
{
	u32 power = ab_bits(a | 1) - 1;
	s64 f = a << (63 - power) << 1 >> 32; /* Q32 */
	s64 r = 2184349;

	r = (r * f >> 32) - 15602242;
	r = (r * f >> 32) + 52287711;
	r = (r * f >> 32) - 112108093;
	r = (r * f >> 32) + 179798546;
	r = (r * f >> 32) - 243018196;
	r = (r * f >> 32) + 306000087;
	r = (r * f >> 32) - 386642994;
	r = (r * f >> 32) + 516298485;
	r = (r * f >> 32) - 774537767;
	r = (r * f >> 32) + 1549081938;
	return (power << AB_LOG_BITS) + (u32)(r * f >> (62 - AB_LOG_BITS));
}

/* 2^-x, Q48, for x in Q26. The polynomial is within 2^-29 of the value, from 1 to 1/2, and has six roundings of 2^-30:
 * relative error 2^-26, absolute 2^-48. */
AB_OPAQUE u64 ab_power_down(u64 x)
{
	u32 whole = ab_min(x >> AB_LOG_BITS, 63);
	s64 f = x << (32 - AB_LOG_BITS) & 0xffffffff, r = 117391;

	r = (r * f >> 32) - 1369601;
	r = (r * f >> 32) + 10286296;
	r = (r * f >> 32) - 59582935;
	r = (r * f >> 32) + 257938912;
	r = (r * f >> 32) - 744260973;
	r = (r * f >> 32) + 1073741824;
	return (u64)r << 18 >> whole;
}

#endif
