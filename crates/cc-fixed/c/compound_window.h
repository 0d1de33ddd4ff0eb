/* SPDX-License-Identifier: GPL-2.0-only OR MIT OR Apache-2.0 */
/* The window of Compound TCP: a loss window like Reno's, and a delay window that fills free bandwidth. */
#ifndef AB_COMPOUND_WINDOW_H
#define AB_COMPOUND_WINDOW_H

#include "roots.h"
#include "units.h"

/* The delay window of a path, Q40. The loss window is the rest of the path's window. A round's increase is
 * spread over the acknowledgements of the next. */
struct ab_delay_window {
	u64 dwnd; /* segments */
	u64 per_segment; /* its increase per acknowledged segment; 0 if the last round had a queue */
};

/* w^(3/4)/8, Q40 segments per round, for a window w >= 1 in Q40: the product of the square and the fourth
 * root. Relative error 2^-26. */
AB_OPAQUE u64 ab_compound_increase(u64 window)
{
	u64 root = ab_sqrt(window >> (AB_WINDOW_BITS - 32)); /* Q32 */

	return ab_mul(root, ab_sqrt(root), 32 + 32 + 3 - AB_WINDOW_BITS);
}

/* (w^(3/4)/8 - 1)+/w: a round's increase of the delay window, per acknowledged segment. */
AB_INLINE u64 ab_compound_per_segment(u64 window)
{
	return ab_div(ab_less(ab_compound_increase(window), AB_SEGMENT), window, AB_WINDOW_BITS);
}

AB_INLINE u64 ab_loss_window(const struct ab_delay_window *d, u64 window)
{
	return ab_less(window, d->dwnd); /* the maximum window limits the sum */
}

/* Adds to the delay window, and so to the path's, for `acked` segments (Q40); returns the increase. */
AB_INLINE u64 ab_delay_window_step(struct ab_delay_window *d, u64 acked)
{
	u64 step = ab_mul(acked, d->per_segment, AB_WINDOW_BITS);

	d->dwnd = ab_min(d->dwnd + step, AB_MAX_CWND);
	return step;
}

/* A round with a negligible queue. */
AB_INLINE void ab_forge_ahead(struct ab_delay_window *d, u64 window)
{
	d->per_segment = ab_compound_per_segment(window);
}

/* A round with a queue of `diff` segments, Q40: returns the remaining window. */
AB_INLINE u64 ab_retreat(struct ab_delay_window *d, u64 window, u64 diff)
{
	u64 loss = ab_loss_window(d, window);

	d->per_segment = 0;
	d->dwnd = ab_less(d->dwnd, diff);
	return loss + d->dwnd;
}

/* Uses only the loss window until the next round is judged. */
AB_INLINE void ab_pause(struct ab_delay_window *d)
{
	d->per_segment = 0;
}

/* A loss: the loss window halves, dwnd = (w/2 - cwnd/2)+. Returns the remaining window. */
AB_INLINE u64 ab_delay_window_loss(struct ab_delay_window *d, u64 window)
{
	u64 half = ab_loss_window(d, window) / 2, rest;

	d->dwnd = ab_less(window / 2, half);
	rest = half + d->dwnd;
	if (d->per_segment)
		d->per_segment = ab_compound_per_segment(rest);
	return rest;
}

/* A timeout clears the delay window. */
AB_INLINE void ab_delay_window_timeout(struct ab_delay_window *d)
{
	d->dwnd = 0;
	d->per_segment = 0;
}

/* Slow start, which a pause of the sender can restart, has no delay window. It is never larger than the whole window.
 * */
AB_INLINE void ab_delay_window_fit(struct ab_delay_window *d, u64 window, int slow_start)
{
	if (slow_start || d->dwnd > window)
		ab_delay_window_timeout(d);
}

#endif
