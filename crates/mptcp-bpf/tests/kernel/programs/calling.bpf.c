/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Of upstream's types: a member of that name is in another struct only. */

struct bpf_prog_aux {
	unsigned int id;
};

struct trace_array {
	struct bpf_prog_aux *aux;
	_Bool init_owned;
};

struct bpf_prog_aux aux;
struct trace_array array;
