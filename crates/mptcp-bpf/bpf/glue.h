/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * The glue between the kernel's sockets and an algorithm. The kernel calls the functions of a `tcp_congestion_ops`; each
 * of them moves fields of the socket into the algorithm's table, runs the algorithm's header, and moves window and
 * threshold back. algorithm.bpf.c includes an algorithm's header and then this one.
 *
 * Linux runs one congestion control for each subflow of an MPTCP connection. The subflows find each other in a map, by the
 * connection's token (connections.h). Each subflow has a row there, and writes no other row. A TCP socket, and an MPTCP
 * connection that fell back to TCP, is a connection of one path.
 */
#include "connections.h"
#include "ghosts.h"
#include "subflows.h"
/* Rust has the same structs. */
#include "layout.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* A socket without a row uses the kernel's Reno. */
extern void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) __ksym;
extern u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

/* tcp_is_cwnd_limited(). The window of an application-limited sender must not grow (RFC 7661). */
AB_INLINE u32 ab_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

/*
 * The largest window and threshold that the glue accepts, in segments. One vendor's kernel skips some calls of BPF programs
 * and reads their results from uninitialised stack memory, which gives thresholds and windows of millions of segments.
 * Upstream Linux has not done that since 6.1. `anabranch kernel doctor` recognises such a kernel by its types
 * (src/layout.rs).
 */
#define AB_PLAUSIBLE (AB_MAX_CWND >> AB_WINDOW_BITS)

AB_INLINE u32 ab_plausible(struct tcp_sock *tp)
{
	return tp->snd_cwnd <= AB_PLAUSIBLE &&
	       (tp->snd_ssthresh <= AB_PLAUSIBLE || tp->snd_ssthresh == AB_WHOLE_NO_SSTHRESH);
}

/* The next two functions are AB_OPAQUE, so the verifier checks an algorithm's code once per program. */
AB_OPAQUE u64 ab_step(struct ab_group *g, u32 row, const struct ab_ack *ack)
{
	if (!g || !ack || row >= AB_PATHS)
		return 0;
	ab_on_sample(&g->path[row], ack);
	ab_on_ack(g, &g->path[row], ack);
	return 1;
}

AB_OPAQUE u64 ab_react(struct ab_group *g, u32 row, u64 now)
{
	if (!g || row >= AB_PATHS)
		return 0;
	/* Most algorithms do not read the time. Older compilers then leave its register uninitialised, even in callers,
	 * but the verifier requires a number in it. */
	asm volatile("" ::"r"(now));
	ab_on_congestion(g, &g->path[row], now);
	return 1;
}

/* Gives the algorithm's window and threshold to the kernel. */
AB_INLINE void ab_publish(struct tcp_sock *tp, const struct ab_path *p)
{
	u32 cwnd = p->cwnd >> AB_WINDOW_BITS, ssthresh = ab_whole_ssthresh(p);

	tp->snd_cwnd = cwnd < tp->snd_cwnd_clamp ? cwnd : tp->snd_cwnd_clamp;
	if (ssthresh != tp->snd_ssthresh)
		tp->snd_ssthresh = ssthresh;
}

AB_INLINE u32 ab_round_ended(struct tcp_sock *tp, struct ab_socket *s)
{
	return (s32)(tp->snd_una - s->round_end) >= 0;
}

/* The kernel's enum tcp_ca_state. */
AB_INLINE u8 ab_state_of(struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
}

/*
 * The round-trip time of the segment that was delivered last, which the kernel keeps for RACK (RFC 8985, section 6.2). RACK
 * takes no sample that must belong to an earlier transmission. A peer without selective acknowledgements leaves RACK
 * unused: the smoothed round-trip time stands in then.
 */
AB_INLINE u32 ab_latest_rtt(struct tcp_sock *tp)
{
	return tp->rack.rtt_us ? tp->rack.rtt_us : tp->srtt_us >> 3;
}

/* Keeps that sample for the row if a segment has been delivered since the last sample. After a timeout an acknowledgement
 * may belong to an earlier transmission (Karn's algorithm): recovery from it gives no samples. */
