//! The table of a connection's paths, and the rules that hold for every algorithm.

use crate::path::raise;
use crate::{
    Ack, Algorithm, Congestion, LostSegment, MAX_CWND, MIN_CWND, MIN_SSTHRESH, Path, Seconds, Segments,
    Signal, renew,
};
use alloc::{boxed::Box, vec::Vec};

/// Pacing rate over window per RTT, in slow start and after it, where pacing is on: enough above 1
/// to let the window, not the pacer, be the limit.
const PACING_GAIN_SLOW_START: f64 = 2.0;
const PACING_GAIN: f64 = 1.2;

/// The congestion control of one connection: its paths and the algorithm that couples them.
#[repr(C)] // rarely used fields come last
pub struct Group {
    algorithm: Box<dyn Algorithm>,
    paths: Vec<Path>,
    paced: bool,
    /// When the last event was.
    now: Seconds,
    /// Each path before its last congestion event, for undo.
    before: Vec<Option<Path>>,
}

impl Clone for Group {
    /// # Panics
    /// Where the algorithm cannot be copied: see [`Group::is_copyable`].
    fn clone(&self) -> Self {
        Group {
            algorithm: self.algorithm.copy().expect("the caller checks whether it can be copied"),
            paths: self.paths.clone(),
            paced: self.paced,
            now: self.now,
            before: self.before.clone(),
        }
    }
}

impl Group {
    /// Whether the algorithm can be copied with its state.
    pub fn is_copyable(&self) -> bool {
        self.algorithm.copy().is_some()
    }

    /// Sets the window and the pacing rate of path `r` from outside, for an algorithm that leaves them alone. No undo of an
    /// earlier congestion overrides them.
    pub fn steer(&mut self, r: usize, cwnd: Option<Segments>, pacing_rate: Option<Option<f64>>) {
        let path = &mut self.paths[r];
        if path.active {
            self.before[r] = None;
            path.cwnd = cwnd.unwrap_or(path.cwnd);
            path.pacing_rate = pacing_rate.unwrap_or(path.pacing_rate);
            self.settle(r);
        }
    }

    /// A connection without paths. `paced` gives every path a pacing rate from its window and RTT;
    /// an algorithm that sets rates of its own does not need it, and a model-based one keeps its own.
    pub fn new(algorithm: Box<dyn Algorithm>, paced: bool) -> Self {
        let paced = paced && !algorithm.is_model_based();
        Group { algorithm, paths: Vec::new(), before: Vec::new(), now: Seconds::NEG_INFINITY, paced }
    }

    /// Adds a path with the given initial window and returns its row. Rows of removed paths are reused.
    pub fn add_path(&mut self, srtt: Seconds, initial_cwnd: Segments) -> usize {
        let initial_cwnd = initial_cwnd.clamp(MIN_CWND, MAX_CWND).max(MIN_CWND); // also of NaN
        let mut path = Path::new(initial_cwnd);
        path.srtt = srtt;
        let r = self.paths.iter().position(|p| !p.active).unwrap_or(self.paths.len());
        if r == self.paths.len() {
            // Connections have few paths, and there may be many connections.
            self.paths.reserve_exact(1);
            self.before.reserve_exact(1);
        }
        renew(&mut self.paths, r, &path);
        renew(&mut self.before, r, &None);
        self.algorithm.path_added(&mut self.paths, r);
        self.settle(r);
        r
    }

    /// Sets the slow-start threshold of a new path, like a route's metric. Model-based algorithms ignore it.
    pub fn set_ssthresh(&mut self, r: usize, threshold: Segments) {
        self.paths[r].ssthresh = threshold.max(MIN_SSTHRESH);
    }

    /// Makes Reno and CUBIC compute the window of a new path as Linux does, in whole segments (`tcp_cong_avoid_ai`, `tcp_reno_ssthresh`,
    /// `tcp_cubic.c`). Other algorithms ignore it.
    pub fn count_whole(&mut self, r: usize) {
        self.paths[r].whole = true;
    }

    /// Removes a path. Later events for it are ignored.
    pub fn remove_path(&mut self, r: usize) {
        self.paths[r].leave();
        self.algorithm.path_removed(&mut self.paths, r);
    }

    /// An acknowledgement arrived on path `r`.
    #[inline]
    pub fn on_ack(&mut self, r: usize, ack: &Ack) {
        let path = &mut self.paths[r];
        if !path.active {
            return;
        }
        path.measure(ack);
        self.update_counts(ack.now);
        if ack.cwnd_limited {
            self.algorithm.acked(&mut self.paths, r, ack);
        } else {
            self.algorithm.acked(&mut self.paths, r, &Ack { acked: 0.0, ..*ack });
            self.algorithm.app_limited(&mut self.paths, r, ack.now);
        }
        self.settle(r);
    }

    /// Congestion on path `r`. After a timeout the window is one segment (RFC 5681 §3.1).
    pub fn on_congestion(&mut self, r: usize, event: &Congestion) {
        if !self.paths[r].active {
            return;
        }
        self.before[r] = Some(self.paths[r]);
        self.update_counts(event.now);
        let path = &mut self.paths[r];
        path.counts = path.srtt > 0.0; // always in its own event
        self.algorithm.congestion(&mut self.paths, r, event);
        self.paths[r].at(event.now);
        self.paths[r].lost();
        if event.signal == Signal::Timeout {
            self.paths[r].timed_out();
        }
        self.settle(r);
    }

