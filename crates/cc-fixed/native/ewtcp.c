#include "../c/ewtcp.h"
#include "native.h"

/* share */
static void observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
	if (n > 0)
		out[0] = ab_to_real(ab_ewtcp_weight(g, now));
}

AB_EXPORT(ewtcp, observe);
