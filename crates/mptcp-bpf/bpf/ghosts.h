/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * The sweep for rows of closed sockets. Such rows remain if a kernel does not call release(). The loader runs this
 * program in its own process (src/ghosts.rs); the kernel never calls it.
 */
#ifndef AB_GHOSTS_H
#define AB_GHOSTS_H

#include "connections.h"

struct ab_sweep {
	u32 free; /* in: whether to free such rows */
	u32 ghosts; /* out: the number of such rows */
};

/* Whether the socket exists and still has the row. Its memory may be free or belong to another socket, so read it with
 * care. */
AB_INLINE u32 ab_has_socket(u64 socket, u64 owner)
{
	struct sock *sk = (struct sock *)socket;
	struct tcp_sock *tp = (struct tcp_sock *)socket;
	struct ab_socket s;

	if (BPF_CORE_READ(sk, __sk_common.skc_refcnt.refs.counter) <= 0)
		return 0;
	return !bpf_core_read(&s, sizeof(s), &tp->inet_conn.icsk_ca_priv) && s.open && s.owner == owner;
}

/* Acts like release(). The loader holds the lock of the pins, so a second sweep cannot run. */
AB_FUNCTION u32 ab_free_row(struct ab_connection *c, u32 row, u64 owner)
{
	if (!c || row >= AB_PATHS)
		return 0;
	if (!ab_vacate(&c->group.path[row], owner))
		return 0;
	__sync_fetch_and_add(&counters.sockets, -1);
	ab_return_share(c->subflow[row].user);
	ab_path_removed(&c->group.path[row]);
	__sync_lock_test_and_set(&c->group.path[row].owner, 0);
	ab_leave(c);
	return 1;
}

static long ab_sweep_connection(void *map, u64 *key, struct ab_connection *c, struct ab_sweep *sweep)
{
	for (u32 i = 0; i < AB_PATHS; i++) {
		u64 owner = c->group.path[i].owner;

		/* Complete rows only: a socket that is taking a row stores it before ab_name() ends. */
		if (!owner || c->subflow[i].owner != owner || ab_has_socket(c->socket[i], owner))
			continue;
		sweep->ghosts++;
		if (sweep->free)
			ab_free_row(c, i, owner);
	}
	return 0;
}

SEC("?syscall")
int ab_sweep_table(u32 *free)
{
	struct ab_sweep sweep = { .free = *free };

	bpf_for_each_map_elem(&connections, ab_sweep_connection, &sweep, 0);
	return sweep.ghosts;
}

#endif
