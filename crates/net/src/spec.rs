//! The description of a link, from which [`crate::Link`] is made.

use crate::{Discipline, Loss, Time, Trace};

/// One directed link: a queue, a transmitter, a propagation delay, and loss before or behind them.
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
    /// The rule that drops and marks packets, and orders them.
    pub discipline: Discipline,
    /// Random loss.
    pub loss: Loss,
    /// Where it takes packets.
    pub loss_at: LossAt,
    /// Delay beyond the propagation delay.
    pub jitter: Jitter,
    /// Changes at given instants, in order of time; none beside a trace.
    pub changes: Vec<Change>,
    /// A trace that the link follows. `rate_bps` is its mean then, and `delay` its shortest, where it sets the delay.
    pub trace: Option<Trace>,
}

impl LinkSpec {
    /// A drop-tail queue without marks, random loss, jitter, clock, changes or a trace.
    pub fn new(rate_bps: f64, delay: Time, queue: QueueLimit) -> LinkSpec {
        LinkSpec {
            rate_bps,
            delay,
            tick: Time::ZERO,
            queue,
            discipline: Discipline::default(),
            loss: Loss::None,
            loss_at: LossAt::Entry,
            jitter: Jitter::default(),
            changes: Vec::new(),
            trace: None,
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

/// Where a link's loss process takes packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossAt {
    /// Before the queue: a lost packet takes no room and no transmission time.
    #[default]
    Entry,
    /// Behind the transmitter: a lost packet has waited and was transmitted, as one that is damaged on the wire.
    Exit,
}

/// Random delay after transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jitter {
    /// A packet's extra delay is uniform between zero and this. It changes with time and does not reorder packets.
    pub up_to: Time,
    /// Its correlation time; taken as 2/π of `up_to` where it is shorter, since it could not keep the order then.
    pub correlation: Time,
    /// Probability that a packet is held back by `reorder_delay`, while later ones overtake it.
    pub reorder_rate: f64,
    /// How long such a packet is held back.
    pub reorder_delay: Time,
}

impl Jitter {
    /// A delay up to `up_to` that rises and falls by half a second per second: its correlation time is 4/π of `up_to`.
    pub fn wandering(up_to: Time) -> Jitter {
        let correlation = Time::from_secs_f64(up_to.as_secs_f64() * 4.0 / std::f64::consts::PI);
        Jitter { up_to, correlation, ..Jitter::default() }
    }
}

/// A change at an instant; `None` leaves a property as it is.
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
    /// `false`: the link goes down, and packets that wait or arrive are lost. `true`: it is up again.
    pub up: Option<bool>,
}
