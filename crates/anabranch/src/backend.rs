//! The simulator, the Linux kernels and the QUIC stack that can run a scenario.
//!
//! To add a backend, write its [`Runner`] in a file of its own, and its line in [`RUNNERS`]: the book has the details.

use crate::linux::{GUEST_6_1, GUEST_6_12, GUEST_NEWEST, KERNEL};
use crate::quic::NOQ;
use crate::runner::{Runner, SIM};
use anabranch_study::{Backend, Backends};
use std::sync::LazyLock;

/// All of them, each with its description.
pub static RUNNERS: &[(&Runner, &str)] = &[
    (&SIM, "The simulator"),
    (
        &KERNEL,
        "The running Linux kernel: real sockets in network namespaces, links emulated in real time. Needs root",
    ),
    (&GUEST_6_12, "The same on Debian's Linux 6.12 under QEMU, in virtual time: slower, but reproducible"),
    (&GUEST_6_1, "The same on Debian's Linux 6.1"),
    (&GUEST_NEWEST, "The same on Debian's newest Linux"),
    (&NOQ, "The QUIC stack noq in virtual time: flows are multipath QUIC connections"),
];

/// Their backends.
pub fn backends() -> Backends<'static> {
    static ALL: LazyLock<Vec<&dyn Backend>> =
        LazyLock::new(|| RUNNERS.iter().map(|(runner, _)| runner.backend).collect());
    Backends(&ALL)
}
