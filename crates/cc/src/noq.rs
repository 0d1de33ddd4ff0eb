//! Controllers for the QUIC stack noq: one algorithm over all paths of a connection.
//!
//! ```
//! use multipath_cc::{noq::Coupled, registry};
//! use noq_proto::TransportConfig;
//!
//! let group = registry::find("lia").unwrap().group(&[]).unwrap();
//! let mut transport = TransportConfig::default(); // of this connection alone
//! transport.max_concurrent_multipath_paths(2).congestion_controller_factory(Coupled::new(group).factory());
//! ```
//!
//! The stack asks its factory for a controller whenever a path begins, without saying of which connection. So **a factory, and the
//! `TransportConfig` that has it, is for one connection**: two connections that share one would be coupled like two paths.
//! - A client makes a `TransportConfig` for each `Endpoint::connect_with`.
//! - A server makes one for each `Incoming`, and takes it in by `Incoming::accept_with`. Without that the stack's own controller remains.
//!
//! With the stack patched (folder `contrib/noq`) and `--cfg noq_patched`, the factory sees that another connection uses it, and panics.
//!
//! Each controller that the factory builds is a row of the group. A clone, which the stack makes when a path's address changes and for
//! those who ask for its state, is the same row, and the last of them frees it. For algorithms that model their path, such as BBR,
//! delivery rates are measured here, and the stack paces by the algorithm's rate.

mod flight;
mod path;
mod rates;

pub use flight::Flight;
pub use path::PathState;

use crate::{Ack, Congestion, Group, Seconds, Segments, Signal};
use alloc::{boxed::Box, vec::Vec};
use core::{any::Any, fmt, mem};
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use path::Usage;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The initial window (RFC 9002 §7.2).
const INITIAL_WINDOW: Segments = 10.0;
/// The window of a path that has left, in bytes. Nothing is sent on it, so only its being positive matters.
const LEFT: u64 = 14720;

/// The congestion control of one connection. It cannot be cloned: each connection has its own.
pub struct Coupled<O = ()>(Factory<O>);

/// Sees what happens on a connection's paths: for measurements.
pub trait Observer: Send + 'static {
    /// On path `path`: 0, 1, … in the order in which they began. The first event of a path is its first window.
    fn observe(&mut self, path: usize, event: Event);
}

impl Observer for () {
    fn observe(&mut self, _: usize, _: Event) {}
}

/// What happened on a path.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The window was updated.
    Window {
        /// When.
        now: Instant,
        /// The window.
        cwnd: Segments,
    },
    /// A round-trip time was measured, with the receiver's delay.
    RoundTrip {
        /// When.
        now: Instant,
        /// The round-trip time.
        rtt: Duration,
    },
    /// A packet of that size was sent.
    Sent(u16),
    /// A packet of that size was acknowledged.
    Acked(u64),
    /// A packet was deemed lost.
    Lost,
    /// The losses or marks of a round trip began.
    Recovery,
    /// All packets of a period were lost (RFC 9002 §7.6).
    PersistentCongestion,
    /// The last recovery was needless.
    Spurious,
}

impl Coupled {
    /// Couples the paths of one connection by the algorithm of `group`.
    ///
    /// # Panics
    /// If the group has paths already.
    pub fn new(group: Group) -> Coupled {
        Coupled::observed(group, ())
    }
}

impl<O: Observer> Coupled<O> {
    /// The same, with an observer of all paths.
    ///
    /// # Panics
    /// As [`Coupled::new`].
    pub fn observed(group: Group, observer: O) -> Coupled<O> {
        assert!(group.paths().is_empty(), "the group has paths already");
        let state = State {
            group,
            paths: Vec::new(),
            began: 0,
            #[cfg(noq_patched)]
            has_connection: false,
            origin: None,
            observer,
        };
        Coupled(Factory { initial_window: INITIAL_WINDOW, initial_ssthresh: None, state: Mutex::new(state) })
    }

    /// The first window of each path, in packets; 10 (RFC 9002 §7.2) if not set.
    pub fn initial_window(mut self, packets: Segments) -> Self {
        self.0.initial_window = packets;
        self
    }

    /// The first slow-start threshold of each path, in packets; infinite if not set.
    pub fn initial_ssthresh(mut self, packets: Segments) -> Self {
        self.0.initial_ssthresh = Some(packets);
        self
    }

    /// The algorithm's times count from `origin`; from the first path's begin if not set. A run in virtual time needs this to be the same
    /// each time to the last bit.
    pub fn origin(self, origin: Instant) -> Self {
        self.0.lock().origin = Some(origin);
        self
    }

    /// The factory, for the transport configuration of one connection.
    pub fn factory(self) -> Arc<dyn ControllerFactory + Send + Sync> {
        self.factory_and_paths().0
    }

    /// The same, and the paths' state.
    pub fn factory_and_paths(self) -> (Arc<dyn ControllerFactory + Send + Sync>, Paths<O>) {
        let factory = Arc::new(self.0);
        (factory.clone(), Paths(factory))
    }
}

