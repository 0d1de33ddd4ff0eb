#include "../c/reno.h"
#include "native.h"

static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
}

AB_EXPORT(reno, observe);
