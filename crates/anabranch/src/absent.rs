//! Backends that this build leaves out: names, and why they run nothing.

#[cfg(not(feature = "quic"))]
use crate::qlog::Traces;
use crate::{Error, Runner};
use anabranch_record::{KeepGoing, Sink, Summary};
#[cfg(not(feature = "quic"))]
use anabranch_sim::tap::Tap;
use anabranch_study::{Backend, Task, TaskError};
use miette::miette;

/// A backend of a feature that the build lacks.
struct Absent {
    name: &'static str,
    why: &'static str,
}

impl Backend for Absent {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, _: &Task, _: &mut dyn Sink, _: KeepGoing<'_>) -> Result<Summary, TaskError> {
        Err(TaskError::Refused(self.why.into()))
    }
}

/// In the place of the module `linux`.
#[cfg(not(feature = "linux"))]
pub mod linux {
    use super::*;

    const WHY: &str = "this build has no support for Linux kernels: use the binary or the Debian package of a release, or build it with `--features linux`";

    /// The error of everything that needs Linux.
    pub fn unsupported() -> Error {
        Error::Input(miette!("{WHY}"))
    }

    const fn absent(backend: &'static Absent) -> Runner {
        Runner { with_iperf3: Some(backend), is_ready: || Err(unsupported()), ..Runner::of(backend) }
    }

    /// The running kernel.
    pub static KERNEL: Runner = absent(&Absent { name: "kernel", why: WHY });
    /// Debian's Linux 6.12 under QEMU.
    pub static GUEST_6_12: Runner = absent(&Absent { name: "guest-6.12", why: WHY });
    /// Debian's Linux 6.1.
    pub static GUEST_6_1: Runner = absent(&Absent { name: "guest-6.1", why: WHY });
    /// The newest Linux that Debian has.
    pub static GUEST_NEWEST: Runner = absent(&Absent { name: "guest-newest", why: WHY });
}

/// In the place of the module `quic`.
#[cfg(not(feature = "quic"))]
pub mod quic {
    use super::*;

    const WHY: &str = "this build has no QUIC: use the binary or the Debian package of a release, or build it with `--features quic`";

    /// The QUIC stack noq.
    pub static NOQ: Runner = Runner {
        is_ready: || Err(Error::Input(miette!("{WHY}"))),
        ..Runner::of(&Absent { name: "noq", why: WHY })
    };

    pub(crate) fn run(
        _: &Task,
        _: &mut dyn Sink,
        _: Option<&mut dyn Tap>,
        _: Option<&Traces>,
        _: KeepGoing<'_>,
    ) -> Result<Summary, TaskError> {
        Err(TaskError::Refused(WHY.into()))
    }
}
