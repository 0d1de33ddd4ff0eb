//! Measurements of paths, from their congestion controllers.

use crate::clock::Clock;
use anabranch_cc::noq::{Event, Observer};
use anabranch_net::Time;
use anabranch_record::{Measured, Meter};
use std::borrow::Cow;

/// Bytes of a full packet that are not stream data: the header's first byte, an 8-byte connection id and a 2-byte packet number, the
/// 16 bytes of the AEAD tag, and a STREAM frame's type, stream id and offset.
pub(crate) const OVERHEAD: u64 = 1 + 8 + 2 + 16 + 1 + 1 + 4;

/// Counters from the start of the run. A packet is one that counts for congestion control.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counters {
    pub(crate) sent: u64,
    pub(crate) sent_bytes: u64,
    /// Stream bytes of acknowledged packets, by [`payload`].
    pub(crate) delivered_bytes: u64,
    /// Packets deemed lost, whose data is retransmitted.
    pub(crate) deemed_lost: u64,
    pub(crate) recoveries: u64,
    pub(crate) persistent: u64,
    pub(crate) spurious: u64,
}

/// The stream bytes of a packet of that size.
pub(crate) fn payload(bytes: u64) -> u64 {
    bytes.saturating_sub(OVERHEAD)
}

/// The meters of a connection's paths.
pub(crate) struct Meters {
    clock: Clock,
    /// The scenario's path that begins next, and those of the stack's paths, in the order in which they began.
    pub(crate) next: usize,
    pub(crate) began: Vec<usize>,
    /// By the scenario's path.
    pub(crate) paths: Vec<PathMeter>,
}

impl Meters {
    pub(crate) fn new(clock: Clock, paths: usize, observables: usize) -> Meters {
        let path = |_| PathMeter { of: Meter::new(observables), ..PathMeter::default() };
        Meters { clock, next: 0, began: Vec::new(), paths: (0..paths).map(path).collect() }
    }

    /// The scenario's path `p` has no window from now on. Returns which of the stack's paths it was.
    pub(crate) fn leave(&mut self, p: usize, now: Time) -> Option<usize> {
        self.paths[p].leave(now);
        self.began.iter().rposition(|began| *began == p)
    }

    /// Packets sent and not deemed lost, on all paths.
    pub(crate) fn sent(&self) -> u64 {
        self.paths.iter().map(|path| path.counters.sent.saturating_sub(path.counters.deemed_lost)).sum()
    }
}

impl Observer for Meters {
    fn observe(&mut self, path: usize, event: Event) {
        if path == self.began.len() {
            self.began.push(self.next);
        }
        let meter = &mut self.paths[self.began[path]];
        let counters = &mut meter.counters;
        match event {
            Event::Window { now, cwnd } => meter.window(self.clock.time(now), cwnd),
            Event::RoundTrip { now, rtt } => {
                meter.round_trip(self.clock.time(now), Time::from_nanos(rtt.as_nanos() as u64));
            }
            Event::Sent(bytes) => {
                counters.sent += 1;
                counters.sent_bytes += payload(bytes.into());
            }
            Event::Acked(bytes) => counters.delivered_bytes += payload(bytes),
            Event::Lost => counters.deemed_lost += 1,
            Event::Recovery => counters.recoveries += 1,
            Event::PersistentCongestion => counters.persistent += 1,
            Event::Spurious => counters.spurious += 1,
            _ => (),
        }
    }
}

/// A path's counters, and means while its flow is measured.
#[derive(Default)]
pub(crate) struct PathMeter {
    pub(crate) counters: Counters,
    before: Counters,
    of: Meter,
    since: Time,
    running: bool,
}

impl PathMeter {
    pub(crate) fn begin(&mut self, now: Time) {
        let (cwnd, rtt) = (self.of.cwnd.now, self.of.rtt.now);
        self.of = Meter::new(self.of.observables.len());
        (self.of.cwnd.now, self.of.rtt.now) = (cwnd, rtt);
        (self.before, self.since, self.running) = (self.counters, now, true);
    }

    pub(crate) fn end(&mut self, now: Time) {
        self.settle(now);
        self.running = false;
    }

    fn settle(&mut self, now: Time) {
        if self.running {
            let seconds = now.since(self.since).as_secs_f64();
            self.of.cwnd.hold(seconds);
            self.of.rtt.hold(seconds);
            self.since = now;
        }
    }

    /// The window from now on.
    pub(crate) fn window(&mut self, now: Time, segments: f64) {
        self.settle(now);
        self.of.cwnd.now = segments;
    }

    /// No window and no round-trip time from now on.
    fn leave(&mut self, now: Time) {
        self.settle(now);
        (self.of.cwnd.now, self.of.rtt.now) = (f64::NAN, f64::NAN);
    }

    pub(crate) fn round_trip(&mut self, now: Time, rtt: Time) {
        self.settle(now);
        if self.running {
            self.of.rtts.record(rtt.as_nanos());
        }
        self.of.rtt.now = rtt.as_secs_f64();
    }

    /// Values at a sampling instant.
    pub(crate) fn observe(&mut self, srtt_s: f64, values: &[f64]) {
        if !self.running {
            return;
        }
        if srtt_s > 0.0 {
            self.of.srtts.record(Time::from_secs_f64(srtt_s).as_nanos());
            self.of.srtt.mean.add(srtt_s, 1.0);
        }
        for (held, value) in self.of.observables.iter_mut().zip(values) {
            held.mean.add(*value, 1.0);
        }
    }

    /// The results over `seconds`; the network dropped `lost` packets.
    pub(crate) fn measured(&self, seconds: f64, lost: u64) -> Measured<'static> {
        let (now, before) = (&self.counters, &self.before);
        let sent = now.sent - before.sent;
        Measured {
            meter: Cow::Owned(self.of.clone()),
            bytes: now.delivered_bytes - before.delivered_bytes,
            seconds,
            sent,
            offered: sent,
            lost,
            retransmitted: now.deemed_lost - before.deemed_lost,
            recoveries: now.recoveries - before.recoveries,
            timeouts: now.persistent - before.persistent,
            spurious: now.spurious - before.spurious,
        }
    }
}
