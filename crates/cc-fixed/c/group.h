/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * The table of a connection's paths, one row per subflow, with measurements of each. An algorithm's
 * header defines `struct ab_state`, its own state per row, before it includes this one, or defines AB_STATELESS.
 *
 * Each subflow writes its own row only, and reads the others' while these may change on another
 * processor: a row's fields can be a few acknowledgements apart, never meaningless.
 */
#ifndef AB_GROUP_H
#define AB_GROUP_H

#include "units.h"

#ifdef AB_STATELESS
struct ab_state {
};
#endif

/* MPTCP has the initial subflow and at most eight more (MPTCP_PM_ADDR_MAX). */
#define AB_PATHS 9

/* Measured round-trip times, us. All zeros: no samples. */
struct ab_samples {
	u64 sum;
	u32 count;
	u32 last;
	u32 min;
	u32 max;
};

/* The information of an acknowledgement, or of several that are handled together. */
struct ab_ack {
	struct ab_samples rtt;
	u64 now;       /* its arrival time, us */
	u32 acked;     /* segments that may grow the window; 0 if growth is not allowed */
	u32 delivered; /* segments newly delivered, selectively acknowledged ones included */
	u32 srtt;      /* the smoothed round-trip time, with these samples, us; 0 before the first */
	u32 ends_round; /* whether data sent after the last such step is acknowledged */
	u32 limited;   /* whether the window limited the sender (RFC 7661) */
	u32 burst;     /* the most of acked that HyStart++ lets grow the window in its slow start: L of RFC 9406 */
	u64 rto;       /* the timeout of data in flight after it, us; 0 without data in flight */
};

/* Measurements between congestion events. */
struct ab_span {
	u32 delivered; /* segments since the last event; saturates */
	u32 delivered_between; /* between the last two; 0 until the first */
	u32 min_rtt; /* samples since the last event, us; AB_NO_RTT and 0 before the first */
	u32 max_rtt;
};

/* Fields that other rows read or each acknowledgement needs come first, to use few cache lines. */
struct ab_path {
	u64 owner; /* the socket's cookie; 0 if the row is free */
	u64 cwnd; /* Q40 segments */
	u64 ssthresh; /* Q40 segments */
	u64 rate; /* cwnd / srtt, Q20 segments per second; 0 without a round-trip time */
	u64 counts_until; /* us: the time until which the path counts; 0 if it does not count now */
	u32 srtt; /* us; 0 before the first sample */
	u32 min_rtt; /* smallest sample, us; AB_NO_RTT before the first */
	struct ab_span span;
	u32 sample; /* the last sample of the last acknowledgement, us; 0 without one */
	u32 round; /* counts round trips */
	u32 round_min_rtt; /* smallest sample of the last round that had one, us */
	u64 round_rtt; /* their mean, Q32 us; 0 before the first such round */
	u32 samples; /* the current round: the number of samples, their sum and the smallest */
	u64 samples_sum;
	u32 samples_min;
	u32 can_undo; /* whether `before` holds the path's state before an event that may be spurious */
	u64 largest_cwnd; /* Q40 segments */
	u64 before_cwnd;
	u64 before_ssthresh;
	u64 before_counts_until;
	struct ab_span before_span;
	struct ab_state state;
};

struct ab_group {
	u64 taken; /* bit i: whether row i was ever used; unused rows are all zeros */
	struct ab_path path[AB_PATHS];
};

/* Iterates over rows up to the last one ever used: most connections have two, and this avoids fetching the others from
 * memory. Use it in AB_OPAQUE functions, because the verifier would check the following code once per possible end. */
#define AB_EACH_ROW(i, g) for (u32 i = 0; i < AB_PATHS && (g)->taken >> i; i++)

/*
 * Whether a row counts in the sums over the paths: it has data in flight, or was acknowledged within AB_COUNTED_RTTS smoothed
 * round-trip times. This tolerates an application that pauses between flights: after a few round trips the path still counts,
 * after a longer pause it does not. Data in flight is deemed lost after a retransmission timeout.
 */
#define AB_COUNTED_RTTS 4

/* A value of counts_until: without limit, until it is set again. */
#define AB_ALWAYS (~0ULL)

AB_INLINE int ab_counts(const struct ab_path *p, u64 now)
{
	return now < p->counts_until;
}

AB_INLINE int ab_in_slow_start(const struct ab_path *p)
{
	return p->cwnd < p->ssthresh;
}

/* Clamps the window and publishes its rate. */
AB_INLINE void ab_settle(struct ab_path *p)
{
	p->cwnd = ab_min(ab_max(p->cwnd, AB_MIN_CWND), AB_MAX_CWND);
	p->largest_cwnd = ab_max(p->largest_cwnd, p->cwnd);
	/* Q40 to Q20 first: 2^40 x 10^6 fits. */
	p->rate = p->srtt ? (p->cwnd >> (AB_WINDOW_BITS - AB_RATE_BITS)) * 1000000 / p->srtt : 0;
}

