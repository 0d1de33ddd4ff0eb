//! `multipath-cc` for C: the header is `include/multipath_cc.h`, the library `libmultipath_cc_c.a`.
//!
//! A group is of one connection, and used by one thread at a time. Every function takes a group of `mpcc_new` and a row of
//! `mpcc_join`. Rows that do not exist are ignored.

use anabranch_cc::{Ack, Congestion, Group, Signal, registry};
use std::ffi::{CStr, c_char};

/// The congestion control of one connection: its paths, and the algorithm that couples them.
pub struct MpccGroup {
    group: Group,
    /// Row and time of the last event, if it was a loss or marks.
    reduced: Option<(usize, f64)>,
}

/// An acknowledgement that arrived on a path. Amounts are in full packets, times in seconds since any origin.
#[repr(C)]
pub struct MpccAck {
    /// When it arrived.
    pub now: f64,
    /// Packets it newly acknowledged that may grow the window: 0 if they were sent before the path's last congestion.
    pub acked: f64,
    /// Packets it newly acknowledged.
    pub delivered: f64,
    /// The round-trip time that it measured; 0 if it did not.
    pub rtt: f64,
    /// The smoothed round-trip time; 0 before the first sample.
    pub srtt: f64,
    /// Packets in flight after it.
    pub in_flight: f64,
    /// Counts round trips: it steps when a packet sent after the last step is acknowledged.
    pub round: u64,
    /// Whether the window, not the application, the receiver or pacing, limited the sender. Where it did not, the window does not grow.
    pub cwnd_limited: bool,
}

/// What a path may send.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MpccPath {
    /// The congestion window, in full packets; 0 for a row that is not in use.
    pub window: f64,
    /// The slow-start threshold; infinite until the first congestion.
    pub ssthresh: f64,
    /// Packets per second; 0 sends as the window opens.
    pub pacing_rate: f64,
    /// Whether the algorithm keeps the path from carrying new data, though it could.
    pub barred: bool,
}

/// A connection without paths, for the algorithm of that name with its default parameters. NULL if there is no such algorithm, or if it needs
/// delivery rates.
///
/// # Safety
/// `algorithm` is a string or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_new(algorithm: *const c_char) -> *mut MpccGroup {
    if algorithm.is_null() {
        return std::ptr::null_mut();
    }
    let name = unsafe { CStr::from_ptr(algorithm) };
    let group = name.to_str().ok().and_then(registry::find).and_then(|entry| entry.group(&[]).ok());
    match group.filter(|group| !group.is_model_based()) {
        Some(group) => Box::into_raw(Box::new(MpccGroup { group, reduced: None })),
        None => std::ptr::null_mut(),
    }
}

/// The connection ends. NULL is allowed.
///
/// # Safety
/// The group is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_free(group: *mut MpccGroup) {
    if !group.is_null() {
        drop(unsafe { Box::from_raw(group) });
    }
}

/// Adds a path with that smoothed round-trip time, 0 if it is not known, and first window, and returns its row. Rows of paths that left
/// are used again.
///
/// # Safety
/// The group is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_join(group: *mut MpccGroup, srtt: f64, initial_window: f64) -> usize {
    let MpccGroup { group, reduced } = unsafe { &mut *group };
    *reduced = None;
    group.add_path(srtt, initial_window)
}

unsafe fn with(group: *mut MpccGroup, row: usize, event: impl FnOnce(&mut Group)) {
    let MpccGroup { group, reduced } = unsafe { &mut *group };
    *reduced = None;
    if group.paths().get(row).is_some_and(|path| path.active) {
        event(group);
    }
}

/// The path ends.
///
/// # Safety
/// The group is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_leave(group: *mut MpccGroup, row: usize) {
    unsafe { with(group, row, |group| group.remove_path(row)) }
}

/// An acknowledgement arrived.
///
/// # Safety
/// The group and the acknowledgement are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_on_ack(group: *mut MpccGroup, row: usize, ack: *const MpccAck) {
    let ack = unsafe { &*ack };
    let ack = Ack {
        now: ack.now,
        acked: ack.acked,
        delivered: ack.delivered,
        rtt: (ack.rtt > 0.0).then_some(ack.rtt),
        srtt: ack.srtt,
        in_flight: ack.in_flight,
        round: ack.round,
        cwnd_limited: ack.cwnd_limited,
        rate: None,
    };
    unsafe { with(group, row, |group| group.on_ack(row, &ack)) }
}

unsafe fn congestion(group: *mut MpccGroup, row: usize, now: f64, signal: Signal) {
    unsafe { with(group, row, |group| group.on_congestion(row, &Congestion { now, signal })) }
    unsafe { &mut *group }.reduced = (signal != Signal::Timeout).then_some((row, now));
}

/// A packet was lost: once for all losses of a round trip.
///
/// # Safety
/// The group is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_on_loss(group: *mut MpccGroup, row: usize, now: f64) {
    unsafe { congestion(group, row, now, Signal::Loss) }
}

/// The receiver reported ECN marks: once in a round trip.
///
/// # Safety
/// The group is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_on_ecn(group: *mut MpccGroup, row: usize, now: f64) {
    unsafe { congestion(group, row, now, Signal::Ecn) }
}

/// Persistent congestion (RFC 9002): the window becomes one packet. Right behind `mpcc_on_loss` or `mpcc_on_ecn` of the path at the
/// same time, as in that RFC's section B.8, the threshold stays.
///
/// # Safety
/// The group is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_on_timeout(group: *mut MpccGroup, row: usize, now: f64) {
    if unsafe { &*group }.reduced == Some((row, now)) {
        unsafe { with(group, row, |group| group.on_timeout_again(row, now)) }
    } else {
        unsafe { congestion(group, row, now, Signal::Timeout) }
    }
}

/// The last congestion event of the path was spurious: its window returns.
///
/// # Safety
/// The group is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_on_spurious(group: *mut MpccGroup, row: usize) {
    unsafe { with(group, row, |group| group.on_spurious(row)) }
}

/// What the path may send. Its window changes with events of this path only, `barred` also when another path joins or leaves.
///
/// # Safety
/// The group is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpcc_path(group: *const MpccGroup, row: usize) -> MpccPath {
    let group = unsafe { &(*group).group };
    match group.paths().get(row).filter(|path| path.active) {
        Some(path) => MpccPath {
            window: path.cwnd,
            ssthresh: path.ssthresh,
            pacing_rate: path.pacing_rate.unwrap_or(0.0),
            barred: path.barred,
        },
        None => MpccPath { window: 0.0, ssthresh: 0.0, pacing_rate: 0.0, barred: false },
    }
}
