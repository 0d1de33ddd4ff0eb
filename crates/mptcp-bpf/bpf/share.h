/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * How much of the table a user may have.
 *
 * Another row is his while he has fewer than are free: the dynamic threshold of Choudhury and Hahne (IEEE/ACM
 * Transactions on Networking 6(2), 1998, equation 2, alpha = 1). So one user has at most half of the table, n users
 * have an (n + 1)th of it each, and as much stays free for the next. A socket without MPTCP, which has nothing to couple, gets
 * one while he has fewer than a quarter of what is free (alpha = 1/4): with such sockets alone he has at most a fifth.
 */
#ifndef AB_SHARE_H
#define AB_SHARE_H

#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* Entries of the table, and rows in all of them together. */
#define AB_MAX_CONNECTIONS 65536

/* The rows. Not a literal: tests have fewer. */
const volatile u32 ab_capacity = AB_MAX_CONNECTIONS;

/* 1 / alpha of sockets without MPTCP. */
#define AB_ALONE_TIMES 4

/* Users are told apart by so many bits of a hash; those that collide share what one would have. */
#define AB_USER_BITS 12
#define AB_USERS (1 << AB_USER_BITS)

/* Levels of user namespaces that the kernel allows below the first (create_user_ns()). */
#define AB_USER_NAMESPACES 33

#define AB_LEFTOVERS 8

/* Rust reads the first three. */
struct ab_counters {
	u64 sockets; /* in use now */
	u64 refused; /* rows that could not be had: no memory, no share left, or too many connections or subflows */
	u64 owners; /* the last number given to a row's owner */
	u64 leftover[AB_LEFTOVERS]; /* keys of closed connections that are still in the map; 0: none */
	u64 rows; /* that are taken */
	u32 held[AB_USERS]; /* by whom */
} counters;

/*
 * Who has the rows of a socket that was opened by `uid`: that user within that network namespace, so that containers
 * do not take each other's. A namespace in a user namespace, which anybody may make and have many users in, is all
 * of him who made the outermost one.
 */
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

/* Whether he may have another row. Processors that ask at once may each be told so: it is a few more then. */
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
