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

/// The meters of a connection's paths, in the order in which they began.
pub(crate) struct Meters {
    clock: Clock,
    observables: usize,
    /// Whether the flow is measured now, and so a path that begins.
    is_measured: bool,
    pub(crate) paths: Vec<PathMeter>,
}

impl Meters {
    pub(crate) fn new(clock: Clock, observables: usize) -> Meters {
        Meters { clock, observables, is_measured: false, paths: Vec::new() }
    }

    pub(crate) fn begin(&mut self, now: Time) {
        self.is_measured = true;
        self.paths.iter_mut().for_each(|path| path.begin(now));
    }

    pub(crate) fn end(&mut self, now: Time) {
        self.is_measured = false;
        self.paths.iter_mut().for_each(|path| path.end(now));
    }
}

impl Observer for Meters {
    fn observe(&mut self, path: usize, event: Event) {
        let is_new = path == self.paths.len();
        if is_new {
            self.paths.push(PathMeter::new(self.observables));
        }
        let meter = &mut self.paths[path];
        let counters = &mut meter.counters;
        match event {
            Event::Window { now, cwnd } => {
                let now = self.clock.time(now);
                meter.window(now, cwnd);
                if is_new && self.is_measured {
                    meter.begin(now);
                }
            }
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
pub(crate) struct PathMeter {
    pub(crate) counters: Counters,
    before: Counters,
    of: Meter,
    since: Time,
    running: bool,
}

impl PathMeter {
    pub(crate) fn new(observables: usize) -> PathMeter {
        PathMeter {
            counters: Counters::default(),
            before: Counters::default(),
            of: Meter::new(observables),
            since: Time::ZERO,
            running: false,
        }
    }

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

    /// A sample of the round-trip time.
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
