/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The template that builds a table of functions from each algorithm's header. The build script compiles it once for
 * every line of src/list.rs: AB_HEADER is the header with its quotation marks, AB_TABLE the table's name. */
#define AB_NATIVE
#include "real.h"
#include AB_HEADER
#include "native.h"

AB_EXPORT(AB_TABLE);
