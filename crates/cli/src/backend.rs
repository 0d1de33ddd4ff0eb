//! The backends and traffic generators, as values of options.

use anabranch::linux::{GUEST_6_1, GUEST_6_12, GUEST_NEWEST, KERNEL};
use anabranch::{Runner, SIM};
use clap::ValueEnum;

/// The traffic generator on a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrafficName {
    /// Threads of the command, which check every byte.
    Own,
    /// iperf3, for bulk flows without an end.
    Iperf3,
}

/// The backend that runs a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// The simulator.
    Sim,
    /// The running Linux kernel: real sockets in network namespaces, links emulated in real time. Needs root.
    Kernel,
    /// The same on Debian's Linux 6.12 under QEMU, in virtual time: slower, but reproducible.
    #[value(name = "guest-6.12", alias = "guest")]
    Guest612,
    /// The same on Debian's Linux 6.1.
    #[value(name = "guest-6.1")]
    Guest61,
    /// The same on Debian's newest Linux.
    #[value(name = "guest-newest")]
    GuestNewest,
}

impl BackendName {
    /// The backend of this name.
    pub fn runner(self) -> &'static Runner {
        match self {
            BackendName::Sim => &SIM,
            BackendName::Kernel => &KERNEL,
            BackendName::Guest612 => &GUEST_6_12,
            BackendName::Guest61 => &GUEST_6_1,
            BackendName::GuestNewest => &GUEST_NEWEST,
        }
    }

    /// The options that select it and `--linux-hosts` on a command line, after a space.
    pub fn options(self, linux_hosts: bool) -> String {
        self.runner().option() + if linux_hosts { " --linux-hosts" } else { "" }
    }
}
