//! A handle for each path, for transports whose paths do not know each other.

use crate::{Ack, Congestion, Group, LostSegment, Path, Seconds, Segments};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The [`Group`] of one connection, whose paths are in use at several places. It cannot be cloned: it belongs to the connection.
///
/// ```
/// use multipath_cc::{Ack, SharedGroup, registry};
///
/// let connection = SharedGroup::new(registry::find("lia").unwrap().group(&[]).unwrap());
/// let (wifi, lte) = (connection.join(0.0, 10.0), connection.join(0.0, 10.0));
/// wifi.on_ack(&Ack { now: 0.1, acked: 2.0, rtt: Some(0.1), srtt: 0.1, cwnd_limited: true, ..Ack::default() });
/// assert_eq!((wifi.window(), lte.window()), (12.0, 10.0));
/// drop(lte); // it leaves the group
/// assert!(connection.lock().paths().iter().filter(|path| path.active).count() == 1);
/// ```
pub struct SharedGroup(Arc<Mutex<Group>>);

impl SharedGroup {
    /// Shares a group, mostly one without paths yet.
    pub fn new(group: Group) -> SharedGroup {
        SharedGroup(Arc::new(Mutex::new(group)))
    }

    /// A new path: see [`Group::add_path`].
    pub fn join(&self, srtt: Seconds, initial_cwnd: Segments) -> Row {
        Row { r: self.lock().add_path(srtt, initial_cwnd), group: SharedGroup(self.0.clone()) }
    }

    /// The whole group. While it is locked, events of its paths wait.
    pub fn lock(&self) -> MutexGuard<'_, Group> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A path's row in a [`SharedGroup`]. When it is dropped, the path leaves the group.
pub struct Row {
    group: SharedGroup,
    r: usize,
}

impl Row {
    /// See [`Group::on_ack`].
    pub fn on_ack(&self, ack: &Ack) {
        self.group.lock().on_ack(self.r, ack);
    }

    /// See [`Group::on_congestion`].
    pub fn on_congestion(&self, event: &Congestion) {
        self.group.lock().on_congestion(self.r, event);
    }

    /// See [`Group::on_lost`].
    pub fn on_lost(&self, lost: &LostSegment) {
        self.group.lock().on_lost(self.r, lost);
    }

    /// See [`Group::on_spurious`].
    pub fn on_spurious(&self) {
        self.group.lock().on_spurious(self.r);
    }

    /// See [`Group::restart`].
    pub fn restart(&self, now: Seconds, cwnd: Segments) {
        self.group.lock().restart(self.r, now, cwnd);
    }

    /// See [`Group::set_ssthresh`].
    pub fn set_ssthresh(&self, threshold: Segments) {
        self.group.lock().set_ssthresh(self.r, threshold);
    }

    /// The path's state: window, threshold, round-trip times, and whether it counts.
    pub fn path(&self) -> Path {
        *self.group.lock().path(self.r)
    }

    /// The congestion window.
    pub fn window(&self) -> Segments {
        self.path().cwnd
    }

    /// The rate at which to send, in segments per second; `None` sends as the window opens.
    pub fn pacing_rate(&self) -> Option<f64> {
        self.path().pacing_rate
    }

    /// The path's place in the group's table.
    pub fn index(&self) -> usize {
        self.r
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        self.group.lock().remove_path(self.r);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Signal, registry};

    fn lia() -> SharedGroup {
        SharedGroup::new(registry::find("lia").unwrap().group(&[]).unwrap())
    }

    /// Controllers of paths are used by tasks that move between threads.
    #[test]
    fn it_can_be_shared_between_threads() {
        fn shared<T: Send + Sync>(_: &T) {}
        let group = lia();
        shared(&group);
        shared(&group.join(0.0, 10.0));
    }

    /// RFC 6356 §3 for two equal paths of 10 segments: α = 20 · (10/R²) / (2 · 10/R)² = 1/2. Each acknowledged segment adds α/20,
    /// and 1/w where a path is alone.
    #[test]
    fn rows_are_coupled_until_one_leaves() {
        let group = lia();
        let rows = [group.join(0.0, 20.0), group.join(0.0, 20.0)];
        let ack =
            |acked| Ack { now: 0.1, acked, rtt: Some(0.1), srtt: 0.1, cwnd_limited: true, ..Ack::default() };
        for row in &rows {
            row.on_ack(&ack(0.0));
            row.on_congestion(&Congestion { now: 0.1, signal: Signal::Loss });
            row.on_ack(&ack(0.0));
            assert_eq!(row.window(), 10.0);
        }
        let [first, second] = rows;
        let grown = |row: &Row| {
            let before = row.window();
            row.on_ack(&ack(1.0));
            row.window() - before
        };
        assert!((grown(&first) - 0.5 / 20.0).abs() < 1e-9, "α / Σw = 1/2 / 20");
        drop(second);
        let alone = 1.0 / first.window();
        assert!((grown(&first) - alone).abs() < 1e-9, "1 / w");
        assert_eq!(group.join(0.0, 10.0).index(), 1, "a freed row is used again");
    }
}
