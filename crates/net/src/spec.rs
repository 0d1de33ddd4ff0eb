//! The description of a link, from which [`crate::Link`] is made.

use crate::{Discipline, Loss, Time, Trace, TraceData};

/// One directed link: a queue, a transmitter, a propagation delay, and loss before or behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Transmission rate at IP level, in bits per second, clamped to 4 … 10¹⁸.
    pub rate_bps: f64,
    /// Propagation delay, one way.
    pub delay: Time,
    /// Period of the clock on which packets leave, as in an emulator driven by a timer (Rizzo, ACM CCR 1997): packets
    /// whose transmission would end within a period leave together at its end. Zero: each leaves when its transmission ends.
    pub tick: Time,
    /// The limit of the queue, which does not contain the packet in transmission.
    pub queue: QueueLimit,
    /// The rule that drops and marks packets, and orders them.
    pub discipline: Discipline,
    /// Random loss.
    pub loss: Loss,
    /// Where packets are lost.
    pub loss_at: LossAt,
    /// Delay beyond the propagation delay.
    pub jitter: Jitter,
    /// Changes at given instants, in order of time; empty if there is a trace.
    pub changes: Vec<Change>,
    /// A trace that the link follows. `rate_bps` is then its mean rate, and `delay` its shortest delay if it sets the delay.
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

    /// The shortest propagation delay over time.
    pub fn shortest_delay(&self) -> Time {
        self.changes.iter().filter_map(|change| change.delay).fold(self.delay, Time::min)
    }

    /// The highest rate over time, in bits per second.
    pub fn highest_rate_bps(&self) -> f64 {
        let traced = self.trace.as_ref().map_or(0.0, Trace::max_rate_bps);
        let changed = self.changes.iter().filter_map(|change| change.rate_bps);
        changed.fold(self.rate_bps.max(traced), f64::max)
    }

    /// Whether packets arrive in order, and never two in one nanosecond: nothing changes the delay, and packets leave apart, without a
    /// clock or delivery opportunities. At 100 Gbit/s the smallest packet, of 52 bytes, takes 4 ns.
    pub fn delivers_apart(&self) -> bool {
        let steps = match self.trace.as_ref().map(|trace| &trace.data) {
            None => &[],
            Some(TraceData::Steps(steps)) => &steps[..],
            Some(TraceData::Opportunities(_)) => return false,
        };
        let is_steady = self.changes.iter().chain(steps).all(|change| change.delay.is_none());
        let leave_apart = self.tick == Time::ZERO && self.highest_rate_bps() < 100e9;
        is_steady && self.jitter == Jitter::default() && leave_apart
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

/// Where a link loses packets at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossAt {
    /// Before the queue: a lost packet takes no room in the queue and no transmission time.
    #[default]
    Entry,
    /// After transmission: a lost packet has waited and was transmitted, as one damaged on the wire.
    Exit,
}

/// Random delay after transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jitter {
    /// Bound of the extra delay, which is uniform from zero, changes with time and does not reorder packets.
    pub up_to: Time,
    /// Correlation time of the extra delay; at least 2/π of `up_to`, so that packets keep their order.
    pub correlation: Time,
    /// Probability that a packet is held back by `reorder_delay`, while later ones overtake it.
    pub reorder_rate: f64,
    /// How long such a packet is held back.
    pub reorder_delay: Time,
}

impl Jitter {
    /// A delay up to `up_to` that rises and falls by half a second per second: its correlation time is 4/π of `up_to`.
    pub fn bounded(up_to: Time) -> Jitter {
        let correlation = Time::from_secs_f64(up_to.as_secs_f64() * 4.0 / std::f64::consts::PI);
        Jitter { up_to, correlation, ..Jitter::default() }
    }
}

/// A change at an instant; `None` leaves a property unchanged.
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
    /// `false`: the link goes down, and waiting and arriving packets are lost. `true`: the link comes up again.
    pub up: Option<bool>,
}
