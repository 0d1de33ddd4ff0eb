//! The kernel's arithmetic behind the contract of `multipath-cc`, for the simulator.

use crate::group::Table;
use crate::shared::{self, Functions, PATHS, Pending, Samples};
use anabranch_cc::{Ack, Algorithm, Congestion, Path, Seconds, Signal};

/// One connection under an algorithm of the kernel.
pub(crate) struct Kernel {
    table: Table,
    rows: Vec<Row>,
    /// Whether acknowledgements are taken together.
    together: bool,
    /// When the last event was, microseconds.
    now: u64,
}

/// The state that a row's events need beyond the table.
#[derive(Clone, Default)]
struct Row {
    round: u64,
    /// When the last acknowledgement arrived, microseconds.
    acked_at: u64,
    /// Unreported fractions of segments: the kernel counts whole ones.
    acked: f64,
    delivered: f64,
    /// Acknowledgements not reported to the table.
    pending: Pending,
}

/// The simulator reports timeouts: what is in flight is not deemed lost before.
const NEVER: u64 = u64::MAX / 2;

/// L of HyStart++ (RFC 9406, section 4.3), as in the reference.
const BURST: u32 = 8;

fn microseconds(time: Seconds) -> u64 {
    (time * 1e6).round() as u64
}

/// A round-trip time as the kernel has it: whole microseconds, one at least.
fn rtt(time: Seconds) -> u32 {
    (time * 1e6).round().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// A smoothed one: 0 before the first sample.
fn smoothed(time: Seconds) -> u32 {
    if time > 0.0 { rtt(time) } else { 0 }
}

/// The whole segments in `sum`, which keeps the rest.
fn whole(sum: &mut f64, more: f64) -> u32 {
    *sum += more;
    let whole = sum.floor();
    *sum -= whole;
    whole as u32
}

impl Kernel {
    pub fn new(functions: &'static Functions, together: bool) -> Self {
        Kernel { table: Table::new(functions), rows: Vec::new(), together, now: 0 }
    }

    /// The transport may have changed windows and thresholds since the last event: on other paths, too, where it penalised one.
    fn adopt(&mut self, paths: &[Path]) {
        for (r, path) in paths.iter().enumerate().filter(|(_, path)| path.active) {
            let view = self.table.view(r);
            if view.cwnd != path.cwnd || view.ssthresh != path.ssthresh {
                self.table.set(r, path.cwnd, path.ssthresh);
            }
        }
    }

    fn publish(&self, path: &mut Path, r: usize) {
        if r < PATHS {
            let view = self.table.view(r);
            path.cwnd = view.cwnd;
            path.ssthresh = view.ssthresh;
        }
    }
}

impl Algorithm for Kernel {
    fn path_added(&mut self, paths: &mut [Path], r: usize) {
        self.rows.resize(paths.len().max(self.rows.len()), Row::default());
        self.rows[r] = Row { round: paths[r].round, ..Row::default() };
        self.table.added(r, r as u64 + 1, paths[r].cwnd, smoothed(paths[r].srtt));
        self.publish(&mut paths[r], r);
    }

    fn path_removed(&mut self, _: &mut [Path], r: usize) {
        self.table.removed(r);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.adopt(paths);
        let row = &mut self.rows[r];
        self.now = microseconds(ack.now);
        row.acked_at = self.now;
        let ack = shared::Ack {
            now: self.now,
            acked: whole(&mut row.acked, ack.acked),
            delivered: whole(&mut row.delivered, ack.delivered),
            rtt: Samples::one(ack.rtt.map_or(0, rtt)),
            srtt: smoothed(ack.srtt),
            ends_round: (ack.round != row.round).into(),
            limited: ack.cwnd_limited.into(),
            rto: if ack.in_flight > 0.0 { NEVER } else { 0 },
            burst: BURST,
        };
        row.round = paths[r].round;
        self.table.ack(r, self.together.then_some(&mut row.pending), &ack);
        self.publish(&mut paths[r], r);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        self.adopt(paths);
        self.now = microseconds(event.now);
        let pending = self.together.then_some(&mut self.rows[r].pending);
        self.table.congestion(r, pending, self.now);
        if event.signal == Signal::Timeout {
            self.table.timed_out(r);
        }
        self.publish(&mut paths[r], r);
    }

    /// Linux reduces once per window: the timeout is a change of state only (`tcp_enter_loss`).
    fn timed_out_again(&mut self, paths: &mut [Path], r: usize, now: Seconds) -> bool {
        self.adopt(paths);
        self.now = microseconds(now);
        self.table.timed_out(r);
        self.publish(&mut paths[r], r);
        true
    }

    fn spurious(&mut self, paths: &mut [Path], r: usize) {
        self.table.spurious(r);
        self.publish(&mut paths[r], r);
    }

    /// Sending begins again, as the kernel reports. An acknowledgement says itself whether the application limited
    /// the sender, and may wait.
    fn app_limited(&mut self, _: &mut [Path], r: usize, now: Seconds) {
        let now = microseconds(now);
        if now > self.rows[r].acked_at {
            self.table.paused(r, now);
        }
    }

    fn observe(&self, _: &[Path], r: usize, out: &mut [f64]) {
        self.table.observe(r, self.now, out);
    }
}
