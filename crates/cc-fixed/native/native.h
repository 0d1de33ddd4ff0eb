/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * One algorithm behind a table of functions, ab_native_NAME. The file that includes this one has included the algorithm's
 * header with AB_NATIVE defined. A header with observables then has
 *
 *   #define AB_OBSERVABLES N
 *   void ab_observe(const struct ab_group *, u32 row, u64 now, double *out)    write those that have a value
 */
#ifndef AB_NATIVE_H
#define AB_NATIVE_H

#include "real.h"
#include "together.h"

/* The public values of a row. */
struct ab_view {
	u64 owner;
	double cwnd; /* segments */
	double ssthresh; /* segments; infinite until the first congestion */
	u32 srtt; /* us; 0 before the first sample */
	u32 min_rtt; /* us; AB_NO_RTT before the first */
};

/* The acknowledgements that a row has not received yet, which the kernel's glue keeps in a socket's private area. */
struct ab_pending {
	struct ab_waiting waiting;
	struct ab_ack ack; /* all of them as one */
	u64 any; /* whether there is one */
};

/* Rows are given by their number, below AB_PATHS. Without a place for pending acknowledgements (a null pointer), the
 * row receives each at once. */
struct ab_native {
	u64 group_size; /* bytes */
	void (*added)(struct ab_group *g, u32 r, u64 owner, double cwnd, u32 srtt);
	void (*removed)(struct ab_group *g, u32 r);
	void (*ack)(struct ab_group *g, u32 r, struct ab_pending *pending, const struct ab_ack *ack);
	void (*congestion)(struct ab_group *g, u32 r, struct ab_pending *pending, u64 now);
	void (*timed_out)(struct ab_group *g, u32 r);
	void (*spurious)(struct ab_group *g, u32 r);
	/* Sending resumes at `now`, us, after a pause without data in flight. */
	void (*paused)(struct ab_group *g, u32 r, u64 now);
	void (*set)(struct ab_group *g, u32 r, double cwnd, double ssthresh);
	int (*adopt)(struct ab_group *g, u32 r, u32 cwnd, u32 ssthresh);
	void (*view)(const struct ab_group *g, u32 r, struct ab_view *out);
	u64 observables; /* the number of the header's observables */
	/* The algorithm's observables at `now`, us, in the order of its entry, NaN for undefined values; n numbers at
	 * most. */
	void (*observe)(const struct ab_group *g, u32 r, u64 now, double *out, u32 n);
};

/* Rust has the same structs. */
#include "layout.h"

static void ab_native_added(struct ab_group *g, u32 r, u64 owner, double cwnd, u32 srtt)
{
	g->taken |= 1 << r;
	g->path[r].owner = owner;
	ab_path_added(&g->path[r], ab_from_real(cwnd), srtt);
	ab_added(&g->path[r]);
}

/* As in the kernel's glue, the row keeps its content until another path uses it or the last path leaves. */
static void ab_native_removed(struct ab_group *g, u32 r)
{
	ab_path_removed(&g->path[r]);
	g->path[r].owner = 0;
	for (u32 i = 0; i < AB_PATHS; i++)
		if (g->path[i].owner)
			return;
	__builtin_memset(g, 0, sizeof(*g));
}

/* Adds an acknowledgement. */
static void ab_native_pend(struct ab_pending *pending, const struct ab_ack *ack)
{
	struct ab_ack *all = &pending->ack;

	pending->any = 1;
	ab_sampled(&all->rtt, ack->rtt.last);
	all->now = ack->now;
	all->delivered += ack->delivered;
	all->srtt = ack->srtt;
	all->ends_round |= ack->ends_round;
	all->burst = ack->burst;
	all->rto = ack->rto;
}

static void ab_native_forget(struct ab_pending *pending)
{
	pending->ack = (struct ab_ack){};
	pending->any = 0;
}

static void ab_native_tell(struct ab_group *g, u32 r, const struct ab_ack *ack)
{
	ab_on_sample(&g->path[r], ack);
	ab_on_ack(g, &g->path[r], ack);
}

