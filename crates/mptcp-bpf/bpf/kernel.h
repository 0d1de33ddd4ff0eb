/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* Types of the kernel, with the few fields that the programs use. When a program is loaded, libbpf looks up the place of
 * each field in the running kernel's BTF (CO-RE). So one object runs on every kernel that has these fields. */
#ifndef AB_KERNEL_H
#define AB_KERNEL_H

#include "fixed.h"

typedef unsigned short u16;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef signed char __s8;
typedef short __s16;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;
typedef _Bool bool;

enum { false, true };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	u8 in6_u[16];
};

struct ns_common {
	unsigned int inum;
};

typedef struct {
	u32 val;
} kuid_t;

struct user_namespace {
	struct user_namespace *parent;
	kuid_t owner;
};

struct net {
	struct user_namespace *user_ns;
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

typedef struct {
	int counter;
} atomic_t;

typedef struct refcount_struct {
	atomic_t refs;
} refcount_t;

struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	refcount_t skc_refcnt;
};

struct sock {
	struct sock_common __sk_common;
	kuid_t sk_uid;
};

struct list_head {
	struct list_head *next, *prev;
};

/* The kernel's tcp_congestion_ops, for reading. libbpf fills in the one below. */
struct tcp_congestion_ops___named {
	struct list_head list; /* the list of all that sockets can select */
	char name[16];
};

struct inet_connection_sock {
	struct tcp_congestion_ops___named *icsk_ca_ops;
	u8 icsk_ca_state : 5;
	u8 icsk_ca_setsockopt : 1;
	void *icsk_ulp_data;
	u64 icsk_ca_priv[13];
};

struct minmax_sample {
	u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_rack {
	u32 rtt_us;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 snd_una;
	u32 snd_nxt;
	u32 snd_cwnd;
	u32 snd_ssthresh;
	u32 snd_cwnd_clamp;
	u32 undo_marker;
	u32 srtt_us;
	u32 rttvar_us;
	struct minmax rtt_min;
	struct tcp_rack rack;
	u32 max_packets_out;
	u32 packets_out;
	u32 sacked_out;
	u32 lost_out;
	u32 retrans_out;
	u32 total_retrans;
	u32 data_segs_out;
	u32 delivered;
	u32 lost;
	u32 rate_delivered;
	u32 rate_interval_us;
	u32 mss_cache;
	u64 bytes_sent;
	u64 bytes_retrans;
	u64 bytes_acked;
	u64 tcp_mstamp;
	u8 is_cwnd_limited : 1;
	bool is_mptcp;
};

struct mptcp_subflow_context {
	struct sock *conn;
	u32 mp_capable : 1;
	u32 mp_join : 1;
};

struct mptcp_sock {
	u32 token;
	char ca_name[16];
};

#pragma clang attribute pop

enum tcp_ca_event { CA_EVENT_TX_START };

enum { TCP_CA_CWR = 2, TCP_CA_Recovery = 3, TCP_CA_Loss = 4 };

enum { TCP_CONG_NON_RESTRICTED = 1 };

enum { BPF_ANY, BPF_NOEXIST };

enum { EBUSY = 16 };

enum { BPF_MAP_TYPE_HASH = 1 };

enum { BPF_F_NO_PREALLOC = 1 };

struct ack_sample;

/* libbpf matches the members by name with those of the running kernel. */
struct tcp_congestion_ops {
	/* Since Linux 7.1. First, where src/load.rs clears it for earlier kernels. */
	void (*cwnd_event_tx_start)(struct sock *sk);
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

_Static_assert(__builtin_offsetof(struct tcp_congestion_ops, cwnd_event_tx_start) == 0, "src/load.rs clears the first member");

#endif
