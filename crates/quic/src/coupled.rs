//! One algorithm over all paths of a connection, behind the controllers that the QUIC stack has for each path.
//!
//! The stack asks its factory for a controller whenever a path begins, without the path's id. So a factory belongs to one
//! connection, and each `build` is a new row of the connection's group. A clone, which the stack makes when a path's address
//! changes, shares the row: it is the same path. The last of them frees the row.

use crate::clock::Clock;
use crate::meter::{PathMeter, payload};
use anabranch_cc::{Ack, Congestion, Group, Signal};
use anabranch_net::Time;
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The congestion control of one connection.
pub(crate) struct Coupled {
    clock: Clock,
    initial_window: f64,
    initial_ssthresh: Option<f64>,
    observables: usize,
    rows: Mutex<Rows>,
}

/// Its paths, in the order in which they began.
pub(crate) struct Rows {
    pub(crate) group: Group,
    pub(crate) paths: Vec<PathState>,
    /// Whether the flow is measured now, and so a path that begins.
    is_measured: bool,
}

impl Rows {
    pub(crate) fn begin(&mut self, now: Time) {
        self.is_measured = true;
        self.paths.iter_mut().for_each(|path| path.meter.begin(now));
    }

    pub(crate) fn end(&mut self, now: Time) {
        self.is_measured = false;
        self.paths.iter_mut().for_each(|path| path.meter.end(now));
    }
}

/// What the algorithm's events of a path are made from.
pub(crate) struct PathState {
    /// Its row in the group.
    pub(crate) r: usize,
    pub(crate) open: bool,
    /// A segment is a full packet.
    mtu: f64,
    /// Smoothed round-trip time (RFC 9002 §5.3), but with the receiver's delay; 0 before the first sample.
    pub(crate) srtt_s: f64,
    in_flight: u64,
    recovery_start: Option<Instant>,
    /// Packets sent and the packet whose acknowledgement ends the round.
    next: u64,
    round_end: u64,
    round: u64,
    /// Of this round and of the last one.
    usage: [Usage; 2],
    batch: Batch,
    pub(crate) meter: PathMeter,
}

impl PathState {
    pub(crate) fn in_flight_segments(&self) -> u64 {
        (self.in_flight as f64 / self.mtu).ceil() as u64
    }

    /// Whether the window, and not flow control or the application, limits the sender. The stack's `app_limited` does not say
    /// so: it is false whenever pacing holds a packet back. Pacing keeps slow start below the window, so there half of it is
    /// enough, as in Linux.
    fn cwnd_limited(&self, cwnd: f64, in_slow_start: bool) -> bool {
        let most = self.usage.iter().map(|usage| usage.most_in_flight).max().unwrap_or(0);
        self.usage.iter().any(|usage| usage.limited) || in_slow_start && cwnd * self.mtu < 2.0 * most as f64
    }
}

/// The packets that one acknowledgement covers.
#[derive(Clone, Copy, Default)]
struct Batch {
    delivered: u64,
    grows: u64,
    latest: Option<(u64, Instant)>,
}

/// How much of the window a round used.
#[derive(Clone, Copy, Default)]
struct Usage {
    /// Whether the window held a packet back.
    limited: bool,
    most_in_flight: u64,
}

impl Coupled {
    pub(crate) fn new(
        clock: Clock,
        group: Group,
        initial_window: u32,
        initial_ssthresh: Option<u32>,
        observables: usize,
    ) -> Coupled {
        Coupled {
            clock,
            initial_window: f64::from(initial_window),
            initial_ssthresh: initial_ssthresh.map(f64::from),
            observables,
            rows: Mutex::new(Rows { group, paths: Vec::new(), is_measured: false }),
        }
    }

    pub(crate) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ControllerFactory for Coupled {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let path = {
            let mut rows = self.rows();
            let r = rows.group.add_path(0.0, self.initial_window);
            if let Some(threshold) = self.initial_ssthresh {
                rows.group.set_ssthresh(r, threshold);
            }
            let mut meter = PathMeter::new(self.observables);
            meter.window(self.clock.time(now), rows.group.path(r).cwnd);
            if rows.is_measured {
                meter.begin(self.clock.time(now));
            }
            rows.paths.push(PathState {
                r,
                open: true,
                mtu: current_mtu.into(),
                srtt_s: 0.0,
                in_flight: 0,
                recovery_start: None,
                next: 0,
                round_end: 0,
                round: 0,
                usage: [Usage::default(); 2],
                batch: Batch::default(),
                meter,
            });
            rows.paths.len() - 1
        };
        Box::new(OnePath(Arc::new(Row { of: self, path })))
    }
}

/// A row in use.
struct Row {
    of: Arc<Coupled>,
    path: usize,
}

impl Drop for Row {
    fn drop(&mut self) {
        let mut rows = self.of.rows();
        let Rows { group, paths, .. } = &mut *rows;
        let path = &mut paths[self.path];
        path.open = false;
        group.remove_path(path.r);
    }
}

