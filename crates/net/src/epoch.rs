//! The epochs of a link: its properties between two changes.

use crate::fine_time::FineTime;
use crate::{Change, LinkSpec, Loss, Time};

/// A span of time in which a link does not change.
#[derive(Clone, Debug)]
pub(crate) struct Epoch {
    /// Where the next one begins.
    pub end: Time,
    /// In bits per second, between 4 and 10¹⁸; 0 while the link is down.
    pub rate_bps: f64,
    /// Transmission time of a byte.
    pub per_byte: FineTime,
    /// Propagation delay.
    pub delay: Time,
    /// The loss process that begins here.
    pub loss: Option<Loss>,
}

impl Epoch {
    #[inline]
    pub fn is_up(&self) -> bool {
        self.rate_bps > 0.0
    }
}

/// A link's properties up to its next change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkState {
    pub rate_bps: f64,
    pub delay: Time,
    pub up: bool,
    pub loss: Option<Loss>,
}

impl LinkState {
    /// The initial state of a link.
    pub fn of(spec: &LinkSpec) -> LinkState {
        LinkState { rate_bps: spec.rate_bps, delay: spec.delay, up: true, loss: None }
    }

    pub fn change(&mut self, change: &Change) {
        self.rate_bps = change.rate_bps.unwrap_or(self.rate_bps);
        self.delay = change.delay.unwrap_or(self.delay);
        self.up = change.up.unwrap_or(self.up);
        self.loss = change.loss;
    }

    /// The epoch with these properties, up to `end`.
    pub fn until(&self, end: Time) -> Epoch {
        // These bounds keep sums of transmission times and of bits finite.
        let rate = if self.rate_bps > 4.0 { self.rate_bps.min(1e18) } else { 4.0 };
        let rate_bps = if self.up { rate } else { 0.0 };
        Epoch { end, rate_bps, per_byte: FineTime::per_byte(rate), delay: self.delay, loss: self.loss }
    }
}

/// Every epoch of a link, in order; at least one. The last never ends.
pub(crate) fn epochs(spec: &LinkSpec) -> Vec<Epoch> {
    let mut changes: Vec<_> = spec.changes.iter().collect();
    changes.sort_by_key(|change| change.at);

    let mut state = LinkState::of(spec);
    let mut epochs = Vec::with_capacity(changes.len() + 1);
    for change in changes {
        epochs.push(state.until(change.at));
        state.change(change);
    }
    epochs.push(state.until(Time::NEVER));
    epochs
}
