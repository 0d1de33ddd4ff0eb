//! A link's life, cut at its changes.

use crate::fine::Fine;
use crate::{LinkSpec, Loss, Time};

/// A span of time in which a link does not change.
#[derive(Clone, Debug)]
pub(crate) struct Epoch {
    /// Where the next one begins.
    pub end: Time,
    /// In bits per second, between 4 and 10¹⁸; 0 while the link is down.
    pub rate_bps: f64,
    /// Transmission time of a byte.
    pub per_byte: Fine,
    /// Propagation delay.
    pub delay: Time,
    /// The loss process that begins here.
    pub loss: Option<Loss>,
}

impl Epoch {
    pub fn is_up(&self) -> bool {
        self.rate_bps > 0.0
    }
}

/// Every epoch of a link, in order; at least one. The last never ends.
pub(crate) fn epochs(spec: &LinkSpec) -> Vec<Epoch> {
    let mut changes: Vec<_> = spec.changes.iter().collect();
    changes.sort_by_key(|change| change.at);

    let (mut rate_bps, mut delay, mut up, mut loss) = (spec.rate_bps, spec.delay, true, None);
    let ends = changes.iter().map(|change| change.at).chain([Time::NEVER]);
    let mut epochs = Vec::with_capacity(changes.len() + 1);
    for (i, end) in ends.enumerate() {
        // These bounds keep sums of transmission times and of bits finite, whatever is given.
        let rate = if rate_bps > 4.0 { rate_bps.min(1e18) } else { 4.0 };
        let rate_while_up = if up { rate } else { 0.0 };
        epochs.push(Epoch { end, rate_bps: rate_while_up, per_byte: Fine::per_byte(rate), delay, loss });
        if let Some(change) = changes.get(i) {
            rate_bps = change.rate_bps.unwrap_or(rate_bps);
            delay = change.delay.unwrap_or(delay);
            up = change.up.unwrap_or(up);
            loss = change.loss;
        }
    }
    epochs
}
