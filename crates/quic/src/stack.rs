//! The stack's own controllers, measured as ours are. Their paths are independent.

use crate::meter::Meters;
use anabranch_cc::noq::{Event, Flight, Observer};
use anabranch_net::Random;
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub(crate) type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// The stack's factory for the controller of that name, with a first window of `bytes`. `seed` is of its random numbers.
#[cfg_attr(not(noq_patched), expect(unused_variables))]
pub(crate) fn named(name: &str, bytes: u64, seed: impl FnOnce() -> Random) -> Option<Factory> {
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
        #[cfg(noq_patched)]
        "noq:bbr3" => Some(Arc::new(Bbr3 { bytes, random: Mutex::new(seed()) })),
        _ => None,
    }
}

/// Each path with a seed of its own.
#[cfg(noq_patched)]
struct Bbr3 {
    bytes: u64,
    random: Mutex<Random>,
}

#[cfg(noq_patched)]
impl ControllerFactory for Bbr3 {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let mut seed = [0; 16];
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        seed.chunks_mut(8).for_each(|part| part.copy_from_slice(&random.bits().to_le_bytes()));
        let mut config = noq_proto::congestion::Bbr3Config::default();
        config.initial_window(self.bytes).probe_rng_seed(Some(seed));
        Arc::new(config).build(now, current_mtu)
    }
}

/// The paths of one connection, in the order in which they began.
pub(crate) struct Watched {
    factory: Factory,
    state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) paths: Vec<Path>,
    pub(crate) observer: Meters,
}

#[derive(Clone, Copy)]
pub(crate) struct Path {
    pub(crate) open: bool,
    /// A segment is a full packet.
    pub(crate) mtu: f64,
    /// In segments.
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    pub(crate) flight: Flight,
}

impl Watched {
    pub(crate) fn new(factory: Factory, observer: Meters) -> Watched {
        Watched { factory, state: Mutex::new(State { paths: Vec::new(), observer }) }
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
            flight: Flight::default(),
        });
        drop(state);
        let one = OnePath { inner, row: Arc::new(Row { of: self, path }) };
        one.note_window(now);
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
    /// Changes the path, and lets the observer see what happened, if anything: only packets after the path was closed.
    fn with(&self, change: impl FnOnce(&mut Path) -> Option<Event>) {
        let mut state = self.row.of.lock();
        let path = &mut state.paths[self.row.path];
        let event = change(path)
            .filter(|event| path.open || matches!(event, Event::Sent(_) | Event::Acked(_) | Event::Lost));
        if let Some(event) = event {
            state.observer.observe(self.row.path, event);
        }
    }

    fn note_window(&self, now: Instant) {
        let (window, metrics) = (self.inner.window(), self.inner.metrics());
        self.with(|path| {
            path.cwnd = window as f64 / path.mtu;
            let of_bytes =
                |bytes: u64| if bytes < u64::MAX { bytes as f64 / path.mtu } else { f64::INFINITY };
            path.ssthresh = metrics.ssthresh.map_or(f64::INFINITY, of_bytes);
            Some(Event::Window { now, cwnd: path.cwnd })
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
            path.flight.sent(bytes);
            Some(Event::Sent(bytes))
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
            path.flight.acked(pn, sent);
            Some(Event::Acked(bytes))
        });
        self.inner.on_ack(now, sent, bytes, pn, app_limited, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        self.with(|path| {
            let rtt = path.flight.end_acks(now, in_flight, largest)?.1?;
            Some(Event::RoundTrip { now, rtt })
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
        self.with(|path| path.flight.congestion(now, sent).then_some(Event::Recovery));
        self.with(|_| is_persistent_congestion.then_some(Event::PersistentCongestion));
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
            path.flight.lost(lost_bytes);
            // Packets of acknowledgements alone have no bytes here, and no event when they are sent.
            (lost_bytes > 0).then_some(Event::Lost)
        });
        self.inner.on_packet_lost(lost_bytes, pn, now);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.with(|path| {
            path.flight.spurious();
            Some(Event::Spurious)
        });
        self.inner.on_spurious_congestion_event();
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.row.of.lock().paths[self.row.path].mtu = new_mtu.into();
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
