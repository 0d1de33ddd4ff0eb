//! Runs a scenario on the running Linux kernel. Each host is a network namespace, each connection a real socket, and an
//! emulator over TUN devices runs the link models of `anabranch-net`.
//!
//! The link models are the simulator's, in real time, so that only the hosts differ.

pub mod algorithm;
mod capacity;
pub mod clock;
mod counters;
pub mod device;
pub mod emulator;
mod environment;
mod error;
mod express;
mod guest;
mod hardware;
mod host;
mod meter;
pub mod netlink;
mod observe;
pub mod pair;
mod process;
pub mod realtime;
mod recording;
mod run;
mod socket;
mod stolen;
mod summary;
mod sys;
pub mod tcp_info;
pub mod traffic;
mod virtual_time;

pub use counters::counter;
pub use environment::{ready, release};
pub use error::TestbedError;
pub use express::{check, check_for_guest};
pub use guest::{Guest, SampleWriter};
pub use host::Host;
pub use run::{RunOptions, run};
pub use summary::Limits;
pub use traffic::Traffic;
pub use virtual_time::declare_virtual_time;
