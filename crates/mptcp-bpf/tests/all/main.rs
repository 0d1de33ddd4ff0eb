//! The programs in the running kernel. Each test that loads some waits until no other has any (`common::Kernel`).

mod backup;
mod churn;
mod common;
#[path = "../../compile.rs"]
mod compile;
mod compilers;
mod dark;
mod delay;
mod duel;
mod ecn;
mod ghosts;
mod load;
/// Beside `support`, which also serves a crate without this one's build script.
#[path = "support/marker.rs"]
mod marker;
mod monitor;
mod private;
mod programs;
mod proof;
mod repair;
mod shares;
mod sockets;
mod summary;
mod support;
mod upgrade;
mod windows;
#[path = "../../../testbed/tests/all/witness.rs"]
mod witness;