/// The paths of one connection, beside their controllers.
pub struct Paths<O>(Arc<Factory<O>>);

impl<O> Paths<O> {
    /// Their state. While it is locked, the connection waits.
    pub fn lock(&self) -> MutexGuard<'_, State<O>> {
        self.0.lock()
    }
}

struct Factory<O> {
    initial_window: Segments,
    initial_ssthresh: Option<Segments>,
    state: Mutex<State<O>>,
}

impl<O> Factory<O> {
    fn lock(&self) -> MutexGuard<'_, State<O>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the controllers of one connection share.
pub struct State<O> {
    group: Group,
    /// By row.
    paths: Vec<PathState>,
    began: usize,
    /// Whether a connection has begun.
    #[cfg(noq_patched)]
    has_connection: bool,
    origin: Option<Instant>,
    observer: O,
}

impl<O> State<O> {
    /// The algorithm and its rows.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// The paths in use, each with its row in the group.
    pub fn paths(&self) -> impl Iterator<Item = (usize, &PathState)> {
        self.paths.iter().enumerate().filter(|(_, path)| path.open)
    }

    /// The observer.
    pub fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Path `id`, which the application has closed, leaves the group. The stack drops its controller only some round trips later.
    pub fn leave(&mut self, id: usize) {
        if let Some(row) = self.paths.iter().position(|path| path.open && path.id == id) {
            self.paths[row].open = false;
            self.group.remove_path(row);
        }
    }

    fn time(&self, now: Instant) -> Seconds {
        let origin = self.origin.unwrap_or(now);
        now.saturating_duration_since(origin).as_nanos() as i64 as f64 / 1e9
    }
}

impl<O: Observer> ControllerFactory for Factory<O> {
    /// With contrib/noq/path-id.patch, a second connection is refused.
    #[cfg(noq_patched)]
    fn build_for_path(
        self: Arc<Self>,
        path: noq_proto::PathId,
        migrates: bool,
        now: Instant,
        current_mtu: u16,
    ) -> Box<dyn Controller> {
        let begins = path == noq_proto::PathId::ZERO && !migrates;
        let is_second = begins && mem::replace(&mut self.lock().has_connection, true);
        assert!(!is_second, "two connections share a factory, which would couple them: make one for each");
        self.build(now, current_mtu)
    }

    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let (row, id) = {
            let mut state = self.lock();
            state.origin.get_or_insert(now);
            let row = state.group.add_path(0.0, self.initial_window);
            if let Some(threshold) = self.initial_ssthresh {
                state.group.set_ssthresh(row, threshold);
            }
            let id = state.began;
            state.began += 1;
            let path = PathState::new(id, now, current_mtu, state.group.is_model_based());
            if row == state.paths.len() {
                state.paths.push(path);
            } else {
                state.paths[row] = path;
            }
            let cwnd = state.group.path(row).cwnd;
            state.observer.observe(id, Event::Window { now, cwnd });
            (row, id)
        };
        Box::new(OnePath(Arc::new(InUse { of: self, row, id })))
    }
}

struct InUse<O> {
    of: Arc<Factory<O>>,
    row: usize,
    id: usize,
}

impl<O> Drop for InUse<O> {
    fn drop(&mut self) {
        self.of.lock().leave(self.id);
    }
}

/// The controller of one path.
struct OnePath<O>(Arc<InUse<O>>);

impl<O: Observer> OnePath<O> {
    /// The path's state; `None` once it has left, when another one may have its row.
    fn path<'a>(&self, state: &'a mut State<O>) -> Option<&'a mut PathState> {
        Some(&mut state.paths[self.0.row]).filter(|path| path.open && path.id == self.0.id)
    }

    /// The algorithm answers to an event, mostly with another window.
    fn drive(&self, state: &mut State<O>, now: Instant, event: impl FnOnce(&mut Group, usize, Seconds)) {
        let time = state.time(now);
        event(&mut state.group, self.0.row, time);
        let cwnd = state.group.path(self.0.row).cwnd;
        state.observer.observe(self.0.id, Event::Window { now, cwnd });
    }

    fn acked(&self, now: Instant, sent: Instant, bytes: u64, pn: u64) {
        let mut state = self.0.of.lock();
        if let Some(path) = self.path(&mut state) {
            if let Some(rates) = &mut path.rates {
                rates.on_acked(now, pn, sent, bytes);
            }
            path.batch.delivered += bytes;
            if path.flight.acked(pn, sent) {
                path.batch.grows += bytes;
            }
        }
        state.observer.observe(self.0.id, Event::Acked(bytes));
    }
}

impl<O> fmt::Debug for OnePath<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {} of multipath-cc", self.0.row)
    }
}

