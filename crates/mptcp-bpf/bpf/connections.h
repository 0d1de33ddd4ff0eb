/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The table of connections: a socket takes a row of its connection, finds it at each event, and releases it. */
#ifndef AB_CONNECTIONS_H
#define AB_CONNECTIONS_H

#include "share.h"
#include <bpf/bpf_tracing.h>
#include "together.h"

/* The numbers that a row shows to a monitor, besides the algorithm's own. Counters start with the socket. */
struct ab_subflow {
	u64 owner; /* the row's owner, written after all other fields */
	u32 netns; /* inode of its network namespace */
	u16 family;
	u16 local_port; /* host order */
	u16 remote_port; /* host order */
	u16 user; /* the user with this row in his share (share.h) */
	u32 mss; /* bytes */
	u8 local[16]; /* IPv4: the first four bytes */
	u8 remote[16];
	u64 updated; /* the time of the acknowledgement with these numbers, us of the monotonic clock */
	u64 acked; /* bytes */
	u64 sent; /* bytes, retransmissions included */
	u64 resent; /* bytes */
	u32 in_flight; /* segments, as are the next four */
	u32 sent_segments;
	u32 resent_segments;
	u32 delivered;
	u32 lost;
	u32 rate_delivered; /* the latest delivery rate: segments */
	u32 rate_interval; /* per this many us */
	u32 recoveries;
	u32 timeouts;
	u32 undone; /* reactions to congestion that proved spurious */
};

struct ab_connection {
	struct ab_group group;
	struct ab_subflow subflow[AB_PATHS];
	u64 socket[AB_PATHS]; /* the kernel's struct sock of each row */
	u64 key; /* its key in the map, once a socket has taken a row */
	u64 users; /* number of sockets that have a row or are taking one, or AB_CLOSED */
};

/* The last user has left. The connection is about to leave the map, and no socket may join it. */
#define AB_CLOSED (~0ULL)

/* A key is an MPTCP connection's token. A TCP socket's key is AB_ALONE with a number of its own. */
#define AB_ALONE (1ULL << 63)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AB_MAX_CONNECTIONS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct ab_connection);
} connections SEC(".maps");

/* The initial value of a connection, which is too large for the stack. */
static const struct ab_connection nobody = {};

/* A socket's private area. The key is kept here, because MPTCP may have dropped the token when the socket is released. */
struct ab_socket {
	u64 key;
	u64 owner; /* the socket's number, which its row has too; 0 without a row */
	u64 ask_again; /* us: a socket without a row does not request one before */
	u32 row;
	u32 delivered; /* tcp_sock.delivered at the last event that the row received */
	u32 round_end; /* the sequence number whose acknowledgement ends the round */
	u32 sampled; /* tcp_sock.delivered when the last sample of `rtt` was taken */
	struct ab_waiting waiting;
	struct ab_samples rtt; /* samples that the row has not received */
	u16 congested; /* enum ab_congested */
	u16 open; /* 1 from init() to release(); the acknowledgement of a SYN comes before init() */
};

/* The last congestion that the kernel has reported. */
enum ab_congested {
	AB_CALM, /* no congestion since an acknowledgement outside of recovery */
	AB_REACTED, /* ssthresh() was called */
	AB_RECOVERS, /* set_state() was called after it */
};

/* us between two requests for a row. A request costs more than the rest of an acknowledgement. */
#define AB_ASK_AGAIN 1000000
#define AB_ASK_SOON 10000

_Static_assert(sizeof(struct ab_socket) <= 104, "icsk_ca_priv");