/* The end of a new row's zeros. With AB_KEEPS_STATE, the state holds the connection's state, of which ab_added() clears
 * the path's own fields. */
#ifdef AB_KEEPS_STATE
#define AB_CLEARED __builtin_offsetof(struct ab_path, state)
#else
#define AB_CLEARED sizeof(struct ab_path)
#endif

/* Initialises the row of a new path that has not sent data: its window, and the smoothed round-trip time if the
 * handshake measured it (us; 0 if not). The caller has claimed the row (`owner`). */
AB_INLINE void ab_path_added(struct ab_path *p, u64 cwnd, u32 srtt)
{
	/* Except the owner, which is first: the row must never appear free. */
	__builtin_memset(&p->cwnd, 0, AB_CLEARED - __builtin_offsetof(struct ab_path, cwnd));
	p->cwnd = cwnd;
	p->ssthresh = AB_NO_SSTHRESH;
	p->srtt = ab_min(srtt, AB_MAX_RTT);
	p->min_rtt = AB_NO_RTT;
	p->samples_min = AB_NO_RTT;
	p->span.min_rtt = AB_NO_RTT;
	ab_settle(p);
}

/* The path no longer counts for the others. */
AB_INLINE void ab_path_removed(struct ab_path *p)
{
	p->rate = 0;
	p->counts_until = 0;
}

/* sum / n, Q32, for 0 < n and a mean below 2^32; rounded down. */
AB_INLINE u64 ab_mean(u64 sum, u32 n)
{
	return sum / n << AB_TIME_BITS | (sum % n << AB_TIME_BITS) / n;
}

/* Adds a sample; 0 means no sample. */
AB_INLINE void ab_sampled(struct ab_samples *s, u32 rtt)
{
	if (!rtt)
		return;
	rtt = ab_min(rtt, AB_MAX_RTT);
	s->min = s->count ? ab_min(s->min, rtt) : rtt;
	s->max = ab_max(s->max, rtt);
	s->sum += rtt;
	s->last = rtt;
	s->count++;
}

/* Updates the row's measurements with an acknowledgement; its samples belong to the round that it ends. */
AB_INLINE void ab_measure(struct ab_path *p, const struct ab_ack *ack)
{
	const struct ab_samples *rtt = &ack->rtt;

	p->srtt = ab_min(ack->srtt, AB_MAX_RTT);
	p->counts_until = p->srtt ? ack->now + (ack->rto ? ack->rto : AB_COUNTED_RTTS * (u64)p->srtt) : 0;
	p->sample = rtt->last;
	p->span.delivered = ab_min((u64)p->span.delivered + ack->delivered, ~0U);
	if (rtt->count) {
		p->min_rtt = ab_min(p->min_rtt, rtt->min);
		p->span.min_rtt = ab_min(p->span.min_rtt, rtt->min);
		p->span.max_rtt = ab_max(p->span.max_rtt, rtt->max);
		p->samples += rtt->count;
		p->samples_sum += rtt->sum;
		p->samples_min = ab_min(p->samples_min, rtt->min);
	}
	if (ack->ends_round) {
		p->round++;
		if (p->samples) {
			p->round_rtt = ab_mean(p->samples_sum, p->samples);
			p->round_min_rtt = p->samples_min;
			p->samples = 0;
			p->samples_sum = 0;
			p->samples_min = AB_NO_RTT;
		}
	}
}

/* Called before the algorithm's reaction to congestion: stores the state for an undo. */
AB_INLINE void ab_remember(struct ab_path *p)
{
	p->can_undo = 1;
	p->before_cwnd = p->cwnd;
	p->before_ssthresh = p->ssthresh;
	p->before_counts_until = p->counts_until;
	p->before_span = p->span;
}

/* Called after the algorithm's reaction to congestion: restarts the measurements between events. */
AB_INLINE void ab_lost(struct ab_path *p)
{
	p->span.delivered_between = p->span.delivered;
	p->span.delivered = 0;
	p->span.min_rtt = AB_NO_RTT;
	p->span.max_rtt = 0;
}

/* The last congestion was spurious: restores the window (RFC 4015, section 3.2), unless it has grown beyond that (RFC
 * 9438, section 4.9). Returns whether it restored it. */
AB_INLINE int ab_undo(struct ab_path *p)
{
	if (!p->can_undo)
		return 0;
	p->can_undo = 0;
	if (p->cwnd > p->before_cwnd)
		return 0;
	p->cwnd = p->before_cwnd;
	p->ssthresh = p->before_ssthresh;
	p->span.delivered = ab_min((u64)p->span.delivered + p->before_span.delivered, ~0U);
	p->span.delivered_between = p->before_span.delivered_between;
	p->span.min_rtt = ab_min(p->span.min_rtt, p->before_span.min_rtt);
	p->span.max_rtt = ab_max(p->span.max_rtt, p->before_span.max_rtt);
	if (!p->counts_until) /* a timeout, without an acknowledgement since */
		p->counts_until = p->before_counts_until;
	return 1;
}

#endif
