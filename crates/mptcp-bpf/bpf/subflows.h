/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* A list of the MPTCP sockets of a network namespace, with the congestion control of each. The loader runs this iterator in
 * its own process (src/coupling.rs); the kernel never calls it. */
#ifndef AB_SUBFLOWS_H
#define AB_SUBFLOWS_H

#include "connections.h"

struct ab_listed {
	u64 ops; /* its tcp_congestion_ops; two loads of an algorithm share a name */
	u64 owner; /* of its row, if the congestion control is one of ours */
	u64 acked; /* bytes */
	u32 token;
	u16 family;
	u16 local_port; /* host order, as is the next */
	u16 remote_port;
	u8 state;
	u8 own_choice; /* 1: set by TCP_CONGESTION, which accepted sockets inherit */
	u8 unloaded; /* 1: sockets can no longer select its tcp_congestion_ops */
	u8 fallback; /* 1: the other end did not answer with MPTCP */
	u8 local[16]; /* IPv4: the first four bytes */
	u8 remote[16];
	char name[16];
	char connection[16]; /* the name that the MPTCP socket gives to subflows when it sets their options */
};

/* Rust has the same struct. */
_Static_assert(sizeof(struct ab_listed) == 104, "src/coupling.rs");

/* Iterator contexts are not kernel types, so CO-RE does not apply. */
struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

enum { TCP_ESTABLISHED = 1, TCP_CLOSE_WAIT = 8, TCP_LISTEN = 10 };

SEC("?iter/tcp")
int ab_list_subflows(struct bpf_iter__tcp *ctx)
{
	struct sock_common *common = ctx->sk_common;
	struct tcp_sock *tp = (struct tcp_sock *)common;
	struct ab_listed listed = {};
	struct mptcp_subflow_context *subflow;
	struct tcp_congestion_ops___named *ops;
	struct ab_socket private;
	struct list_head *before;
	struct mptcp_sock *mptcp;

	if (!common)
		return 0;
	listed.state = common->skc_state;
	if (listed.state != TCP_ESTABLISHED && listed.state != TCP_CLOSE_WAIT && listed.state != TCP_LISTEN)
		return 0;
	if (!BPF_CORE_READ(tp, is_mptcp))
		return 0;
	subflow = BPF_CORE_READ(tp, inet_conn.icsk_ulp_data);
	mptcp = (struct mptcp_sock *)BPF_CORE_READ(subflow, conn);
	ops = BPF_CORE_READ(tp, inet_conn.icsk_ca_ops);
	if (!mptcp || !ops)
		return 0;
	listed.ops = (u64)ops;
	listed.acked = BPF_CORE_READ(tp, bytes_acked);
	listed.token = BPF_CORE_READ(mptcp, token);
	listed.family = common->skc_family;
	listed.local_port = common->skc_num;
	listed.remote_port = __builtin_bswap16(common->skc_dport);
	listed.own_choice = BPF_CORE_READ_BITFIELD_PROBED(&tp->inet_conn, icsk_ca_setsockopt);
	listed.fallback = listed.state != TCP_LISTEN && !BPF_CORE_READ_BITFIELD_PROBED(subflow, mp_capable) &&
			  !BPF_CORE_READ_BITFIELD_PROBED(subflow, mp_join);
	/* If it has left the list, its pointer is poisoned, and reading it gives 0. */
	before = BPF_CORE_READ(ops, list.prev);
	listed.unloaded = BPF_CORE_READ(before, next) != __builtin_preserve_access_index(&ops->list);
	if (listed.family == 2) {
		__builtin_memcpy(listed.local, &common->skc_rcv_saddr, 4);
		__builtin_memcpy(listed.remote, &common->skc_daddr, 4);
	} else {
		BPF_CORE_READ_INTO((struct in6_addr *)listed.local, common, skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO((struct in6_addr *)listed.remote, common, skc_v6_daddr);
	}
	bpf_core_read(&listed.name, sizeof(listed.name), &ops->name);
	bpf_core_read(&listed.connection, sizeof(listed.connection), &mptcp->ca_name);
	if (!bpf_core_read(&private, sizeof(private), &tp->inet_conn.icsk_ca_priv))
		listed.owner = private.owner;
	bpf_seq_write(ctx->meta->seq, &listed, sizeof(listed));
	return 0;
}

#endif