AB_INLINE void ab_keep_sample(struct tcp_sock *tp, struct ab_socket *s)
{
#ifdef AB_SAMPLES
	if (tp->delivered == s->sampled || ab_state_of(tp) == TCP_CA_Loss)
		return;
	s->sampled = tp->delivered;
	ab_sampled(&s->rtt, ab_latest_rtt(tp));
#endif
}

/* HyStart++ has no limit here: the kernel merges segments before it acknowledges them, and one acknowledgement stands for
 * dozens. Its own slow start does not end by it either. */
#define AB_NO_BURST 0xffffffff

/* RFC 6298, us. The kernel keeps the variation at its smallest timeout or above. */
AB_INLINE u32 ab_timeout(struct tcp_sock *tp)
{
	return (tp->srtt_us >> 3) + tp->rttvar_us;
}

/* Collects the measurements since the row's last update. */
AB_INLINE void ab_gather(struct tcp_sock *tp, struct ab_socket *s, struct ab_path *p, struct ab_ack *ack)
{
	ack->now = tp->tcp_mstamp;
	ack->burst = AB_NO_BURST;
	ack->delivered = tp->delivered - s->delivered;
	ack->srtt = tp->srtt_us >> 3;
	if (tp->packets_out)
		ack->rto = ab_timeout(tp);
	s->delivered = tp->delivered;
#ifdef AB_SAMPLES
	ack->rtt = s->rtt;
	s->rtt = (struct ab_samples){};
#else
	/* The kernel's own minimum, over the last five minutes. */
	if (tp->rtt_min.s[0].v < p->min_rtt)
		p->min_rtt = ab_min(tp->rtt_min.s[0].v, AB_MAX_RTT);
#endif
#ifdef AB_FIRST_SAMPLES
	if (p->ssthresh == AB_NO_SSTHRESH && ack->delivered)
		ab_sampled(&ack->rtt, ab_latest_rtt(tp));
#endif
	if (ab_round_ended(tp, s)) {
		ack->ends_round = 1;
		s->round_end = tp->snd_nxt;
	}
}

/* Brings the row's numbers up to date for a monitor, once in 10 ms at most: they lie in cache lines that the kernel has
 * not touched for the acknowledgement. They may be older if the row receives acknowledgements later (together.h).
 * During recovery, the row shows its start and its end. */
AB_INLINE void ab_show(struct tcp_sock *tp, struct ab_socket *s, struct ab_subflow *f)
{
	u64 now = tp->tcp_mstamp;

	if (!ab_shows(&s->waiting, now, tp->packets_out))
		return;
	f->mss = tp->mss_cache;
	f->updated = now;
	f->acked = tp->bytes_acked;
	f->sent = tp->bytes_sent;
	f->resent = tp->bytes_retrans;
	f->in_flight = tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
	f->sent_segments = tp->data_segs_out;
	f->resent_segments = tp->total_retrans;
	f->delivered = tp->delivered;
	f->lost = tp->lost;
	f->rate_delivered = tp->rate_delivered;
	f->rate_interval = tp->rate_interval_us;
}

SEC("struct_ops/init")
void BPF_PROG(ab_init, struct sock *sk)
{
	__builtin_memset(ab_socket(sk), 0, sizeof(struct ab_socket));
	ab_socket(sk)->open = 1;
	__sync_fetch_and_add(&counters.sockets, 1);
	ab_remove_leftovers();
}

