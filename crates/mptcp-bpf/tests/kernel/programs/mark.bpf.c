/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* A router that marks packets instead of dropping them (RFC 3168), up to the given number. */
#include "kernel.h"
#include <bpf/bpf_helpers.h>

/* Its beginning. */
struct __sk_buff {
	u32 len;
};

char LICENSE[] SEC("license") = "Dual MIT/GPL";

u64 remaining;

SEC("tc")
int mark(struct __sk_buff *skb)
{
	u64 left = *(volatile u64 *)&remaining;

	/* Full segments: what is small may be of a connection that only controls another. Two processors may be here. */
	if (!left || skb->len < 1000 || __sync_val_compare_and_swap(&remaining, left, left - 1) != left)
		return 0;
	/* 1: it can be marked, and is now. */
	if (bpf_skb_ecn_set_ce(skb) != 1)
		__sync_fetch_and_add(&remaining, 1);
	return 0;
}
