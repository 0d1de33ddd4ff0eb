//! Stands for Linux in a build without the feature `linux`: names, and why they run nothing.

use crate::{Error, Runner};
use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_study::{Backend, Task, TaskError};
use miette::miette;

const WHY: &str = "this build has no support for Linux kernels: use the binary or the Debian package of a release, or build it with `--features linux`";

/// The error of everything that needs Linux.
pub fn unsupported() -> Error {
    Error::Input(miette!("{WHY}"))
}

struct Absent(&'static str);

impl Backend for Absent {
    fn name(&self) -> &str {
        self.0
    }

    fn run(&self, _: &Task, _: &mut dyn Sink, _: KeepGoing<'_>) -> Result<Summary, TaskError> {
        Err(TaskError::Refused(WHY.into()))
    }
}

const fn absent(backend: &'static Absent) -> Runner {
    Runner { backend, with_iperf3: Some(backend), variant: None, is_ready: || Err(unsupported()) }
}

/// The running kernel.
pub static KERNEL: Runner = absent(&Absent("kernel"));
/// Debian's Linux 6.12 under QEMU.
pub static GUEST_6_12: Runner = absent(&Absent("guest-6.12"));
/// Debian's Linux 6.1.
pub static GUEST_6_1: Runner = absent(&Absent("guest-6.1"));
/// The newest Linux that Debian has.
pub static GUEST_NEWEST: Runner = absent(&Absent("guest-newest"));