/// What happens to packets of a path that has left is observed, too.
impl<O: Observer> Controller for OnePath<O> {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, pn: u64) {
        let mut state = self.0.of.lock();
        if let Some(path) = self.path(&mut state) {
            path.next = pn + 1;
            path.flight.sent(bytes);
            let in_flight = path.flight.in_flight();
            path.usage[0].most_in_flight = path.usage[0].most_in_flight.max(in_flight);
            if let Some(rates) = &mut path.rates {
                rates.on_sent(now, pn, bytes.into(), in_flight);
            }
        }
        state.observer.observe(self.0.id, Event::Sent(bytes));
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, pn: u64, _: bool, _: &RttEstimator) {
        self.acked(now, sent, bytes, pn);
    }

    fn on_cwnd_limited(&mut self) {
        if let Some(path) = self.path(&mut self.0.of.lock()) {
            path.usage[0].limited = true;
        }
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest: Option<u64>) {
        let mut state = self.0.of.lock();
        let row = state.group.path(self.0.row);
        let (cwnd, in_slow_start) = (row.cwnd, row.in_slow_start());
        let Some(path) = self.path(&mut state) else { return };
        let Some((pn, rtt)) = path.flight.end_acks(now, in_flight, largest) else { return };
        if let (Some(rates), Some(rtt)) = (&mut path.rates, rtt) {
            rates.on_round_trip(rtt);
        }
        let batch = mem::take(&mut path.batch);
        let cwnd_limited = path.cwnd_limited(cwnd, in_slow_start);
        let rate = path.rate_sample(app_limited);
        if pn >= path.round_end {
            path.round += 1;
            path.round_end = path.next;
            path.usage = [Usage { limited: false, most_in_flight: in_flight }, path.usage[0]];
        }
        let ack = Ack {
            now: 0.0,
            acked: batch.grows as f64 / path.mtu,
            delivered: batch.delivered as f64 / path.mtu,
            rtt: rtt.map(|rtt| rtt.as_secs_f64()),
            srtt: path.flight.srtt(),
            in_flight: in_flight as f64 / path.mtu,
            round: path.round,
            cwnd_limited,
            rate,
        };
        if let Some(rtt) = rtt {
            state.observer.observe(self.0.id, Event::RoundTrip { now, rtt });
        }
        self.drive(&mut state, now, |group, r, now| group.on_ack(r, &Ack { now, ..ack }));
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
        let mut state = self.0.of.lock();
        let Some(path) = self.path(&mut state) else { return };
        let is_new = path.flight.congestion(now, sent);
        let lost = path.rates.as_mut().map(|rates| mem::take(&mut rates.losses)).unwrap_or_default();
        if is_new {
            state.observer.observe(self.0.id, Event::Recovery);
        }
        // Persistent congestion reduces once, too (RFC 9002 §B.8).
        let signal = match (is_persistent_congestion, is_ecn) {
            (true, _) => Signal::Timeout,
            (false, true) => Signal::Ecn,
            (false, false) => Signal::Loss,
        };
        if is_persistent_congestion {
            state.observer.observe(self.0.id, Event::PersistentCongestion);
        }
        if is_new || is_persistent_congestion {
            self.drive(&mut state, now, |group, r, now| match is_new {
                true => group.on_congestion(r, &Congestion { now, signal }),
                false => group.on_timeout_again(r, now),
            });
        }
        // The stack reports the losses before the event, and algorithms need them after it.
        if !lost.is_empty() {
            self.drive(&mut state, now, |group, r, _| lost.iter().for_each(|lost| group.on_lost(r, lost)));
        }
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, now: Instant) {
        // The stack reports the loss of acknowledgements, which it does not report when it sends them.
        if lost_bytes == 0 {
            return;
        }
        let mut state = self.0.of.lock();
        let time = state.time(now);
        if let Some(path) = self.path(&mut state) {
            path.flight.lost(lost_bytes);
            if let Some(rates) = &mut path.rates {
                rates.on_lost(time, pn, lost_bytes.into(), path.mtu);
            }
        }
        state.observer.observe(self.0.id, Event::Lost);
    }

    fn on_spurious_congestion_event(&mut self) {
        let mut state = self.0.of.lock();
        let Some(path) = self.path(&mut state) else { return };
        path.flight.spurious();
        state.group.on_spurious(self.0.row);
        state.observer.observe(self.0.id, Event::Spurious);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        if let Some(path) = self.path(&mut self.0.of.lock()) {
            path.mtu = new_mtu.into();
        }
    }

    fn window(&self) -> u64 {
        let mut state = self.0.of.lock();
        let cwnd = state.group.path(self.0.row).cwnd;
        self.path(&mut state).map_or(LEFT, |path| path.bytes(cwnd))
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        let mut state = self.0.of.lock();
        let row = *state.group.path(self.0.row);
        let Some(path) = self.path(&mut state) else { return metrics };
        metrics.congestion_window = path.bytes(row.cwnd);
        metrics.ssthresh = row.ssthresh.is_finite().then(|| path.bytes(row.ssthresh));
        metrics.pacing_rate = row.pacing_rate.map(|rate| path.bytes(rate));
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(OnePath(self.0.clone()))
    }

    fn initial_window(&self) -> u64 {
        let of = &self.0.of;
        self.path(&mut of.lock()).map_or(LEFT, |path| path.bytes(of.initial_window))
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests;
