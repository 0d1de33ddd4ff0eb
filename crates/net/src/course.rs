//! The epochs of a link that follows a trace, made as they come: there is no end of them.

use crate::epoch::{Epoch, State};
use crate::{Change, LinkSpec, Time, Trace};
use std::sync::Arc;

/// So many epochs are made at a time.
const BATCH: usize = 64;

/// Steps of a trace that begins anew after each period.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    steps: Arc<[Change]>,
    period: Time,
    /// Where in the trace the run began.
    start: Time,
    /// The step behind the latest epoch, and when its round of the trace began, since the trace's beginning.
    next: usize,
    round: Time,
    state: State,
}

impl Steps {
    /// Those of a trace, at least one, from `start` on; the link is as it is then.
    pub fn new(steps: &Arc<[Change]>, period: Time, start: Time, begun: &LinkSpec) -> Steps {
        let present = Trace::step_at(steps, start);
        let mut new = Steps {
            steps: steps.clone(),
            period,
            start,
            next: present,
            round: Time::ZERO,
            state: State::of(begun),
        };
        new.count_on();
        new
    }

    fn count_on(&mut self) {
        self.next += 1;
        if self.next == self.steps.len() {
            (self.next, self.round) = (0, self.round + self.period);
        }
    }

    /// Puts the next epochs behind those that there are.
    pub fn extend(&mut self, epochs: &mut Vec<Epoch>) {
        for _ in 0..BATCH {
            let step = &self.steps[self.next];
            epochs.push(self.state.until((self.round + step.at).since(self.start)));
            self.state.change(step);
            self.count_on();
        }
    }
}