SEC("struct_ops/release")
void BPF_PROG(ab_release, struct sock *sk)
{
	struct ab_socket *s = ab_socket(sk);
	struct ab_connection *c = ab_lookup(s);
	u32 row = s->row;

	if (!s->open)
		return;
	s->open = 0;
	/* A sweep for rows without a socket may have released this row (ghosts.h). */
	if (c && row < AB_PATHS && !ab_vacate(&c->group.path[row], s->owner))
		return;
	__sync_fetch_and_add(&counters.sockets, -1);
	if (!c || row >= AB_PATHS)
		return;
	s->owner = 0;
	ab_return_share(c->subflow[row].user);
	/* First the path stops counting for the others; then another socket may take the row. */
	ab_path_removed(&c->group.path[row]);
	__sync_lock_test_and_set(&c->group.path[row].owner, 0);
	ab_leave(c);
	ab_remove_leftovers();
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(ab_cong_avoid, struct sock *sk, u32 acked_to, u32 acked)
{
	struct tcp_sock *tp = ab_tcp(sk);
	struct ab_socket *s = ab_socket(sk);
	struct ab_connection *c;
	struct ab_subflow *f;
	struct ab_path *p;
	struct ab_ack ack = {};
	struct ab_sender sender = {
		.now = tp->tcp_mstamp,
		.has_row = s->owner && ab_plausible(tp),
		.cwnd = tp->snd_cwnd,
		.ssthresh = tp->snd_ssthresh,
		.in_flight = tp->packets_out,
		.limited = ab_limited(tp),
		.ends_round = ab_round_ended(tp, s),
	};
	u32 row;

	s->congested = AB_CALM;
	ab_keep_sample(tp, s);
	if (ab_waits(&s->waiting, &sender, acked, &ack))
		return;
	c = ab_find(sk);
	row = s->row;
	if (!c || row >= AB_PATHS) {
		tcp_reno_cong_avoid(sk, acked_to, acked);
		return;
	}
	p = &c->group.path[row];
	f = &c->subflow[row];
	if (!ab_adopt(p, tp->snd_cwnd, tp->snd_ssthresh)) {
		ab_react(&c->group, row, tp->tcp_mstamp);
		ack.acked = 0; /* the segments came before the congestion */
	}
	ab_gather(tp, s, p, &ack);
	ab_tell_pause(&s->waiting, p);
	ab_step(&c->group, row, &ack);
	ab_publish(tp, p);
	ab_show(tp, s, f);
}

SEC("struct_ops/ssthresh")
u32 BPF_PROG(ab_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = ab_tcp(sk);
	struct ab_connection *c = ab_find(sk);
	struct ab_socket *s = ab_socket(sk);
	struct ab_path *p;
	struct ab_ack ack = {};
#ifdef AB_SAMPLES
	struct ab_ack after = {};
#endif
	u32 row = s->row;

	if (!c || row >= AB_PATHS)
		return tcp_reno_ssthresh(sk);
	p = &c->group.path[row];
	ab_adopt(p, tp->snd_cwnd, tp->snd_ssthresh);
	ab_gather(tp, s, p, &ack);
	ab_on_sample(p, &ack);
	ab_react(&c->group, row, ack.now);
#ifdef AB_SAMPLES
	/* The acknowledgement that reveals a loss is the only sample of the recovery, and counts as after the loss. */
	ab_keep_sample(tp, s);
	ab_gather(tp, s, p, &after);
	ab_on_sample(p, &after);
#endif
	s->congested = AB_REACTED;
	ab_discard(&s->waiting);
	return ab_whole_ssthresh(p);
}

AB_INLINE u32 ab_reduces(u8 state)
{
	return state == TCP_CA_CWR || state == TCP_CA_Recovery;
}

SEC("struct_ops/set_state")
void BPF_PROG(ab_set_state, struct sock *sk, u8 state)
{
	struct tcp_sock *tp = ab_tcp(sk);
	struct ab_socket *s = ab_socket(sk);
	struct ab_connection *c;
	struct ab_subflow *f;
	struct ab_path *p;
	/* The kernel sets the new state after this call. */
	u8 from = ab_state_of(tp);
	u32 row, late;

	if (state < TCP_CA_CWR && from < TCP_CA_CWR && ab_plausible(tp))
		return;
	c = ab_find(sk);
	row = s->row;
	if (!c || row >= AB_PATHS)
		return;
	p = &c->group.path[row];
	f = &c->subflow[row];
	/* The kernel calls ssthresh() before this. It does not when a timeout follows another one, or CWR becomes
	 * Recovery. This also compensates a reaction that a vendor's kernel skipped. */
	late = ab_reduces(state) && !ab_reduces(from) && s->congested != AB_REACTED;
	late |= !ab_plausible(tp) || !ab_believes_ssthresh(p, tp->snd_ssthresh);
	if (late) {
		ab_react(&c->group, row, tp->tcp_mstamp);
		s->congested = AB_REACTED;
		ab_discard(&s->waiting);
	}
	if (state == TCP_CA_Recovery)
		f->recoveries++;
	/* The kernel does not call cong_avoid() in a recovery. The path counts until the recovery ends or times out. CWR ends
	 * when data sent after its start is acknowledged: in the second round at the latest, or never if none is sent. */
	if (state == TCP_CA_Recovery)
		p->counts_until = AB_ALWAYS;
	if (state == TCP_CA_CWR)
		p->counts_until = tp->tcp_mstamp + 2 * (u64)ab_timeout(tp);
	/* After a reduction of the MTU, the kernel also retransmits segments in this state, without setting an
	 * undo_marker. After CWR, neither a timeout nor a smaller MTU sets one. */
	if (state == TCP_CA_Loss && (tp->undo_marker || from == TCP_CA_CWR)) {
		f->timeouts++;
		if (s->congested != AB_CALM)
			ab_on_timeout(p);
	}
	if (late)
		ab_publish(tp, p);
	s->congested = ab_reduces(state) ? AB_RECOVERS : AB_CALM;
	ab_show(tp, s, f);
}

#ifdef AB_PAUSES
/* Sending resumes after a pause without data in flight. */
AB_INLINE void ab_resume(struct sock *sk)
{
	struct ab_connection *c = ab_socket(sk)->owner ? ab_find(sk) : 0;
	u32 row = ab_socket(sk)->row;

	if (c && row < AB_PATHS)
		ab_app_limited(&c->group.path[row], ab_tcp(sk)->tcp_mstamp);
}

SEC("struct_ops/cwnd_event")
void BPF_PROG(ab_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_TX_START)
		ab_resume(sk);
}

