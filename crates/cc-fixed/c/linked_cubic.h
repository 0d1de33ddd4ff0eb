/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * Linked CUBIC: coupling by response functions (the book, "Linked CUBIC"). U is the mean window that a single CUBIC flow
 * would have at a path's loss rate, V Reno's. The target of each path is the share s = eta V of U, and the target of all
 * together is the best path's U/T; so, with mean windows m, Y = sum m/T and V(U) = min(U, kappa U^(2/3)),
 *
 *   eta = max m/(T Y V(T Y)) = max(m (T Y)^-2, m (T Y)^(-5/3) / kappa),
 *   s = min(1, (m eta)^(1/2), m^(2/5) (eta kappa)^(3/5)).
 *
 * A path runs CUBIC with C s^4 and its Reno-friendly increase times s^2. C s^4 (t - K)^3 is C (s^(4/3) (t - K))^3:
 * the stage's clock runs slower.
 */
#ifndef AB_LINKED_CUBIC_H
#define AB_LINKED_CUBIC_H

#define AB_FIRST_SAMPLES
#define AB_PAUSES

#include "cubic_window.h"
#include "hystart.h"
#include "logarithm.h"

/* A share of 1, or a power of it: Q48. */
#define AB_SHARE_BITS 48
#define AB_SHARE_ONE (1ULL << AB_SHARE_BITS)

/* The state that congestion changes and an undo restores. */
struct ab_sharing {
	struct ab_cubic cubic;
	u64 pace; /* s^(4/3) */
	u64 mean; /* m, Q40 segments, over `time` */
	u64 time; /* Q20 us; 0 if m is the window */
	u64 until; /* us; 0 if it never began */
};

/* A path's terms of the sums. */
struct ab_member {
	u64 rate; /* m/T, Q20 segments per second */
	u32 log_mean; /* of m, in Q40 segments; Q26, as is the next one */
	u32 log_rtt; /* of T, in us */
	u32 srtt; /* the T of these values */
};

struct ab_state {
	struct ab_hystart slow_start;
	struct ab_sharing now;
	struct ab_sharing before; /* the last congestion */
	struct ab_member member; /* while m is a mean */
};

#include "first_slow_start.h"

/* Logarithms to the base 2, Q26: of a second in microseconds, and of kappa sqrt(T), where kappa = sqrt(1.5/T) K^(-2/3),
 * K^4 = 37/30, for T in microseconds. */
#define AB_LOG_SECOND 1337584924LL
#define AB_LOG_KAPPA 685036439LL

/* m, Q40 segments. */
AB_INLINE u64 ab_mean_window(const struct ab_path *p)
{
	return p->state.now.time ? p->state.now.mean : p->cwnd;
}

/* For a path that counts. */
AB_OPAQUE u32 ab_make_member(const struct ab_path *p, struct ab_member *m)
{
	if (!p || !m)
		return 0;
	m->rate = (ab_mean_window(p) >> (AB_WINDOW_BITS - AB_RATE_BITS)) * 1000000 / ab_max(p->srtt, 1);
	m->log_mean = ab_log2(ab_mean_window(p));
	m->log_rtt = ab_log2(p->srtt);
	m->srtt = p->srtt;
	return 1;
}

AB_INLINE void ab_member(const struct ab_path *p, struct ab_member *m)
{
	if (p->state.now.time && p->state.member.srtt == p->srtt)
		*m = p->state.member;
	else
		ab_make_member(p, m);
}

AB_INLINE s64 ab_larger(s64 a, s64 b)
{
	return a > b ? a : b;
}

/* log2(m), Q26, with m in segments. */
AB_INLINE s64 ab_log_mean(const struct ab_member *m)
{
	return (s64)m->log_mean - ((s64)AB_WINDOW_BITS << AB_LOG_BITS);
}

/* log2(eta), Q26, times six; and the number of paths that count. */
AB_OPAQUE s64 ab_six_eta(const struct ab_group *g, u64 now, u32 *paths)
{
	s64 reno = -(1LL << 40), cubic = reno, y;
	u64 total = 0;

	if (!g || !paths)
		return 0;
	*paths = 0;
	AB_EACH_ROW(i, g) {
		struct ab_member m = {};

		if (!ab_counts(&g->path[i], now))
			continue;
		ab_member(&g->path[i], &m);
		total += m.rate;
		reno = ab_larger(reno, ab_log_mean(&m) * 6 - (s64)m.log_rtt * 12);
		cubic = ab_larger(cubic, ab_log_mean(&m) * 6 - (s64)m.log_rtt * 7);
		++*paths;
	}
	y = ab_log2(total) - ((s64)AB_RATE_BITS << AB_LOG_BITS) - AB_LOG_SECOND;
	reno -= y * 12;
	cubic -= y * 10 + AB_LOG_KAPPA * 6;
	return ab_larger(reno, cubic);
}

