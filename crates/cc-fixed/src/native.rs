//! The C side: the table of functions that `native/native.h` defines for each algorithm.

use std::ffi::c_void;

/// Rows of a group (`AB_PATHS`).
pub const PATHS: usize = 9;

/// `AB_NO_RTT`.
pub(crate) const NO_RTT: u32 = u32::MAX;

/// `AB_MAX_RTT`.
const MAX_RTT: u32 = 100_000_000;

/// `struct ab_samples`.
#[repr(C)]
#[derive(Clone, Default)]
pub(crate) struct Samples {
    sum: u64,
    count: u32,
    last: u32,
    min: u32,
    max: u32,
}

impl Samples {
    /// One, in microseconds; 0 is none.
    pub fn one(rtt: u32) -> Self {
        let rtt = rtt.min(MAX_RTT);
        Samples { sum: rtt.into(), count: (rtt > 0).into(), last: rtt, min: rtt, max: rtt }
    }
}

/// `struct ab_ack`.
#[repr(C)]
#[derive(Clone, Default)]
pub(crate) struct Ack {
    pub rtt: Samples,
    pub now: u64,
    pub acked: u32,
    pub delivered: u32,
    pub srtt: u32,
    pub ends_round: u32,
    pub limited: u32,
    pub rto: u64,
}

/// `struct ab_waiting`.
#[repr(C)]
#[derive(Clone, Default)]
struct Waiting {
    paused: u64,
    acked: u32,
    shown: u32,
}

/// `struct ab_pending`.
#[repr(C)]
#[derive(Clone, Default)]
pub(crate) struct Pending {
    waiting: Waiting,
    ack: Ack,
    any: u32,
}

/// `struct ab_view`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct View {
    pub owner: u64,
    pub cwnd: f64,
    pub ssthresh: f64,
    pub srtt: u32,
    pub min_rtt: u32,
}

/// `struct ab_native`.
#[repr(C)]
pub(crate) struct Functions {
    pub group_size: u64,
    pub added: unsafe extern "C" fn(*mut c_void, u32, u64, f64, u32),
    pub removed: unsafe extern "C" fn(*mut c_void, u32),
    pub ack: unsafe extern "C" fn(*mut c_void, u32, *mut Pending, *const Ack),
    pub congestion: unsafe extern "C" fn(*mut c_void, u32, *mut Pending, u64, u32),
    pub spurious: unsafe extern "C" fn(*mut c_void, u32),
    pub set: unsafe extern "C" fn(*mut c_void, u32, f64, f64),
    pub adopt: unsafe extern "C" fn(*mut c_void, u32, u32, u32) -> i32,
    pub view: unsafe extern "C" fn(*const c_void, u32, *mut View),
    pub observe: unsafe extern "C" fn(*const c_void, u32, u64, *mut f64, u32),
}

unsafe extern "C" {
    pub(crate) static ab_native_reno: Functions;
    pub(crate) static ab_native_cubic: Functions;
    pub(crate) static ab_native_ewtcp: Functions;
    pub(crate) static ab_native_coupled_cubic: Functions;
    pub(crate) static ab_native_linked_cubic: Functions;
    pub(crate) static ab_native_lia: Functions;
    pub(crate) static ab_native_olia: Functions;
    pub(crate) static ab_native_balia: Functions;
    pub(crate) static ab_native_adw_balia: Functions;
    pub(crate) static ab_native_vegas: Functions;
    pub(crate) static ab_native_wvegas: Functions;
    pub(crate) static ab_native_compound: Functions;
    pub(crate) static ab_native_wcompound: Functions;
}
