/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The type of a vendor's kernel that shows that it leaves out calls of programs (src/layout.rs). */

struct bpf_prog_aux {
	unsigned int id;
	_Bool init_owned;
};

struct bpf_prog_aux aux;