/*
 * -log2(s), Q26, times sixty; 0 for a path alone. With the logarithms' errors of 2^-25 s is within 2^-23; rates are
 * known within 1e-4 at a segment per 100 s, and s within 2e-4 there.
 */
AB_INLINE u64 ab_sixty_share(const struct ab_group *g, const struct ab_path *p, u64 now)
{
	struct ab_member m = {};
	u32 paths = 0;
	s64 eta = ab_six_eta(g, now, &paths), reno, cubic;

	if (paths < 2 || !ab_counts(p, now))
		return 0;
	ab_member(p, &m);
	reno = ab_log_mean(&m) * 30 + eta * 5;
	cubic = ab_log_mean(&m) * 24 + eta * 6 + AB_LOG_KAPPA * 36 - (s64)m.log_rtt * 18;
	return ab_larger(0, ab_larger(-reno, -cubic));
}

/* Updates m: the window has been constant since the last update. */
AB_INLINE void ab_extend(struct ab_path *p, u64 now)
{
	struct ab_sharing *s = &p->state.now;
	u64 passed = s->until ? ab_min(ab_less(now, s->until), 1ULL << 40) : 0, part;

	s->until = now;
	if (!passed)
		return;
	passed <<= AB_STAGE_BITS;
	s->time = ab_min(s->time + passed, AB_LONGEST_STAGE);
	part = ab_div(passed, s->time, 60);
	if (p->cwnd > s->mean)
		s->mean += ab_mul(p->cwnd - s->mean, part, 60);
	else
		s->mean -= ab_mul(s->mean - p->cwnd, part, 60);
}

AB_INLINE void ab_added(struct ab_path *p)
{
	ab_hystart_begin(&p->state.slow_start);
	ab_cubic_restart(&p->state.now.cubic);
	p->state.now.pace = AB_SHARE_ONE;
}

AB_INLINE void ab_acked(struct ab_group *g, struct ab_path *p, const struct ab_ack *ack)
{
	struct ab_sharing *s = &p->state.now;
	u64 acked, part, share;

	/* The mean before a timeout or a long pause is obsolete. */
	if (ab_in_slow_start(p)) {
		s->time = 0;
		s->until = ack->limited ? 0 : ack->now;
	}
	acked = ab_first_slow_start(&p->state.slow_start, p, ack);
	if (!acked)
		return;
	ab_extend(p, ack->now);
	ab_make_member(p, &p->state.member);
	share = ab_sixty_share(g, p, ack->now);
	s->cubic.t = ab_min(s->cubic.t + ab_mul(ab_cubic_passed(&s->cubic, ack->now), s->pace, AB_SHARE_BITS),
			    AB_LONGEST_STAGE);
	s->pace = ab_power_down(share / 45);
	part = ab_div(acked, p->cwnd, AB_WINDOW_BITS);
	p->cwnd = ab_cubic_step(&s->cubic, p->cwnd, part, ab_mul(part, ab_power_down(share / 30), AB_SHARE_BITS),
				ab_mul((u64)p->srtt << AB_STAGE_BITS, s->pace, AB_SHARE_BITS));
}

AB_INLINE void ab_congestion(struct ab_group *g, struct ab_path *p, u64 now)
{
	p->state.before = p->state.now;
	p->state.now.time -= p->state.now.time / 2; /* not 0 */
	ab_reduce_to(p, ab_cubic_reduce(&p->state.now.cubic, p->cwnd));
}

/* RFC 9438, section 4.8; the earlier mean is obsolete. */
AB_INLINE void ab_timed_out(struct ab_path *p)
{
	p->state.now.cubic.from_plateau = 1;
	p->state.now.time = 0;
	p->state.now.until = 0;
}

AB_INLINE void ab_spurious(struct ab_group *g, struct ab_path *p)
{
	p->state.now = p->state.before;
	p->state.member.srtt = 0; /* of another mean */
}

AB_INLINE void ab_app_limited(struct ab_path *p, u64 now)
{
	ab_cubic_pause(&p->state.now.cubic, now);
	p->state.now.until = now;
}

#ifdef AB_NATIVE
#define AB_OBSERVABLES 4

/* share, single, eta, mean: of a path that counts */
static void ab_observe(const struct ab_group *g, u32 r, u64 now, double *out)
{
	const struct ab_path *p = &g->path[r];
	double mean = ab_to_real(ab_mean_window(p)), share;
	u32 paths;
	s64 eta = ab_six_eta(g, now, &paths);

	if (!ab_counts(p, now))
		return;
	share = __builtin_exp2(-(double)ab_sixty_share(g, p, now) / 60 / 0x1p26);
	out[0] = share;
	out[1] = mean / share;
	out[2] = __builtin_exp2((double)eta / 6 / 0x1p26);
	out[3] = mean;
}
#endif

#endif
