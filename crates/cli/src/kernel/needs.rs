//! What every command on the kernel needs: an algorithm by its name, privileges, and the kernel's own parts.

use anabranch::{Error, unknown_algorithm};
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_mptcp_bpf::{Check, Verdict};
use miette::miette;

/// What the library says went wrong.
pub fn failed(error: anabranch_mptcp_bpf::Error) -> Error {
    Error::Input(miette!("{error}"))
}

/// That something is missing, with how to get it.
pub fn missing<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Result<(), Error> {
    let missing: Vec<_> = checks.into_iter().filter(|c| c.verdict == Verdict::Missing).collect();
    let [first, others @ ..] = &missing[..] else { return Ok(()) };
    let mut help = first.help.to_owned();
    if !others.is_empty() {
        help += "\n`anabranch kernel doctor` tells what else is missing";
    }
    Err(Error::Input(miette!(help = help, "{}: {}", first.title, first.found)))
}

/// What looking at the kernel's programs takes.
pub fn require_privileges() -> Result<(), Error> {
    missing([&anabranch_mptcp_bpf::privileges()])
}

/// The algorithm for the kernel called `name`.
pub fn find(name: &str) -> Result<&'static KernelEntry, Error> {
    let names = registry::all().iter().map(|entry| entry.reference.name);
    registry::find_kernel(name).ok_or_else(|| unknown_algorithm(name, names))
}
