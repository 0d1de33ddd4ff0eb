//! The programs in the running kernel. Each test that loads some waits until no other has any (`anabranch_test_support::kernel::Kernel`).

mod backup;
mod churn;
#[path = "../../compile.rs"]
mod compile;
mod compilers;
mod dark;
mod delay;
mod duel;
mod ecn;
mod ghosts;
mod load;
mod marker;
mod monitor;
mod private;
mod proof;
mod repair;
mod shares;
mod sockets;
mod upgrade;
mod windows;
