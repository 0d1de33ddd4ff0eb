/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Of the types of a vendor's kernel that leaves out calls of programs: what tells it (src/layout.rs). */

struct bpf_prog_aux {
	unsigned int id;
	_Bool init_owned;
};

struct bpf_prog_aux aux;
