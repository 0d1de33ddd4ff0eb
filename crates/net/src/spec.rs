//! What a link is: the description from which [`crate::Link`] is made.

use crate::{Aqm, Time};

/// One directed link: loss on entry, a queue, a transmitter, a propagation delay.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Transmission rate at IP level, in bits per second; positive. Taken as 4 or 10¹⁸ where it is beyond.
    pub rate_bps: f64,
    /// Propagation delay, one way.
    pub delay: Time,
    /// Period of the clock on which packets leave, as in an emulator that is driven by a timer (Rizzo, ACM CCR 1997):
    /// all whose transmission would have ended within a period leave together at its end. Zero: each when its
    /// transmission ends.
    pub tick: Time,
    /// How much may wait for the transmitter, beside the packet in transmission.
    pub queue: QueueLimit,
    /// What the queue does before it is full; `None`: nothing, it is a drop-tail queue.
    pub aqm: Option<Aqm>,
    /// Mark ECN-capable packets (RFC 3168) that find this much waiting, in bytes. Of no effect beside `aqm`.
    pub ecn_threshold_bytes: Option<u64>,
    /// Random loss on entry.
    pub loss: Loss,
    /// Delay beyond the propagation delay.
    pub jitter: Jitter,
    /// Changes at given instants, in order of time.
    pub changes: Vec<Change>,
}

impl LinkSpec {
    /// A drop-tail queue without random loss, jitter, clock or changes.
    pub fn new(rate_bps: f64, delay: Time, queue: QueueLimit) -> LinkSpec {
        LinkSpec {
            rate_bps,
            delay,
            tick: Time::ZERO,
            queue,
            aqm: None,
            ecn_threshold_bytes: None,
            loss: Loss::None,
            jitter: Jitter::default(),
            changes: Vec::new(),
        }
    }
}

/// The limit of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueLimit {
    /// That many packets, of any size.
    Packets(u64),
    /// That many bytes.
    Bytes(u64),
}

/// A loss process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Nothing is lost.
    None,
    /// Each packet is lost with this probability, independently.
    Bernoulli {
        /// Probability, 0 to 1.
        rate: f64,
    },
    /// Every `n`-th packet is lost.
    EveryNth {
        /// Positive; the first packet lost is the `n`-th.
        n: u64,
    },
    /// Two states, each with its loss probability; the state may change with each packet
    /// (Gilbert 1960, Elliott 1963). It starts in the good state.
    GilbertElliott {
        /// Probability to turn bad, per packet.
        good_to_bad: f64,
        /// Probability to turn good, per packet.
        bad_to_good: f64,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
    },
}

/// Random delay after transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jitter {
    /// Each packet's extra delay is uniform between zero and this. It does not reorder packets.
    pub up_to: Time,
    /// Probability that a packet is held back by `reorder_delay`, while later ones overtake it.
    pub reorder_rate: f64,
    /// How long such a packet is held back.
    pub reorder_delay: Time,
}

/// What changes at an instant; `None` leaves a property as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// When.
    pub at: Time,
    /// New rate, in bits per second.
    pub rate_bps: Option<f64>,
    /// New propagation delay, for packets whose transmission ends after the change.
    pub delay: Option<Time>,
    /// New loss process.
    pub loss: Option<Loss>,
    /// `false`: the link goes down, what waits is lost and so is what arrives. `true`: it is up again.
    pub up: Option<bool>,
}
