//! A scenario on the running Linux kernel: each host is a network namespace, each link an emulator over TUN devices that asks
//! `anabranch-net` what becomes of a packet, each connection a real socket.
//!
//! The emulator runs the link models of the simulator in real time, so that what differs between the two is the hosts.

pub mod algorithm;
mod capacity;
pub mod clock;
pub mod device;
pub mod emulator;
mod environment;
mod error;
mod express;
mod guest;
mod host;
mod meter;
pub mod netlink;
mod observe;
pub mod pair;
mod realtime;
mod recording;
mod run;
mod socket;
mod stolen;
mod summary;
mod sys;
pub mod tcp_info;
pub mod traffic;

pub use environment::{ready, release};
pub use error::TestbedError;
pub use express::{check, check_for_guest};
pub use guest::{Guest, SampleWriter};
pub use host::Host;
pub use run::{RunOptions, Traffic, run};
pub use summary::Limits;
