/* The arithmetic, for separate tests. */
#include "fixed.h"
#include "logarithm.h"
#include "roots.h"

void ab_native_product(u64 a, u64 b, u64 *high, u64 *low);
u32 ab_native_product_greater(u64 a, u64 b, u64 c, u64 d);
u64 ab_native_mul(u64 a, u64 b, u32 q);
u64 ab_native_div(u64 a, u64 b, u32 q);
u32 ab_native_bits(u64 a);
u32 ab_native_log2(u64 a);
u64 ab_native_power_down(u64 x);
u64 ab_native_sqrt(u64 a);
u64 ab_native_cbrt(u64 a);

void ab_native_product(u64 a, u64 b, u64 *high, u64 *low)
{
	struct ab_product p = ab_product(a, b);

	*high = p.high;
	*low = p.low;
}

u32 ab_native_product_greater(u64 a, u64 b, u64 c, u64 d)
{
	return ab_product_greater(a, b, c, d);
}

u64 ab_native_mul(u64 a, u64 b, u32 q)
{
	return ab_mul(a, b, q);
}

u64 ab_native_div(u64 a, u64 b, u32 q)
{
	return ab_div(a, b, q);
}

u32 ab_native_bits(u64 a)
{
	return ab_bits(a);
}

u32 ab_native_log2(u64 a)
{
	return ab_log2(a);
}

u64 ab_native_power_down(u64 x)
{
	return ab_power_down(x);
}

u64 ab_native_sqrt(u64 a)
{
	return ab_sqrt(a);
}

u64 ab_native_cbrt(u64 a)
{
	return ab_cbrt(a);
}