/// The controller of one path.
struct OnePath(Arc<Row>);

impl OnePath {
    fn with<T>(&self, run: impl FnOnce(&mut Group, &mut PathState) -> T) -> T {
        let mut rows = self.0.of.rows();
        let Rows { group, paths, .. } = &mut *rows;
        run(group, &mut paths[self.0.path])
    }

    fn now(&self, now: Instant) -> Time {
        self.0.of.clock.time(now)
    }

    fn acked(&self, sent: Instant, bytes: u64, pn: u64) {
        self.with(|_, path| {
            let batch = &mut path.batch;
            batch.delivered += bytes;
            if path.recovery_start.is_none_or(|start| sent > start) {
                batch.grows += bytes;
            }
            if batch.latest.is_none_or(|(latest, _)| pn > latest) {
                batch.latest = Some((pn, sent));
            }
            path.meter.counters.delivered_bytes += payload(bytes);
        });
    }

    fn congestion(&self, now: Instant, signal: Signal) {
        let time = self.now(now);
        self.with(|group, path| {
            group.on_congestion(path.r, &Congestion { now: time.as_secs_f64(), signal });
            path.meter.window(time, group.path(path.r).cwnd);
        });
    }
}

impl fmt::Debug for OnePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "path {}", self.0.path)
    }
}