AB_INLINE struct tcp_sock *ab_tcp(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

AB_INLINE struct ab_socket *ab_socket(struct sock *sk)
{
	return (struct ab_socket *)ab_tcp(sk)->inet_conn.icsk_ca_priv;
}

/* The MPTCP socket whose subflow the socket is; 0 without MPTCP. */
AB_INLINE struct sock *ab_mptcp(struct sock *sk)
{
	struct mptcp_subflow_context *subflow = ab_tcp(sk)->inet_conn.icsk_ulp_data;

	return ab_tcp(sk)->is_mptcp ? BPF_CORE_READ(subflow, conn) : 0;
}

/* Fills in the addresses and names of a socket that has just taken the row. */
AB_INLINE void ab_name(struct sock *sk, struct ab_subflow *s, u64 owner, u32 user)
{
	struct sock_common *c = &sk->__sk_common;

	__builtin_memset(s, 0, sizeof(*s));
	s->user = user;
	s->family = c->skc_family;
	s->local_port = c->skc_num;
	s->remote_port = __builtin_bswap16(c->skc_dport);
	s->netns = BPF_CORE_READ(c, skc_net.net, ns.inum);
	if (s->family == 2) {
		__builtin_memcpy(s->local, &c->skc_rcv_saddr, 4);
		__builtin_memcpy(s->remote, &c->skc_daddr, 4);
	} else {
		BPF_CORE_READ_INTO((struct in6_addr *)s->local, c, skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO((struct in6_addr *)s->remote, c, skc_v6_daddr);
	}
	__sync_lock_test_and_set(&s->owner, owner);
}

/* The connection in which the socket has a row, or 0. */
AB_INLINE struct ab_connection *ab_lookup(struct ab_socket *s)
{
	u64 key = s->key;
	struct ab_connection *c = s->owner ? bpf_map_lookup_elem(&connections, &key) : 0;

	if (c && s->row < AB_PATHS && c->group.path[s->row].owner == s->owner)
		return c;
	return 0;
}

/* The owner of a row that is being released, by its socket or by a sweep that did not find the socket (ghosts.h). */
#define AB_LEAVING (~0ULL)

/* Whether the caller releases the row: true for one caller only, once. */
AB_INLINE u32 ab_vacate(struct ab_path *p, u64 owner)
{
	return __sync_val_compare_and_swap(&p->owner, owner, AB_LEAVING) == owner;
}

/* Makes the caller a user of the connection. Fails if the last user has just left. */
AB_INLINE u32 ab_enter(struct ab_connection *c)
{
	for (u32 tries = 0; tries < 4; tries++) {
		u64 users = *(volatile u64 *)&c->users;

		if (users >= AB_PATHS)
			return 0;
		if (__sync_val_compare_and_swap(&c->users, users, users + 1) == users)
			return 1;
	}
	return 0;
}

/* Removes a closed connection from the map. On Linux 6.1 an interrupt may find the map locked by the code that it
 * interrupted, and cannot wait for it: then the key goes into counters.leftover, and a later call removes it. No socket
 * joins a closed connection meanwhile, so the key remains its own. */
AB_INLINE void ab_remove(u64 key)
{
	if (bpf_map_delete_elem(&connections, &key) != -EBUSY)
		return;
	for (u32 i = 0; i < AB_LEFTOVERS; i++)
		if (!__sync_val_compare_and_swap(&counters.leftover[i], 0, key))
			return;
}

AB_FUNCTION u32 ab_remove_leftovers(void)
{
	for (u32 i = 0; i < AB_LEFTOVERS; i++) {
		u64 key = *(volatile u64 *)&counters.leftover[i];

		if (key && __sync_val_compare_and_swap(&counters.leftover[i], key, 0) == key)
			ab_remove(key);
	}
	return 0;
}

/* Ends the caller's use of the connection. The last user closes it, so that sockets can no longer join it, and removes
 * it. The memory of a connection with a user is never reused. A connection without a key stays: its creator is about to
 * take a row. */
AB_INLINE void ab_leave(struct ab_connection *c)
{
	for (u32 tries = 0; tries < 64; tries++) {
		u64 users = *(volatile u64 *)&c->users, key = *(volatile u64 *)&c->key;
		u64 left = users == 1 && key ? AB_CLOSED : users - 1;

		if (__sync_val_compare_and_swap(&c->users, users, left) != users)
			continue;
		if (left == AB_CLOSED)
			ab_remove(key);
		return;
	}
}

/* The connection with that key, created if necessary. 0 if the map is full. */
AB_INLINE struct ab_connection *ab_open(u64 key)
{
	struct ab_connection *c = bpf_map_lookup_elem(&connections, &key);

	if (c)
		return c;
	bpf_map_update_elem(&connections, &key, &nobody, BPF_NOEXIST);
	return bpf_map_lookup_elem(&connections, &key);
}

AB_INLINE void ab_refuse(struct ab_socket *s, u64 now)
{
	if (!s->ask_again)
		__sync_fetch_and_add(&counters.refused, 1);
	s->ask_again = now + AB_ASK_AGAIN;
}

/* Takes a free row of the socket's connection. 0 without one: the socket tries again at a later acknowledgement. */
AB_FUNCTION struct ab_connection *ab_join(struct sock *sk, struct ab_socket *s)
{
	u64 now = ab_tcp(sk)->tcp_mstamp, me, key;
	struct sock *mptcp = ab_mptcp(sk);
	struct ab_connection *c;
	u32 token, user;

	if (!s->open || now < s->ask_again)
		return 0;
	me = __sync_fetch_and_add(&counters.owners, 1) + 1;
	token = mptcp ? BPF_CORE_READ((struct mptcp_sock *)mptcp, token) : 0;
	key = token ? token : AB_ALONE | me;
	/* The kernel opens further subflows itself, so the user is the MPTCP socket's. */
	user = ab_user(sk, token ? BPF_CORE_READ(mptcp, sk_uid.val) : sk->sk_uid.val);
	if (!ab_has_share(user, !token)) {
		ab_refuse(s, now);
		return 0;
	}
	c = ab_open(key);
	if (!c || c->users == AB_PATHS) {
		ab_refuse(s, now);
		return 0;
	}
	/* The last user is leaving, or other sockets join and leave at the same time. */
	if (!ab_enter(c)) {
		s->ask_again = now + AB_ASK_SOON;
		return 0;
	}
	/* The connection may have left the map since ab_open(), and its memory may be another connection's. */
	if (bpf_map_lookup_elem(&connections, &key) != c) {
		ab_leave(c);
		return 0;
	}
	*(volatile u64 *)&c->key = key;
	for (u32 i = 0; i < AB_PATHS; i++) {
		if (c->group.path[i].owner || __sync_val_compare_and_swap(&c->group.path[i].owner, 0, me))
			continue;
		__sync_fetch_and_or(&c->group.taken, 1ULL << i);
		ab_on_added(&c->group.path[i], ab_tcp(sk)->snd_cwnd, ab_tcp(sk)->snd_ssthresh,
			    ab_tcp(sk)->srtt_us >> 3);
		c->socket[i] = (u64)sk;
		ab_take_share(user);
		s->key = key;
		s->owner = me;
		s->row = i;
		s->delivered = ab_tcp(sk)->delivered;
		s->round_end = ab_tcp(sk)->snd_nxt;
		/* Last, because a sweep treats a complete row that its socket does not know as a row without a socket
		 * (ghosts.h). */
		ab_name(sk, &c->subflow[i], me, user);
		return c;
	}
	ab_leave(c);
	return 0;
}

/* The socket's connection. The socket joins it at the first event that needs it, because MPTCP sets the token after
 * init() and before data flows. 0 without a row: the socket then behaves like Reno. */
AB_INLINE struct ab_connection *ab_find(struct sock *sk)
{
	struct ab_connection *c = ab_lookup(ab_socket(sk));

	return c ? c : ab_join(sk, ab_socket(sk));
}

#endif
