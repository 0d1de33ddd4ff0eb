/* Logarithms and powers, for separate tests. */
#include "logarithm.h"

u32 ab_native_log2(u64 a);
u64 ab_native_power_down(u64 x);

u32 ab_native_log2(u64 a)
{
	return ab_log2(a);
}

u64 ab_native_power_down(u64 x)
{
	return ab_power_down(x);
}
