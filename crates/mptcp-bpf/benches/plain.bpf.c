/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Reno with the least that a congestion control in eBPF can do: calls to the kernel's own. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

extern void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) __ksym;
extern u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

SEC("struct_ops/cong_avoid")
void BPF_PROG(plain_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	tcp_reno_cong_avoid(sk, ack, acked);
}

/* The cost of a call that does nothing. */
SEC("struct_ops/pkts_acked")
void BPF_PROG(plain_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
}

SEC("struct_ops/ssthresh")
u32 BPF_PROG(plain_ssthresh, struct sock *sk)
{
	return tcp_reno_ssthresh(sk);
}

SEC("struct_ops/undo_cwnd")
u32 BPF_PROG(plain_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops congestion_control = {
	.cong_avoid = (void *)plain_cong_avoid,
	.pkts_acked = (void *)plain_pkts_acked,
	.ssthresh = (void *)plain_ssthresh,
	.undo_cwnd = (void *)plain_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "ab_plain",
};
