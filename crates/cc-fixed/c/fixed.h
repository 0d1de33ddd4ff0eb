/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * Unsigned fixed point on 64 bits: "Qn" has n bits behind the point. Neither the kernel nor eBPF has
 * floating point or 128-bit integers. Functions never divide by zero; results that do not fit saturate.
 */
#ifndef AB_FIXED_H
#define AB_FIXED_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

_Static_assert(sizeof(u32) == 4 && sizeof(u64) == 8, "the rows are laid out alike in eBPF and natively");

#define AB_INLINE static inline __attribute__((always_inline, unused))
/* Marks a separate function: the eBPF verifier then checks its code once per program, not once per call. */
#define AB_FUNCTION static __attribute__((noinline, unused))
/* Marks a function that the verifier checks once for all arguments, instead of for each set of constant arguments. For
 * the verifier, its pointer arguments may be null. Weak, so that the compiler does not use its result either: clang 22
 * drops a caller's check of a result if the function implies its bounds. */
#ifdef __bpf__
#define AB_OPAQUE __attribute__((noinline, weak))
#else
#define AB_OPAQUE AB_FUNCTION
#endif
#define AB_MAX (~0ULL)

/* A product of 128 bits. */
struct ab_product {
	u64 high;
	u64 low;
};

AB_INLINE struct ab_product ab_product(u64 a, u64 b)
{
	u64 a1 = a >> 32, a0 = a & 0xffffffff;
	u64 b1 = b >> 32, b0 = b & 0xffffffff;
	u64 low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (mid & 0xffffffff);
	struct ab_product p = { a1 * b1 + (mid >> 32) + (mid2 >> 32), (mid2 << 32) | (low & 0xffffffff) };

	return p;
}

/* Whether a b > c d, exactly. */
AB_INLINE int ab_product_greater(u64 a, u64 b, u64 c, u64 d)
{
	struct ab_product p = ab_product(a, b), q = ab_product(c, d);

	return p.high > q.high || (p.high == q.high && p.low > q.low);
}

/* floor(a b / 2^q), 0 < q < 64. */
AB_INLINE u64 ab_mul(u64 a, u64 b, u32 q)
{
	struct ab_product p = ab_product(a, b);

	if (p.high >> q)
		return AB_MAX;
	return p.high << (64 - q) | p.low >> q;
}

/* The number of bits of a number; 0 for 0. Sets all bits below the highest one and counts the ones in parallel. It
 * avoids branches, because the eBPF verifier checks all following code after each branch. */
AB_INLINE u32 ab_bits(u64 a)
{
	a |= a >> 1;
	a |= a >> 2;
	a |= a >> 4;
	a |= a >> 8;
	a |= a >> 16;
	a |= a >> 32;
	a -= a >> 1 & 0x5555555555555555;
	a = (a & 0x3333333333333333) + (a >> 2 & 0x3333333333333333);
	a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return a * 0x0101010101010101 >> 56;
}

/* ab_div() if a 2^q has more than 64 bits. */
AB_FUNCTION u64 ab_div_wide(u64 a, u64 b, u32 q)
{
	u32 up = 64 - ab_bits(a), bits = ab_bits(b), down = 0;

	a <<= up & 63;
	q -= up;
	/* b keeps at least 32 bits, or all of its bits. */
	if (bits > 32)
		down = bits - 32 < q ? bits - 32 : q;
	b >>= down & 63;
	q -= down;
	a /= b;
	if (q && a >> ((64 - q) & 63))
		return AB_MAX;
	return a << (q & 63);
}

/* a 2^q / b, 0 < q < 64; the largest number if b is 0. Rounded down if a 2^q fits; if not, the error is at most 1 plus
 * 2^-30 of the result. */
AB_INLINE u64 ab_div(u64 a, u64 b, u32 q)
{
	if (!b)
		return AB_MAX;
	if (a >> (64 - q))
		return ab_div_wide(a, b, q);
	return (a << q) / b;
}

AB_INLINE u64 ab_min(u64 a, u64 b)
{
	return a < b ? a : b;
}

AB_INLINE u64 ab_max(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* a - b, or 0 if b is larger. */
AB_INLINE u64 ab_less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

#endif
