//! Requirements of commands on the kernel: the algorithm, privileges and kernel features.

use anabranch::{Error, unknown_algorithm};
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_mptcp_bpf::{Check, Verdict};
use miette::miette;

/// Converts an error of the library.
pub fn failed(error: anabranch_mptcp_bpf::Error) -> Error {
    Error::Input(miette!("{error}"))
}

/// Returns an error if a requirement is missing, with help to install it.
pub fn missing<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Result<(), Error> {
    let missing: Vec<_> = checks.into_iter().filter(|c| c.verdict == Verdict::Missing).collect();
    let [first, others @ ..] = &missing[..] else { return Ok(()) };
    let mut help = first.help.to_owned();
    if !others.is_empty() {
        help += "\n`anabranch kernel doctor` lists what else is missing";
    }
    Err(Error::Input(miette!(help = help, "{}: {}", first.title, first.found)))
}

/// Requires the privileges to inspect the kernel's programs.
pub fn require_privileges() -> Result<(), Error> {
    missing([&anabranch_mptcp_bpf::privileges()])
}

/// Finds the algorithm for the kernel called `name`.
pub fn find(name: &str) -> Result<&'static KernelEntry, Error> {
    let names = registry::all().iter().map(|entry| entry.reference.name);
    registry::find_kernel(name).ok_or_else(|| unknown_algorithm(name, names))
}
