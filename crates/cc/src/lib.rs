//! Congestion control for one connection over one or several paths.
//!
//! Coupling is a property of a *connection*, so a controller owns all of its paths. A [`Group`] holds
//! a small table with one [`Path`] row per path; the transport reports what happened on which path
//! (acknowledged, congestion, timeout, spurious, path added, path removed), and an [`Algorithm`]
//! answers by writing that row's window and, where it paces, its pacing rate.
//!
//! ```
//! use anabranch_cc::{registry, Ack};
//!
//! let mut group = registry::find("reno").unwrap().group(&[]).unwrap();
//! let r = group.add_path(0.0, 10.0);
//! group.on_ack(r, &Ack { now: 0.1, acked: 2.0, rtt: Some(0.1), srtt: 0.1, cwnd_limited: true, ..Ack::default() });
//! assert_eq!(group.path(r).cwnd, 12.0);
//! ```
//!
//! The crate has no clock, does no I/O, needs no `std`, and allocates only when a path is added.
//! Windows are real numbers of segments; times are seconds since an origin of the caller's choice.
#![no_std]

extern crate alloc;

mod adw;
mod aimd;
mod algorithm;
mod balia;
mod bbr;
mod bottlenecks;
mod group;
pub mod math;
mod path;
mod rate;
pub mod registry;
pub mod response;
mod similar;
pub mod slow_start;

mod compound;
mod compound_window;
mod coupled;
mod coupled_cubic;
mod cubic;
mod cubic_window;
mod ewtcp;
mod highspeed;
mod hystart;
mod independent;
mod lia;
mod linked;
mod linked_cubic;
mod mpbbr;
mod mptcp_sbd;
mod olia;
mod reno;
mod rounds;
mod uncoupled;
mod undo;
mod v0;
mod vegas;
mod wcompound;
mod wvegas;

pub use algorithm::{Ack, Algorithm, Congestion, Signal, SinglePath};
pub use group::Group;
pub use path::{MAX_CWND, MIN_CWND, MIN_SSTHRESH, Path};
pub use rate::{LostSegment, RateSample};
pub use uncoupled::Uncoupled;

/// A span of time or an instant, in seconds.
pub type Seconds = f64;

/// An amount of data, in full-sized segments. Windows may be fractional.
pub type Segments = f64;
