//! Rules that act once per round trip, by what the round measured: the algorithms that watch the delay.

use crate::{Ack, Path, Seconds, Segments};

/// The measurements of a complete round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// The round-trip time, mean or smallest sample.
    pub(crate) rtt: Seconds,
    /// The smallest round-trip time of the path, which stands for the one without a queue.
    pub(crate) base: Seconds,
    /// Whether its samples are from after the last congestion. Earlier ones show the queue that has
    /// been answered already.
    pub(crate) clean: bool,
}

impl Round {
    /// The path's last complete round, by its mean sample; `None` before there was one.
    #[inline]
    pub(crate) fn last(path: &Path) -> Option<Round> {
        let round = Round { rtt: path.round_rtt, base: path.min_rtt, clean: true };
        (round.rtt > 0.0).then_some(round)
    }

    /// The same round by its smallest sample.
    pub(crate) fn by_smallest(self, path: &Path) -> Round {
        Round { rtt: path.round_min_rtt, ..self }
    }

    /// RTT − base.
    #[inline]
    pub(crate) fn queueing(&self) -> Seconds {
        (self.rtt - self.base).max(0.0) // a mean of equal samples may round below them
    }

    /// w (RTT − base)/RTT: how much of the window waits in queues.
    #[inline]
    pub(crate) fn diff(&self, window: Segments) -> Segments {
        window * self.queueing() / self.rtt
    }
}

/// Finds the acknowledgements at which such a rule acts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    /// The round count from which on it acts again.
    next: u64,
    /// The round count from which on rounds are clean; the largest until the window may grow again.
    clean: u64,
}

impl Rounds {
    /// The round that has been completed since the last call; the window may grow by the
    /// acknowledgement that completes it.
    #[inline]
    pub(crate) fn complete(&mut self, path: &Path, ack: &Ack) -> Option<Round> {
        if ack.acked <= 0.0 {
            return None;
        }
        if self.clean == u64::MAX {
            // Segments sent from here on are acknowledged in the second round from now.
            self.clean = path.round.saturating_add(2);
        }
        if path.round < self.next {
            return None;
        }
        self.next = path.round.saturating_add(1);
        Round::last(path).map(|round| Round { clean: path.round >= self.clean, ..round })
    }

    /// Congestion: rounds are not clean until recovery is over and a round has passed.
    pub(crate) fn congestion(&mut self) {
        self.clean = u64::MAX;
    }
}

/// The interpretation that all of them share.
pub(crate) const INTERPRETATION: &str = "The rule acts on the first acknowledgement of a round that may grow the window. Until a whole round has been sent after a loss, the delay does not lower the window again: those samples show the queue that the loss has answered.";

/// The interpretation of the smallest round-trip time.
pub(crate) const BASE: &str =
    "base is the smallest sample of the path's life; a route that becomes longer is taken for a queue.";

/// The interpretation of marks and timeouts.
pub(crate) const LOSS: &str = "ECN marks and timeouts count as losses; after a timeout the window is one segment. No rule lowers the window below two segments.";