/* Linux 7.1 and later call cwnd_event_tx_start for that event, and cwnd_event only for other events. */
SEC("struct_ops/cwnd_event_tx_start")
void BPF_PROG(ab_tx_start, struct sock *sk)
{
	ab_resume(sk);
}
#endif

SEC("struct_ops/undo_cwnd")
u32 BPF_PROG(ab_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = ab_tcp(sk);
	struct ab_socket *s = ab_socket(sk);
	/* A new row has nothing to undo. */
	struct ab_connection *c = ab_lookup(s);
	struct ab_subflow *f;
	struct ab_path *p;
	u32 cwnd;

	if (!c || s->row >= AB_PATHS)
		return tcp_reno_undo_cwnd(sk);
	p = &c->group.path[s->row];
	/* Before the first write: after it the verifier no longer knows the bounds of s->row. */
	f = &c->subflow[s->row];
	if (ab_on_spurious(&c->group, p))
		f->undone++;
	cwnd = p->cwnd >> AB_WINDOW_BITS;
	return ab_believes_cwnd(p, tp->snd_cwnd) ? ab_max(cwnd, tp->snd_cwnd) : cwnd;
}

/* A call costs time, so only algorithms with AB_PAUSES have these. */
#ifdef AB_PAUSES
#define AB_EVENT                                                                                                \
	.cwnd_event = (void *)ab_cwnd_event,                                                                    \
	.cwnd_event_tx_start = (void *)ab_tx_start,
#else
#define AB_EVENT
#endif

/* The congestion control that the kernel lists as NAME. */
#define AB_CONGESTION_CONTROL(NAME)                                                                             \
	SEC(".struct_ops.link")                                                                                 \
	struct tcp_congestion_ops congestion_control = {                                                        \
		.init = (void *)ab_init,                                                                        \
		.release = (void *)ab_release,                                                                  \
		.cong_avoid = (void *)ab_cong_avoid,                                                            \
		.ssthresh = (void *)ab_ssthresh,                                                                \
		.set_state = (void *)ab_set_state,                                                              \
		.undo_cwnd = (void *)ab_undo_cwnd,                                                              \
		AB_EVENT                                                                               \
		.flags = TCP_CONG_NON_RESTRICTED, /* a namespace may select it */                               \
		.name = NAME,                                                                                   \
	}
