//! Hosts of the testbed, where the machine can have them.

use crate::kernel::{MPTCP, is_required, lacking, skipped};
use crate::namespace;
use anabranch_testbed::Host;

/// Whether the machine can take part, with these programs. Where not, the test is skipped and says why; with
/// ANABRANCH_REQUIRE_KERNEL=1 it fails.
pub fn kernel(tools: &[&str]) -> Option<()> {
    takes_part(lacking(&[MPTCP, ("/dev/net/tun", "TUN devices")], tools))
}

/// The same of what a test finds lacking itself.
pub fn takes_part(lacking: Option<String>) -> Option<()> {
    let Some(why) = lacking else { return Some(()) };
    assert!(!is_required(), "{why}");
    skipped(&why);
    None
}

/// Waits until it is so.
pub fn until(what: &str, so: impl FnMut() -> bool) {
    crate::kernel::until(so, what);
}

/// Runs a command in a host to its end, which must be a good one; its standard output.
pub fn run(host: &Host, command: &str) -> String {
    host.run(|| namespace::run(command)).unwrap()
}