    /// A timeout behind congestion that the path has already answered takes its place, as if it had come at that time, so that the algorithm
    /// reduces once, and an undo leads back to what was before both. The window is one segment. The threshold stays, and so does the
    /// interval that the congestion began (Linux' `tcp_enter_loss`).
    pub fn on_timeout_again(&mut self, r: usize, now: Seconds) {
        let (before, answered) = (self.before[r], self.paths[r]);
        let replaced = before.filter(|_| self.paths[r].active && !self.algorithm.is_model_based());
        if let Some(before) = replaced {
            if self.algorithm.timed_out_again(&mut self.paths, r, now) {
                self.update_counts(now);
                self.paths[r].timed_out();
                self.settle(r);
                return;
            }
            self.paths[r].restore(&before);
            self.paths[r].measured_as(&before);
            self.algorithm.spurious(&mut self.paths, r);
        }
        self.on_congestion(r, &Congestion { now, signal: Signal::Timeout });
        self.paths[r].ssthresh = answered.ssthresh;
        self.paths[r].measured_as(&answered);
        self.before[r] = before;
    }

    /// After a timeout on path `r`, where `in_flight` segments are too young to be lost: the window has room for one more
    /// (Linux' `tcp_enter_loss`).
    pub fn allow_after_timeout(&mut self, r: usize, in_flight: Segments) {
        if self.paths[r].active {
            (self.paths[r].cwnd, self.paths[r].in_flight) = (in_flight + 1.0, in_flight);
            self.settle(r);
        }
    }

    /// Path `r` blocks the connection's receive window: halves its window and sets its threshold to the result (Raiciu et al.,
    /// NSDI 2012, §4.2). This ends slow start, which would double the window again within the round trip between two
    /// penalties. It is not congestion, so the algorithm is not called.
    pub fn penalise(&mut self, r: usize) {
        let path = &mut self.paths[r];
        if path.active {
            path.cwnd /= 2.0;
            path.ssthresh = path.cwnd.max(MIN_SSTHRESH);
            self.settle(r);
        }
    }

    /// Whether the algorithm models its paths: see [`Algorithm::is_model_based`].
    pub fn is_model_based(&self) -> bool {
        self.algorithm.is_model_based()
    }

    /// A segment of path `r` was deemed lost: see [`Algorithm::lost`].
    pub fn on_lost(&mut self, r: usize, lost: &LostSegment) {
        if self.paths[r].active {
            self.algorithm.lost(&mut self.paths, r, lost);
            self.settle(r);
        }
    }

    /// The last congestion event on path `r` was spurious: its window and threshold return (RFC 4015
    /// §3.2), unless the window has outgrown the former one (RFC 9438 §4.9). Without an event that
    /// could be undone, nothing happens.
    pub fn on_spurious(&mut self, r: usize) {
        let path = &mut self.paths[r];
        if let Some(before) = self.before[r].take()
            && path.active
        {
            if path.cwnd <= before.cwnd {
                path.restore(&before);
                path.at(self.now);
            } else if !self.algorithm.is_model_based() {
                return; // only a model is restored regardless of the window
            }
            self.algorithm.spurious(&mut self.paths, r);
            self.settle(r);
        }
    }

    /// Restarts path `r` after a pause in which it lost its ACK clock: the window is at most `cwnd` (RFC 5681 §4.1), and the
    /// threshold at least three quarters of the former window (RFC 2861 §3.2; Linux' `tcp_cwnd_restart`). This reduction is
    /// not undone. A model of the path survives the pause, and so does its window, as in Linux.
    pub fn restart(&mut self, r: usize, now: Seconds, cwnd: Segments) {
        if self.paths[r].active && !self.is_model_based() {
            self.before[r] = None;
            let path = &mut self.paths[r];
            path.ssthresh = path.ssthresh.max(0.75 * path.cwnd);
            path.cwnd = path.cwnd.min(cwnd);
            self.algorithm.app_limited(&mut self.paths, r, now);
            self.settle(r);
        }
    }

    /// Row `r` of the table.
    #[inline]
    pub fn path(&self, r: usize) -> &Path {
        &self.paths[r]
    }

    /// The whole table, rows of removed paths included.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The algorithm's observables for path `r`, in the registry's order; see [`Algorithm::observe`].
    pub fn observe(&self, r: usize, out: &mut [f64]) {
        out.fill(f64::NAN);
        self.algorithm.observe(&self.paths, r, out);
    }

    /// Updates which paths count, once per event.
    #[inline]
    fn update_counts(&mut self, now: Seconds) {
        self.now = now;
        match &mut self.paths[..] {
            [path] => path.at(now), // most connections have one
            paths => paths.iter_mut().for_each(|path| path.at(now)),
        }
    }

    #[inline]
    fn settle(&mut self, r: usize) {
        let path = &mut self.paths[r];
        path.cwnd = path.cwnd.clamp(MIN_CWND, MAX_CWND);
        raise(&mut path.largest_cwnd, path.cwnd);
        if self.paced && path.srtt > 0.0 {
            let gain = if path.in_slow_start() { PACING_GAIN_SLOW_START } else { PACING_GAIN };
            path.pacing_rate = Some(gain * path.cwnd / path.srtt);
        }
    }
}
