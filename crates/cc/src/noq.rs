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
//! Each controller that the factory builds is a row of the group. A clone, which the stack makes when a path's address changes and for
//! those who ask for its state, is the same row, and the last of them frees it. Algorithms that need delivery rates, such as BBR, do not
//! work here: the stack does not measure them for a controller.

use crate::{Ack, Congestion, Group, Seconds, Segments, Signal};
use alloc::{boxed::Box, vec::Vec};
use core::{any::Any, fmt, mem};
use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The initial window (RFC 9002 §7.2).
const INITIAL_WINDOW: Segments = 10.0;

/// The congestion control of one connection. It cannot be cloned: each connection has its own.
pub struct Coupled<O = ()> {
    group: Group,
    initial_window: Segments,
    initial_ssthresh: Option<Segments>,
    origin: Option<Instant>,
    observer: O,
}

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
    /// If the group has paths already, or its algorithm needs delivery rates (BBR), which the stack does not measure for a controller.
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
        assert!(!group.is_model_based(), "the stack measures no delivery rates for a controller");
        Coupled { group, initial_window: INITIAL_WINDOW, initial_ssthresh: None, origin: None, observer }
    }

    /// The first window of each path, in packets; 10 (RFC 9002 §7.2) if not set.
    pub fn initial_window(mut self, packets: Segments) -> Self {
        self.initial_window = packets;
        self
    }

    /// The first slow-start threshold of each path, in packets; infinite if not set.
    pub fn initial_ssthresh(mut self, packets: Segments) -> Self {
        self.initial_ssthresh = Some(packets);
        self
    }

    /// The algorithm's times count from `origin`; from the first path's begin if not set. A run in virtual time needs this to be the same
    /// each time to the last bit.
    pub fn origin(mut self, origin: Instant) -> Self {
        self.origin = Some(origin);
        self
    }

    /// The factory, for the transport configuration of one connection.
    pub fn factory(self) -> Arc<dyn ControllerFactory + Send + Sync> {
        self.factory_and_paths().0
    }

    /// The same, and the paths' state.
    pub fn factory_and_paths(self) -> (Arc<dyn ControllerFactory + Send + Sync>, Paths<O>) {
        let Coupled { group, initial_window, initial_ssthresh, origin, observer } = self;
        let state = State { group, paths: Vec::new(), began: 0, origin, observer };
        let factory = Arc::new(Factory { initial_window, initial_ssthresh, state: Mutex::new(state) });
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

    fn time(&self, now: Instant) -> Seconds {
        let origin = self.origin.unwrap_or(now);
        now.saturating_duration_since(origin).as_nanos() as i64 as f64 / 1e9
    }
}

/// What the algorithm's events of a path are made from.
pub struct PathState {
    id: usize,
    open: bool,
    /// A segment is a full packet.
    mtu: f64,
    srtt: Seconds,
    in_flight: u64,
    recovery_start: Option<Instant>,
    /// Packets sent and the packet whose acknowledgement ends the round.
    next: u64,
    round_end: u64,
    round: u64,
    /// Of this round and of the last one.
    usage: [Usage; 2],
    batch: Batch,
}

impl PathState {
    /// Its number, by which an [`Observer`] knows it.
    pub fn id(&self) -> usize {
        self.id
    }

    /// The smoothed round-trip time (RFC 9002 §5.3), but with the receiver's delay; 0 before the first sample.
    pub fn srtt(&self) -> Seconds {
        self.srtt
    }

    /// Bytes sent and neither acknowledged nor deemed lost.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// The size of a full packet.
    pub fn mtu(&self) -> f64 {
        self.mtu
    }

    /// Whether the window, and not flow control or the application, limits the sender. The stack's `app_limited` does not say
    /// so: it is false whenever pacing holds a packet back. Pacing keeps slow start below the window, so there half of it is
    /// enough, as in Linux.
    fn cwnd_limited(&self, cwnd: Segments, in_slow_start: bool) -> bool {
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

impl<O: Observer> ControllerFactory for Factory<O> {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let row = {
            let mut state = self.lock();
            state.origin.get_or_insert(now);
            let row = state.group.add_path(0.0, self.initial_window);
            if let Some(threshold) = self.initial_ssthresh {
                state.group.set_ssthresh(row, threshold);
            }
            let id = state.began;
            state.began += 1;
            let path = PathState {
                id,
                open: true,
                mtu: current_mtu.into(),
                srtt: 0.0,
                in_flight: 0,
                recovery_start: None,
                next: 0,
                round_end: 0,
                round: 0,
                usage: [Usage::default(); 2],
                batch: Batch::default(),
            };
            if row == state.paths.len() {
                state.paths.push(path);
            } else {
                state.paths[row] = path;
            }
            let cwnd = state.group.path(row).cwnd;
            state.observer.observe(id, Event::Window { now, cwnd });
            row
        };
        Box::new(OnePath(Arc::new(InUse { of: self, row })))
    }
}

/// A row in use.
struct InUse<O> {
    of: Arc<Factory<O>>,
    row: usize,
}

impl<O> Drop for InUse<O> {
    fn drop(&mut self) {
        let mut state = self.of.lock();
        state.paths[self.row].open = false;
        state.group.remove_path(self.row);
    }
}

/// The controller of one path.
struct OnePath<O>(Arc<InUse<O>>);

/// A path within its connection.
struct Locked<'a, O> {
    state: MutexGuard<'a, State<O>>,
    row: usize,
}