impl Controller for OnePath {
    fn on_packet_sent(&mut self, _: Instant, bytes: u16, pn: u64) {
        self.with(|_, path| {
            path.next = pn + 1;
            path.in_flight += u64::from(bytes);
            path.usage[0].most_in_flight = path.usage[0].most_in_flight.max(path.in_flight);
            path.meter.counters.sent += 1;
            path.meter.counters.sent_bytes += payload(bytes.into());
        });
    }

    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, pn: u64, _: bool, _: &RttEstimator) {
        self.acked(sent, bytes, pn);
    }

    fn on_cwnd_limited(&mut self) {
        self.with(|_, path| path.usage[0].limited = true);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, _: bool, largest: Option<u64>) {
        let time = self.now(now);
        self.with(|group, path| {
            path.in_flight = in_flight;
            let batch = std::mem::take(&mut path.batch);
            let Some((pn, sent)) = batch.latest else { return };
            // Only if the largest acknowledged packet is new (RFC 9002 §5.1).
            let rtt = (largest == Some(pn)).then(|| now.saturating_duration_since(sent));
            if let Some(rtt) = rtt {
                let rtt_s = rtt.as_secs_f64();
                let change = if path.srtt_s > 0.0 { (rtt_s - path.srtt_s) / 8.0 } else { rtt_s };
                path.srtt_s += change;
                path.meter.round_trip(time, Time::from_nanos(rtt.as_nanos() as u64));
            }
            let row = group.path(path.r);
            let cwnd_limited = path.cwnd_limited(row.cwnd, row.cwnd < row.ssthresh);
            if pn >= path.round_end {
                path.round += 1;
                path.round_end = path.next;
                path.usage = [Usage { limited: false, most_in_flight: in_flight }, path.usage[0]];
            }
            let ack = Ack {
                now: time.as_secs_f64(),
                acked: batch.grows as f64 / path.mtu,
                delivered: batch.delivered as f64 / path.mtu,
                rtt: rtt.map(|rtt| rtt.as_secs_f64()),
                srtt: path.srtt_s,
                in_flight: in_flight as f64 / path.mtu,
                round: path.round,
                cwnd_limited,
                rate: None,
            };
            group.on_ack(path.r, &ack);
            path.meter.window(time, group.path(path.r).cwnd);
        });
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        _: u64,
        _: u64,
    ) {
        // One response to the losses of a round trip (RFC 9002 §7.3.2).
        let is_new = self.with(|_, path| {
            let is_new = path.recovery_start.is_none_or(|start| sent > start);
            if is_new {
                path.recovery_start = Some(now);
                path.meter.counters.recoveries += 1;
            }
            path.meter.counters.persistent += u64::from(is_persistent_congestion);
            is_new
        });
        // Persistent congestion reduces once, too (RFC 9002 §7.6.2).
        if is_persistent_congestion {
            self.congestion(now, Signal::Timeout);
        } else if is_new {
            self.congestion(now, if is_ecn { Signal::Ecn } else { Signal::Loss });
        }
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, _: u64, _: Instant) {
        self.with(|_, path| {
            path.in_flight = path.in_flight.saturating_sub(lost_bytes.into());
            path.meter.counters.deemed_lost += 1;
        });
    }

    fn on_spurious_congestion_event(&mut self) {
        self.with(|group, path| {
            group.on_spurious(path.r);
            path.recovery_start = None;
            path.meter.counters.spurious += 1;
        });
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.with(|_, path| path.mtu = new_mtu.into());
    }

    fn window(&self) -> u64 {
        self.with(|group, path| (group.path(path.r).cwnd * path.mtu) as u64)
    }

    fn metrics(&self) -> ControllerMetrics {
        self.with(|group, path| {
            let row = group.path(path.r);
            let mut metrics = ControllerMetrics::default();
            metrics.congestion_window = (row.cwnd * path.mtu) as u64;
            metrics.ssthresh = row.ssthresh.is_finite().then_some((row.ssthresh * path.mtu) as u64);
            metrics.pacing_rate = row.pacing_rate.map(|rate| (rate * path.mtu) as u64);
            metrics
        })
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(OnePath(self.0.clone()))
    }

    fn initial_window(&self) -> u64 {
        self.with(|_, path| (self.0.of.initial_window * path.mtu) as u64)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_cc::registry;

    fn lia() -> Arc<Coupled> {
        let group = registry::find("lia").unwrap().group(&[]).unwrap();
        Arc::new(Coupled::new(Clock::new(), group, 10, None, 0))
    }

    fn active(of: &Coupled) -> Vec<bool> {
        of.rows().group.paths().iter().map(|path| path.active).collect()
    }

    #[test]
    fn a_build_is_a_row_and_a_clone_is_not() {
        let (of, now) = (lia(), Instant::now());
        let first = of.clone().build(now, 1472);
        let second = of.clone().build(now, 1472);
        let moved = first.clone_box();
        assert_eq!(active(&of), [true, true]);
        drop(first);
        assert_eq!(active(&of), [true, true], "the clone is the same path");
        drop(moved);
        assert_eq!(active(&of), [false, true]);
        drop(second);
        assert_eq!(active(&of), [false, false]);
        let _third = of.clone().build(now, 1472);
        assert_eq!(active(&of), [true, false], "a freed row is used again");
    }

    /// Two losses of one flight are one response, a loss of the next flight another: 10 → 5 → 2.5.
    #[test]
    fn one_response_in_a_round_trip() {
        let of = lia();
        let at = |ms| of.clock.instant(Time::from_millis(ms));
        let mut path = of.clone().build(at(0), 1000);
        for (now, sent, window) in [(100, 0, 5000), (110, 50, 5000), (300, 200, 2500)] {
            path.on_congestion_event(at(now), at(sent), false, false, 1000, 1);
            assert_eq!(path.window(), window, "at {now} ms");
        }
        assert_eq!(of.rows().paths[0].meter.counters.recoveries, 2);
    }

    /// RFC 9002 §7.6.2: the threshold is half the window, 10 → 5, and the window the least, one segment in the group.
    #[test]
    fn persistent_congestion_reduces_once() {
        let of = lia();
        let at = |ms| of.clock.instant(Time::from_millis(ms));
        let mut path = of.clone().build(at(0), 1000);
        path.on_congestion_event(at(100), at(50), true, false, 1000, 1);
        assert_eq!((path.metrics().ssthresh, path.window()), (Some(5000), 1000));
        path.on_spurious_congestion_event();
        assert_eq!(path.window(), 10_000);
    }

    /// RFC 9002 §5.1: an acknowledgement that fills a hole below the largest acknowledged packet gives no sample.
    #[test]
    fn only_the_largest_packet_gives_a_round_trip_time() {
        let of = lia();
        let at = |ms| of.clock.instant(Time::from_millis(ms));
        let path = of.clone().build(at(0), 1000).into_any();
        let mut path = path.downcast::<OnePath>().unwrap();
        for (now, pn) in [(100, 2), (500, 1)] {
            path.acked(at(0), 1000, pn);
            path.on_end_acks(at(now), 0, false, Some(2));
            assert_eq!(of.rows().paths[0].srtt_s, 0.1, "at {now} ms");
        }
    }

    /// A window of 10 that held back no packet grows in slow start only if half of it was in flight, and after slow start not at all.
    #[test]
    fn an_unused_window_does_not_grow() {
        let grown = |threshold: u32, sent: u64, limited: bool| {
            let group = registry::find("reno").unwrap().group(&[]).unwrap();
            let of = Arc::new(Coupled::new(Clock::new(), group, 10, Some(threshold), 0));
            let at = |ms| of.clock.instant(Time::from_millis(ms));
            let path = of.clone().build(at(0), 1000).into_any();
            let mut path = path.downcast::<OnePath>().unwrap();
            (0..sent).for_each(|pn| path.on_packet_sent(at(0), 1000, pn));
            if limited {
                path.on_cwnd_limited();
            }
            (0..sent).for_each(|pn| path.acked(at(0), 1000, pn));
            path.on_end_acks(at(100), 0, false, Some(sent - 1));
            path.window() > 10_000
        };
        assert!(grown(20, 6, false) && !grown(20, 5, false), "in slow start");
        assert!(grown(10, 9, true) && !grown(10, 9, false), "after it");
    }
}
