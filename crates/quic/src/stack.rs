//! The stack's own controllers, measured as ours are. Their paths are independent.

use crate::clock::Clock;
use crate::meter::{PathMeter, payload};
use anabranch_net::Time;
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The stack's factory for the controller of that name, with a first window of `bytes`.
pub(crate) fn named(name: &str, bytes: u64) -> Option<Arc<dyn ControllerFactory + Send + Sync>> {
    match name {
        "noq:newreno" => {
            let mut config = NewRenoConfig::default();
            config.initial_window(bytes);
            Some(Arc::new(config))
        }
        "noq:cubic" => {
            let mut config = CubicConfig::default();
            config.initial_window(bytes);
            Some(Arc::new(config))
        }
        _ => None,
    }
}

/// The paths of one connection, in the order in which they began.
pub(crate) struct Watched {
    factory: Arc<dyn ControllerFactory + Send + Sync>,
    clock: Clock,
    state: Mutex<State>,
}

/// Their state.
pub(crate) struct State {
    pub(crate) paths: Vec<Path>,
    /// Whether the flow is measured now, and so a path that begins.
    is_measured: bool,
}

impl State {
    pub(crate) fn measure(&mut self, now: Time, begins: bool) {
        self.is_measured = begins;
        for path in &mut self.paths {
            if begins { path.meter.begin(now) } else { path.meter.end(now) }
        }
    }
}

/// A path now.
pub(crate) struct Path {
    pub(crate) open: bool,
    /// A segment is a full packet.
    mtu: f64,
    /// In segments.
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    /// Smoothed round-trip time, with the receiver's delay; 0 before the first sample.
    pub(crate) srtt_s: f64,
    /// In bytes.
    in_flight: u64,
    recovery_start: Option<Instant>,
    /// The last packet that the present acknowledgement covers.
    latest: Option<(u64, Instant)>,
    pub(crate) meter: PathMeter,
}

impl Path {
    pub(crate) fn in_flight_segments(&self) -> u64 {
        (self.in_flight as f64 / self.mtu).ceil() as u64
    }
}

impl Watched {
    pub(crate) fn new(factory: Arc<dyn ControllerFactory + Send + Sync>, clock: Clock) -> Watched {
        Watched { factory, clock, state: Mutex::new(State { paths: Vec::new(), is_measured: false }) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ControllerFactory for Watched {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = self.factory.clone().build(now, current_mtu);
        let mut state = self.lock();
        let path = state.paths.len();
        state.paths.push(Path {
            open: true,
            mtu: current_mtu.into(),
            cwnd: 0.0,
            ssthresh: f64::INFINITY,
            srtt_s: 0.0,
            in_flight: 0,
            recovery_start: None,
            latest: None,
            meter: PathMeter::new(0),
        });
        let is_measured = state.is_measured;
        drop(state);
        let one = OnePath { inner, row: Arc::new(Row { of: self, path }) };
        one.note_window(now);
        if is_measured {
            one.with(|path| path.meter.begin(one.time(now)));
        }
        Box::new(one)
    }
}

/// A path in use.
struct Row {
    of: Arc<Watched>,
    path: usize,
}

impl Drop for Row {
    fn drop(&mut self) {
        self.of.lock().paths[self.path].open = false;
    }
}

/// The controller of one path.
struct OnePath {
    inner: Box<dyn Controller>,
    row: Arc<Row>,
}

impl OnePath {
    fn with<T>(&self, change: impl FnOnce(&mut Path) -> T) -> T {
        change(&mut self.row.of.lock().paths[self.row.path])
    }

    fn time(&self, now: Instant) -> Time {
        self.row.of.clock.time(now)
    }

    fn note_window(&self, now: Instant) {
        let (window, metrics) = (self.inner.window(), self.inner.metrics());
        self.with(|path| {
            path.cwnd = window as f64 / path.mtu;
            let of_bytes =
                |bytes: u64| if bytes < u64::MAX { bytes as f64 / path.mtu } else { f64::INFINITY };
            path.ssthresh = metrics.ssthresh.map_or(f64::INFINITY, of_bytes);
            path.meter.window(self.time(now), path.cwnd);
        });
    }
}

impl fmt::Debug for OnePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl Controller for OnePath {
    fn on_sent(&mut self, now: Instant, bytes: u64, largest_pn: u64) {
        self.inner.on_sent(now, bytes, largest_pn);
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        self.with(|path| {
            path.in_flight += u64::from(bytes);
            path.meter.counters.sent += 1;
            path.meter.counters.sent_bytes += payload(bytes.into());
        });
        self.inner.on_packet_sent(now, bytes, pn);
    }

    fn on_cwnd_limited(&mut self) {
        self.inner.on_cwnd_limited();
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.with(|path| {
            if path.latest.is_none_or(|(latest, _)| pn > latest) {
                path.latest = Some((pn, sent));
            }
            path.meter.counters.delivered_bytes += payload(bytes);
        });
        self.inner.on_ack(now, sent, bytes, pn, app_limited, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        let time = self.time(now);
        self.with(|path| {
            path.in_flight = in_flight;
            // Only if the largest acknowledged packet is new (RFC 9002 §5.1).
            if let Some((pn, sent)) = path.latest.take()
                && largest == Some(pn)
            {
                let rtt = now.saturating_duration_since(sent);
                let seconds = rtt.as_secs_f64();
                path.srtt_s += if path.srtt_s > 0.0 { (seconds - path.srtt_s) / 8.0 } else { seconds };
                path.meter.round_trip(time, Time::from_nanos(rtt.as_nanos() as u64));
            }
        });
        self.inner.on_end_acks(now, in_flight, app_limited, largest);
        self.note_window(now);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost_pn: u64,
    ) {
        self.with(|path| {
            if path.recovery_start.is_none_or(|start| sent > start) {
                path.recovery_start = Some(now);
                path.meter.counters.recoveries += 1;
            }
            path.meter.counters.persistent += u64::from(is_persistent_congestion);
        });
        self.inner.on_congestion_event(
            now,
            sent,
            is_persistent_congestion,
            is_ecn,
            lost_bytes,
            largest_lost_pn,
        );
        self.note_window(now);
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, now: Instant) {
        self.with(|path| {
            path.in_flight = path.in_flight.saturating_sub(lost_bytes.into());
            path.meter.counters.deemed_lost += 1;
        });
        self.inner.on_packet_lost(lost_bytes, pn, now);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.with(|path| {
            path.recovery_start = None;
            path.meter.counters.spurious += 1;
        });
        self.inner.on_spurious_congestion_event();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.with(|path| path.mtu = new_mtu.into());
        self.inner.on_mtu_update(new_mtu);
    }

    fn on_ack_frequency_update(&mut self, ack_eliciting_threshold: u64, requested_max_ack_delay: Duration) {
        self.inner.on_ack_frequency_update(ack_eliciting_threshold, requested_max_ack_delay);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(OnePath { inner: self.inner.clone_box(), row: self.row.clone() })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
