//! Congestion control for one connection over one or several paths.
//!
//! Coupling is a property of a *connection*, so a controller owns all of its paths. A [`Group`] holds
//! a small table with one [`Path`] row per path; the transport reports each path's events
//! (acknowledged, congestion, timeout, spurious, path added, path removed), and an [`Algorithm`]
//! answers by writing that row's window and, if it paces, its pacing rate.
//!
//! ```
//! use multipath_cc::{registry, Ack};
//!
//! let mut group = registry::find("reno").unwrap().group(&[]).unwrap();
//! let r = group.add_path(0.0, 10.0);
//! group.on_ack(r, &Ack { now: 0.1, acked: 2.0, rtt: Some(0.1), srtt: 0.1, cwnd_limited: true, ..Ack::default() });
//! assert_eq!(group.path(r).cwnd, 12.0);
//! ```
//!
//! A transport with a controller of its own for each path shares the group: `SharedGroup::join` gives each a `Row`. With the feature
//! `noq`, the module of that name does so for the QUIC stack noq.
//!
//! The crate has no clock, does no I/O, needs `std` for these two features only, and allocates only when a path is added.
//! Windows are real numbers of segments; times are seconds since an origin of the caller's choice.
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

/// Its example.
#[cfg(all(doctest, feature = "noq"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Every algorithm, in the order of lists: its file and the entries there. After a slash, the variants with the arithmetic of
/// out-of-tree MPTCP.
macro_rules! algorithms {
    ($($file:ident: $($entry:ident),+ $(/ $($v0:ident),+)?;)*) => {
        $(mod $file;)*
        const ALL: &[&entry::Entry] = &[$($(&$file::$entry),+),*];
        const V0: &[&entry::Entry] = &[$($($(&$file::$v0,)+)?)*];
    };
}

algorithms! {
    reno: ENTRY;
    cubic: ENTRY;
    highspeed: ENTRY;
    vegas: ENTRY;
    compound: ENTRY;
    bbr: ENTRY;
    uncoupled: ENTRY;
    independent: ENTRY;
    ewtcp: ENTRY;
    coupled: ENTRY;
    lia: ENTRY / V0;
    olia: ENTRY / V0;
    balia: ENTRY / V0;
    adw: LIA, OLIA, BALIA / BALIA_V0;
    wvegas: ENTRY / V0;
    wcompound: ENTRY;
    coupled_cubic: ENTRY, ENTRY_A1 / V0, V0_A1;
    mptcp_sbd: ENTRY;
    mpbbr: ENTRY;
    linked_bbr: ENTRY;
    linked_cubic: ENTRY;
}

mod aimd;
mod algorithm;
mod bottlenecks;
mod compound_window;
mod cubic_linux;
mod cubic_window;
mod deliveries;
mod entry;
mod group;
mod hystart;
mod linked;
pub mod math;
#[cfg(feature = "noq")]
pub mod noq;
mod path;
mod rate;
pub mod registry;
pub mod response;
mod rounds;
#[cfg(feature = "std")]
mod shared;
pub mod slow_start;
mod undo;
mod units;
mod v0;

pub use algorithm::{Ack, Algorithm, Congestion, Signal, SinglePath};
pub(crate) use algorithm::{fill, renew};
pub use deliveries::{Deliveries, Sent};
pub use group::Group;
pub use path::{MAX_CWND, MIN_CWND, MIN_SSTHRESH, Path};
pub use rate::{LostSegment, RateSample};
#[cfg(feature = "std")]
pub use shared::{Row, SharedGroup};
pub use uncoupled::Uncoupled;
pub use units::{Seconds, Segments};
