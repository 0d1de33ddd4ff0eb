/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/*
 * How differently the round-trip times of a connection's paths fluctuate, compared on each loss on any of
 * them: ADW-BALIA (Kim, Song, Mahmud, Cho, 2021). D is a path's largest less its smallest sample between
 * its last two losses, and A the moving average of their means.
 *
 * A belongs to the connection, and a subflow writes its own row only. So each row holds the newest comparison
 * that it has seen, numbered, and takes over a newer one of another row before it does anything else. So the connection has the
 * same knowledge as with one place for it, except in one case. Where two paths lose at
 * the same time on two processors, both make a comparison of the same number and one of them lasts: A is
 * one loss older. A path that takes the row of one that has left keeps its comparison.
 */
#ifndef AB_FLUCTUATION_H
#define AB_FLUCTUATION_H

#include "units.h"

/* Times here: microseconds in Q20. D < 2^27 us, so that 10 of them and nine of them added up fit. */
#define AB_FLUCTUATION_BITS 20

/* The connection's state since its last loss. */
struct ab_comparison {
	u64 average; /* A; rounded up, so that it does not come to 0: within 2^-18 us */
	u64 away; /* max |D - A|; 0 with fewer than two paths to compare */
	u32 known; /* 0 before there is an A */
	u32 loss; /* the number of its loss; 0 before the first */
	u32 number; /* the newest one has the largest; 0 in a new connection */
};

struct ab_state {
	struct ab_comparison last;
	struct ab_comparison before; /* what an undo restores */
	u32 loss; /* the number of the path's last loss */
	u32 fluctuation; /* D + 1, whole microseconds; 0 before there is one */
	u32 fluctuation_before; /* what an undo restores */
};

#define AB_KEEPS_STATE

#include "group.h"

/* A new path in the row: only the connection's state stays. */
AB_INLINE void ab_keep_comparison(struct ab_path *p)
{
	__builtin_memset(&p->state.before, 0, sizeof(p->state.before));
	p->state.loss = 0;
	p->state.fluctuation = 0;
	p->state.fluctuation_before = 0;
}

/* The row with the newest comparison. */
AB_OPAQUE u32 ab_newest(const struct ab_group *g)
{
	u32 newest = 0, number = 0;

	if (!g)
		return 0;
	AB_EACH_ROW(i, g)
		if (g->path[i].state.last.number > number) {
			number = g->path[i].state.last.number;
			newest = i;
		}
	return newest;
}

/* Takes over the newest comparison. Rows of paths that have left hold theirs until the row is used again. */
AB_INLINE void ab_catch_up(const struct ab_group *g, struct ab_path *p)
{
	u32 newest = ab_newest(g);

	if (newest < AB_PATHS && g->path[newest].state.last.number > p->state.last.number)
		p->state.last = g->path[newest].state.last;
}

/* Whether the path has a D, and counts. */
AB_INLINE int ab_fluctuates(const struct ab_path *p, u64 now)
{
	return ab_counts(p, now) && p->state.fluctuation;
}

/* D, whole microseconds. */
AB_INLINE u64 ab_fluctuation(const struct ab_path *p)
{
	return ab_less(p->state.fluctuation, 1);
}

/* A = (1 - b) A + b mean D with b = 5/8 (Eq. 4), from the sum of n paths' D. The first value is the first mean. */
AB_OPAQUE u64 ab_average(u64 average, u32 known, u64 sum, u32 n)
{
	u64 mean;

	if (!n)
		return average;
	mean = (sum << AB_FLUCTUATION_BITS) / n;
	return known ? (3 * average + 5 * mean + 7) / 8 : mean;
}

/* The larger of `away` and |D - A|; 0 with fewer than two paths to compare. */
AB_OPAQUE u64 ab_farther(u64 away, u64 average, u64 d, u32 n)
{
	d <<= AB_FLUCTUATION_BITS;
	return n < 2 ? 0 : ab_max(away, d > average ? d - average : average - d);
}

AB_OPAQUE u64 ab_compare(const struct ab_group *g, u64 now, struct ab_comparison *c)
{
	u64 sum = 0, away = 0;
	u32 n = 0;

	if (!g || !c)
		return 0;
	AB_EACH_ROW(i, g)
		if (ab_fluctuates(&g->path[i], now)) {
			sum += ab_fluctuation(&g->path[i]);
			n++;
		}
	c->average = ab_average(c->average, c->known, sum, n);
	c->known |= n;
	AB_EACH_ROW(i, g)
		if (ab_fluctuates(&g->path[i], now))
			away = ab_farther(away, c->average, ab_fluctuation(&g->path[i]), n);
	c->away = away;
	return away;
}

/* The level by d = max |D - A| / A (Fig. 4): 0 up to 10 %, 1 up to 20 %, else 2. */
AB_INLINE u32 ab_level(const struct ab_comparison *c)
{
	if (10 * c->away <= c->average)
		return 0;
	return 5 * c->away <= c->average ? 1 : 2;
}

/* Compares at a loss on path p, before its measurements restart. */
AB_INLINE void ab_compare_on_loss(const struct ab_group *g, struct ab_path *p, u64 now)
{
	struct ab_comparison *c = &p->state.last;

	ab_catch_up(g, p);
	p->state.before = *c;
	p->state.fluctuation_before = p->state.fluctuation;
	if (p->span.min_rtt <= p->span.max_rtt)
		p->state.fluctuation = p->span.max_rtt - p->span.min_rtt + 1;
	ab_compare(g, now, c);
	c->number++;
	c->loss = c->number;
	p->state.loss = c->loss;
}

/* The loss was spurious: restores the previous state, unless another path has had a loss since. */
AB_INLINE void ab_forget_loss(const struct ab_group *g, struct ab_path *p)
{
	u32 number;

	ab_catch_up(g, p);
	p->state.fluctuation = p->state.fluctuation_before;
	if (p->state.last.loss != p->state.loss)
		return;
	number = p->state.last.number;
	p->state.last = p->state.before;
	p->state.last.number = number + 1;
}

#endif