impl<O: Observer> Locked<'_, O> {
    fn path(&mut self) -> &mut PathState {
        &mut self.state.paths[self.row]
    }

    fn observe(&mut self, event: Event) {
        let id = self.path().id;
        self.state.observer.observe(id, event);
    }

    /// The algorithm answers to an event, mostly with another window.
    fn drive(&mut self, now: Instant, event: impl FnOnce(&mut Group, usize, Seconds)) {
        let time = self.state.time(now);
        event(&mut self.state.group, self.row, time);
        let cwnd = self.state.group.path(self.row).cwnd;
        self.observe(Event::Window { now, cwnd });
    }

    fn bytes(&mut self, segments: f64) -> u64 {
        (segments * self.path().mtu) as u64
    }
}

impl<O: Observer> OnePath<O> {
    fn lock(&self) -> Locked<'_, O> {
        Locked { state: self.0.of.lock(), row: self.0.row }
    }

    fn acked(&self, sent: Instant, bytes: u64, pn: u64) {
        let mut locked = self.lock();
        let path = locked.path();
        path.batch.delivered += bytes;
        if path.recovery_start.is_none_or(|start| sent > start) {
            path.batch.grows += bytes;
        }
        if path.batch.latest.is_none_or(|(latest, _)| pn > latest) {
            path.batch.latest = Some((pn, sent));
        }
        locked.observe(Event::Acked(bytes));
    }
}

impl<O> fmt::Debug for OnePath<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {} of multipath-cc", self.0.row)
    }
}

impl<O: Observer> Controller for OnePath<O> {
    fn on_packet_sent(&mut self, _: Instant, bytes: u16, pn: u64) {
        let mut locked = self.lock();
        let path = locked.path();
        path.next = pn + 1;
        path.in_flight += u64::from(bytes);
        path.usage[0].most_in_flight = path.usage[0].most_in_flight.max(path.in_flight);
        locked.observe(Event::Sent(bytes));
    }

    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, pn: u64, _: bool, _: &RttEstimator) {
        self.acked(sent, bytes, pn);
    }

    fn on_cwnd_limited(&mut self) {
        self.lock().path().usage[0].limited = true;
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, _: bool, largest: Option<u64>) {
        let mut locked = self.lock();
        locked.path().in_flight = in_flight;
        let batch = mem::take(&mut locked.path().batch);
        let Some((pn, sent)) = batch.latest else { return };
        // Only if the largest acknowledged packet is new (RFC 9002 §5.1).
        let rtt = (largest == Some(pn)).then(|| now.saturating_duration_since(sent));
        if let Some(rtt) = rtt {
            let path = locked.path();
            let seconds = rtt.as_secs_f64();
            path.srtt += if path.srtt > 0.0 { (seconds - path.srtt) / 8.0 } else { seconds };
            locked.observe(Event::RoundTrip { now, rtt });
        }
        let row = locked.state.group.path(locked.row);
        let (cwnd, in_slow_start) = (row.cwnd, row.in_slow_start());
        let path = locked.path();
        let cwnd_limited = path.cwnd_limited(cwnd, in_slow_start);
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
            srtt: path.srtt,
            in_flight: in_flight as f64 / path.mtu,
            round: path.round,
            cwnd_limited,
            rate: None,
        };
        locked.drive(now, |group, r, now| group.on_ack(r, &Ack { now, ..ack }));
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
        let mut locked = self.lock();
        // One response to the losses of a round trip (RFC 9002 §7.3.2).
        let is_new = locked.path().recovery_start.is_none_or(|start| sent > start);
        if is_new {
            locked.path().recovery_start = Some(now);
            locked.observe(Event::Recovery);
        }
        // Persistent congestion reduces once, too (RFC 9002 §7.6.2).
        let signal = match (is_persistent_congestion, is_ecn) {
            (true, _) => Signal::Timeout,
            (false, true) => Signal::Ecn,
            (false, false) => Signal::Loss,
        };
        if is_persistent_congestion {
            locked.observe(Event::PersistentCongestion);
        }
        if is_new || is_persistent_congestion {
            locked.drive(now, |group, r, now| group.on_congestion(r, &Congestion { now, signal }));
        }
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, _: u64, _: Instant) {
        let mut locked = self.lock();
        let path = locked.path();
        path.in_flight = path.in_flight.saturating_sub(lost_bytes.into());
        locked.observe(Event::Lost);
    }

    fn on_spurious_congestion_event(&mut self) {
        let mut locked = self.lock();
        let row = locked.row;
        locked.state.group.on_spurious(row);
        locked.path().recovery_start = None;
        locked.observe(Event::Spurious);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.lock().path().mtu = new_mtu.into();
    }

    fn window(&self) -> u64 {
        let mut locked = self.lock();
        let cwnd = locked.state.group.path(locked.row).cwnd;
        locked.bytes(cwnd)
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut locked = self.lock();
        let row = *locked.state.group.path(locked.row);
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = locked.bytes(row.cwnd);
        metrics.ssthresh = row.ssthresh.is_finite().then(|| locked.bytes(row.ssthresh));
        metrics.pacing_rate = row.pacing_rate.map(|rate| locked.bytes(rate));
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(OnePath(self.0.clone()))
    }

    fn initial_window(&self) -> u64 {
        self.lock().bytes(self.0.of.initial_window)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests;