static void ab_native_ack(struct ab_group *g, u32 r, struct ab_pending *pending, const struct ab_ack *ack)
{
	struct ab_path *p = &g->path[r];

	if (!pending) {
		ab_native_tell(g, r, ack);
		return;
	}
	ab_native_pend(pending, ack);

	struct ab_sender sender = {
		.now = ack->now,
		.has_row = 1,
		.cwnd = p->cwnd >> AB_WINDOW_BITS,
		.ssthresh = ab_whole_ssthresh(p),
		.in_flight = ack->rto != 0,
		.limited = ack->limited,
		.ends_round = pending->ack.ends_round,
	};

	if (ab_waits(&pending->waiting, &sender, ack->acked, &pending->ack))
		return;
	ab_tell_pause(&pending->waiting, p);
	ab_native_tell(g, r, &pending->ack);
	ab_shows(&pending->waiting, ack->now, sender.in_flight);
	ab_native_forget(pending);
}

static void ab_native_congestion(struct ab_group *g, u32 r, struct ab_pending *pending, u64 now)
{
	struct ab_path *p = &g->path[r];

	/* Passes earlier measurements to the row, as in the glue's ssthresh(). */
	if (pending && pending->any) {
		pending->ack.now = now;
		ab_on_sample(p, &pending->ack);
		ab_shows(&pending->waiting, now, pending->ack.rto != 0);
		ab_native_forget(pending);
	}
	if (pending)
		ab_discard(&pending->waiting);
	ab_on_congestion(g, p, now);
}

static void ab_native_timed_out(struct ab_group *g, u32 r)
{
	ab_on_timeout(&g->path[r]);
}

static void ab_native_spurious(struct ab_group *g, u32 r)
{
	struct ab_path *p = &g->path[r];

	/* The caller's window has not outgrown the former one, and may be smaller than the row's. */
	p->cwnd = ab_min(p->cwnd, p->before_cwnd);
	ab_on_spurious(g, p);
}

static void ab_native_paused(struct ab_group *g, u32 r, u64 now)
{
	ab_app_limited(&g->path[r], now);
}

static void ab_native_set(struct ab_group *g, u32 r, double cwnd, double ssthresh)
{
	g->path[r].cwnd = ab_from_real(cwnd);
	g->path[r].ssthresh = ab_from_real(ssthresh);
	ab_settle(&g->path[r]);
}

static int ab_native_adopt(struct ab_group *g, u32 r, u32 cwnd, u32 ssthresh)
{
	return ab_adopt(&g->path[r], cwnd, ssthresh);
}

static void ab_native_view(const struct ab_group *g, u32 r, struct ab_view *out)
{
	const struct ab_path *p = &g->path[r];

	*out = (struct ab_view){ p->owner, ab_to_real(p->cwnd), ab_to_real(p->ssthresh), p->srtt, p->min_rtt };
}

static void ab_native_observe(const struct ab_group *g, u32 r, u64 now, double *out, u32 n)
{
#ifdef AB_OBSERVABLES
	double all[AB_OBSERVABLES];

	for (u32 i = 0; i < AB_OBSERVABLES; i++)
		all[i] = __builtin_nan("");
	ab_observe(g, r, now, all);
	for (u32 i = 0; i < AB_OBSERVABLES && i < n; i++)
		out[i] = all[i];
#endif
}

#ifndef AB_OBSERVABLES
#define AB_OBSERVABLES 0
#endif

#define AB_EXPORT(TABLE)                                                                                        \
	const struct ab_native TABLE = {                                                                        \
		.group_size = sizeof(struct ab_group),                                                          \
		.added = ab_native_added,                                                                       \
		.removed = ab_native_removed,                                                                   \
		.ack = ab_native_ack,                                                                           \
		.congestion = ab_native_congestion,                                                             \
		.timed_out = ab_native_timed_out,                                                               \
		.spurious = ab_native_spurious,                                                                 \
		.paused = ab_native_paused,                                                                     \
		.set = ab_native_set,                                                                           \
		.adopt = ab_native_adopt,                                                                       \
		.view = ab_native_view,                                                                         \
		.observables = AB_OBSERVABLES,                                                                  \
		.observe = ab_native_observe,                                                                   \
	}

#endif
