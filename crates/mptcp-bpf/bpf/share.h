/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * Each user's share of the table.
 *
 * A user gets another row while his rows are fewer than the free ones. This is the dynamic threshold of Choudhury and Hahne
 * (IEEE/ACM Transactions on Networking 6(2), 1998, equation 2, alpha = 1): one user has at most half of the table, n users
 * have an (n + 1)th of it each, and an (n + 1)th stays free for the next user. TCP sockets do not need coupling. A TCP socket
 * gets a row while the user has fewer rows than a quarter of the free ones (alpha = 1/4), so with TCP sockets alone a user
 * has at most a fifth of the table.
 */
#ifndef AB_SHARE_H
#define AB_SHARE_H

#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* The most connections in the table, and the most rows in total. */
#define AB_MAX_CONNECTIONS 65536

/* The number of rows. A variable, so that a test can set it. */
const volatile u32 ab_capacity = AB_MAX_CONNECTIONS;

/* 1 / alpha of sockets without MPTCP. */
#define AB_ALONE_TIMES 4

/* The bits of a user's hash. Users whose hashes are equal share one share. */
#define AB_USER_BITS 12
#define AB_USERS (1 << AB_USER_BITS)

/* Levels of user namespaces that the kernel allows below the first (create_user_ns()). */
#define AB_USER_NAMESPACES 33

#define AB_LEFTOVERS 8

/* Rust reads the first three. */
struct ab_counters {
	u64 sockets; /* in use now */
	u64 refused; /* requests for a row without success: no memory, no share, or too many connections or subflows */
	u64 owners; /* the last number given to a row's owner */
	u64 leftover[AB_LEFTOVERS]; /* keys of closed connections that are still in the map; 0 means unused */
	u64 rows; /* rows that are taken */
	u32 held[AB_USERS]; /* the rows of each user */
} counters;

/* The user who is charged for rows of a socket that `uid` opened. It is that user within the socket's network
 * namespace, so containers do not take each other's rows. Any user may create a user namespace with many users: all its
 * network namespaces belong to the user who created the outermost one. */
AB_INLINE u32 ab_user(struct sock *sk, u32 uid)
{
	struct net *net = sk->__sk_common.skc_net.net;
	struct user_namespace *outermost = BPF_CORE_READ(net, user_ns), *above = BPF_CORE_READ(outermost, parent);
	u64 user = (u64)BPF_CORE_READ(net, ns.inum) << 32 | uid;

	for (u32 level = 0; above && level < AB_USER_NAMESPACES; level++) {
		user = BPF_CORE_READ(outermost, owner.val);
		outermost = above;
		above = BPF_CORE_READ(above, parent);
	}
	return user * 0x9e3779b97f4a7c15ULL >> (64 - AB_USER_BITS);
}

/* Whether the user may have another row. Two processors at once may both get a yes, which allows a few more rows. */
AB_INLINE u32 ab_has_share(u32 user, u32 alone)
{
	u64 rows = counters.rows, held = counters.held[user % AB_USERS];

	return rows < ab_capacity && held * (alone ? AB_ALONE_TIMES : 1) < ab_capacity - rows;
}

AB_INLINE void ab_take_share(u32 user)
{
	__sync_fetch_and_add(&counters.held[user % AB_USERS], 1);
	__sync_fetch_and_add(&counters.rows, 1);
}

AB_INLINE void ab_return_share(u32 user)
{
	__sync_fetch_and_add(&counters.held[user % AB_USERS], -1);
	__sync_fetch_and_add(&counters.rows, -1);
}

#endif
