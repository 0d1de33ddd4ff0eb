//! Opportunities to deliver: the transmitter of a link that follows a mahimahi trace.

use crate::{Time, Trace};
use std::sync::Arc;

/// The next opportunity of which something is left, in a trace that begins anew after each period.
#[derive(Clone, Debug)]
pub(crate) struct Opportunities {
    at: Arc<[Time]>,
    period: Time,
    /// Where in the trace the run began.
    start: Time,
    /// The next one's index.
    index: usize,
    /// When its round of the trace began, since the trace's beginning.
    round: Time,
    /// When it comes, since the beginning of the run.
    next: Time,
    /// Bytes left of it, positive.
    left: u32,
}

impl Opportunities {
    /// Those of a trace of which there is at least one, from `start` on.
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

    /// When the next one comes.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Nothing waits at `now`: opportunities up to then pass unused.
    #[inline]
    pub fn pass(&mut self, now: Time) {
        if self.next <= now {
            self.go_to(now);
        }
    }

    /// To the first one after `now`.
    fn go_to(&mut self, now: Time) {
        let (round, index) = self.place(now);
        (self.round, self.index, self.left) = (self.period.times(round), index, Trace::OPPORTUNITY);
        if self.index == self.at.len() {
            (self.round, self.index) = (self.round + self.period, 0);
        }
        self.next = (self.round + self.at[self.index]).since(self.start);
    }

    /// How often the trace was over by `now`, and how many opportunities of the present round there were.
    fn place(&self, now: Time) -> (u64, usize) {
        let now = (now + self.start).as_nanos();
        let within = Time::from_nanos(now % self.period.as_nanos());
        (now / self.period.as_nanos(), self.at.partition_point(|&at| at <= within))
    }

    /// Delivers a packet behind all others: when its last byte leaves.
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
        self.left = Trace::OPPORTUNITY;
        self.index += 1;
        if self.index == self.at.len() {
            (self.round, self.index) = (self.round + self.period, 0);
        }
        self.next = (self.round + self.at[self.index]).since(self.start);
    }

    /// Bytes that opportunities up to `now` could have delivered since the beginning of the run.
    pub fn capacity(&self, now: Time) -> f64 {
        (self.count(now) - self.count(Time::ZERO)) as f64 * f64::from(Trace::OPPORTUNITY)
    }

    /// Bytes of what was given to it that leave after `now`, where it has passed what was unused by then.
    pub fn backlog(&self, now: Time) -> f64 {
        if self.next <= now {
            return 0.0;
        }
        let ahead = u128::from(self.round.as_nanos() / self.period.as_nanos()) * self.at.len() as u128
            + self.index as u128;
        // From the first one after now to the next one, all are used.
        let used = ahead.saturating_sub(self.count(now)) as f64;
        used * f64::from(Trace::OPPORTUNITY) + f64::from(Trace::OPPORTUNITY - self.left)
    }

    /// Opportunities of the trace up to `now`, from its beginning.
    fn count(&self, now: Time) -> u128 {
        let (round, index) = self.place(now);
        u128::from(round) * self.at.len() as u128 + index as u128
    }
}
