/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The template that builds a congestion control from each algorithm's header. The build script compiles it once for
 * every line of the list in anabranch-cc-fixed: AB_HEADER is the header and AB_NAME the name in the kernel, both with
 * their quotation marks. */
#include AB_HEADER
#include "glue.h"

AB_CONGESTION_CONTROL(AB_NAME);
