/* The roots, for separate tests. */
#include "roots.h"

u64 ab_native_sqrt(u64 a);
u64 ab_native_cbrt(u64 a);

u64 ab_native_sqrt(u64 a)
{
	return ab_sqrt(a);
}

u64 ab_native_cbrt(u64 a)
{
	return ab_cbrt(a);
}
