/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The variant of Coupled CUBIC that the paper calls CCUBIC(alpha1): small paths are linked by V, not by L. */
#define AB_SMALL_BY_RENO

#include "coupled_cubic.h"
