//! Coupled congestion control for the MPTCP of an unmodified Linux kernel: the programs, built from the headers of
//! `anabranch-cc-fixed`, their loader, and a monitor of their sockets.
//!
//! ```no_run
//! use anabranch_cc_fixed::registry;
//!
//! let lia = registry::find_kernel("lia").expect("the kernel has LIA");
//! anabranch_mptcp_bpf::load(lia)?; // stays when the process ends
//! for loaded in anabranch_mptcp_bpf::instances()? {
//!     println!("{}: {:?}", loaded.entry.kernel_name, loaded.counters());
//! }
//! anabranch_mptcp_bpf::unload(lia)?;
//! # Ok::<(), anabranch_mptcp_bpf::Error>(())
//! ```
//!
//! Files keep the objects of a loaded algorithm alive. They are in the directory of [`Pins`],
//! `/sys/fs/bpf/anabranch/ab_NAME/`: `link`, the registration (on kernels without such links `ops`, the registered map),
//! `connections`, the table of connections, and `counters`. A [`Private`] algorithm has no files and ends with its process.

mod cost;
mod coupling;
mod doctor;
mod error;
mod ghosts;
mod instance;
mod layout;
mod load;
mod lock;
mod messages;
mod monitor;
mod namespace;
mod object;
mod pins;
mod private;
mod programs;
mod system;
mod table;

pub use anabranch_cc_fixed::shared::Counters;
pub use cost::{Cost, measure};
pub use coupling::{Coupling, CouplingReport};
pub use doctor::{Check, MPTCP_ENABLED, Verdict, doctor, privileges, skips_calls};
pub use error::Error;
pub use instance::{Instance, Occupancy, instances};
#[doc(hidden)]
pub use load::omit_missing;
pub use load::{Load, Registration, Unload, load, load_as, pinned, unload};
#[doc(hidden)]
pub use monitor::example;
pub use monitor::{
    Connection, Filter, Key, Monitor, Namespaces, Recorder, Sample, Sampler, Snapshot, Subflow, Watch,
    Watched, WatchedSubflow,
};
pub use namespace::{Namespace, available, selecting_namespaces};
pub use object::{build, object};
pub use pins::Pins;
pub use private::{Private, is_private_name};
