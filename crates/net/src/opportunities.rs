//! Delivery opportunities: the transmitter of a link that follows a mahimahi trace.

use crate::{Time, Trace};
use std::sync::Arc;

/// The next opportunity with bytes left, in a trace that repeats after each period.
#[derive(Clone, Debug)]
pub(crate) struct Opportunities {
    at: Arc<[Time]>,
    period: Time,
    /// Where in the trace the run began.
    start: Time,
    index: usize,
    /// When its repetition of the trace began, since the start of the trace.
    round: Time,
    /// When it comes, since the start of the run.
    pub next: Time,
    /// Bytes that it can still deliver, positive.
    left: u32,
}

impl Opportunities {
    /// The opportunities of a trace, at least one, from `start` on.
    pub fn new(at: &Arc<[Time]>, period: Time, start: Time) -> Opportunities {
        let mut new = Opportunities {
            at: at.clone(),
            period,
            start,
            index: 0,
            round: Time::ZERO,
            next: Time::ZERO,
            left: Trace::OPPORTUNITY,
        };
        new.go_to(Time::ZERO);
        new
    }

    /// The queue is empty at `now`: skips the opportunities up to then.
    #[inline]
    pub fn pass(&mut self, now: Time) {
        if self.next <= now {
            self.go_to(now);
        }
    }

    /// Moves to the first opportunity after `now`.
    fn go_to(&mut self, now: Time) {
        let (round, index) = self.place(now);
        (self.round, self.index) = (self.period.times(round), index);
        self.begin();
    }

    /// The number of full repetitions of the trace by `now`, and of opportunities in the current one.
    fn place(&self, now: Time) -> (u64, usize) {
        let now = (now + self.start).as_nanos();
        let within = Time::from_nanos(now % self.period.as_nanos());
        (now / self.period.as_nanos(), self.at.partition_point(|&at| at <= within))
    }

    /// Delivers a packet after all others; returns when its last byte leaves.
    #[inline]
    pub fn deliver(&mut self, bytes: u32) -> Time {
        let mut rest = bytes;
        while rest > self.left {
            rest -= self.left;
            self.advance();
        }
        self.left -= rest;
        let at = self.next;
        if self.left == 0 {
            self.advance();
        }
        at
    }

    #[inline]
    fn advance(&mut self) {
        self.index += 1;
        self.begin();
    }

    /// The opportunity of this index is the next, that after the last of a round the first of another.
    #[inline]
    fn begin(&mut self) {
        self.left = Trace::OPPORTUNITY;
        if self.index == self.at.len() {
            (self.round, self.index) = (self.round + self.period, 0);
        }
        self.next = (self.round + self.at[self.index]).since(self.start);
    }

    /// Bytes that opportunities up to `now` could have delivered since the start of the run.
    pub fn capacity(&self, now: Time) -> f64 {
        (self.count(now) - self.count(Time::ZERO)) as f64 * f64::from(Trace::OPPORTUNITY)
    }

    /// Bytes given to it that leave after `now`, if unused opportunities up to `now` were skipped.
    pub fn backlog(&self, now: Time) -> f64 {
        if self.next <= now {
            return 0.0;
        }
        let ahead = u128::from(self.round.as_nanos() / self.period.as_nanos()) * self.at.len() as u128
            + self.index as u128;
        // All opportunities from the first one after `now` up to the next one are used.
        let used = ahead.saturating_sub(self.count(now)) as f64;
        used * f64::from(Trace::OPPORTUNITY) + f64::from(Trace::OPPORTUNITY - self.left)
    }

    /// Opportunities of the trace up to `now`, from its start.
    fn count(&self, now: Time) -> u128 {
        let (round, index) = self.place(now);
        u128::from(round) * self.at.len() as u128 + index as u128
    }
}
