//! The epochs of a link that follows a trace. They are made in batches, as the trace repeats without end.

use crate::epoch::{Epoch, LinkState};
use crate::{Change, LinkSpec, Time, Trace};
use std::sync::Arc;

/// Number of epochs made at a time.
const BATCH: usize = 64;

/// Steps of a trace that repeats after each period.
#[derive(Clone, Debug)]
pub(crate) struct TraceSteps {
    steps: Arc<[Change]>,
    period: Time,
    /// Where in the trace the run began.
    start: Time,
    /// The step after the latest epoch, and when its repetition of the trace began, since the start of the trace.
    next: usize,
    round: Time,
    state: LinkState,
}

impl TraceSteps {
    /// At least one step, from `start` on; `begun` is the link at that time.
    pub fn new(steps: &Arc<[Change]>, period: Time, start: Time, begun: &LinkSpec) -> TraceSteps {
        let present = Trace::step_at(steps, start);
        let mut new = TraceSteps {
            steps: steps.clone(),
            period,
            start,
            next: present,
            round: Time::ZERO,
            state: LinkState::of(begun),
        };
        new.advance();
        new
    }

    fn advance(&mut self) {
        self.next += 1;
        if self.next == self.steps.len() {
            (self.next, self.round) = (0, self.round + self.period);
        }
    }

    /// Appends the next epochs.
    pub fn extend(&mut self, epochs: &mut Vec<Epoch>) {
        for _ in 0..BATCH {
            let step = &self.steps[self.next];
            epochs.push(self.state.until((self.round + step.at).since(self.start)));
            self.state.change(step);
            self.advance();
        }
    }
}
