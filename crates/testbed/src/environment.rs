//! Whether this machine, and this user, can run anything on its kernel.

use crate::TestbedError;
use anabranch_scenario::Scenario;
use std::fs::OpenOptions;
use std::path::Path;

const TUN: &str = "/dev/net/tun";
const MPTCP: &str = "/proc/sys/net/mptcp/enabled";

/// An error that says what is missing, and what to do.
pub(crate) fn check(scenario: &Scenario) -> Result<(), TestbedError> {
    let lacks = |why: String| Err(TestbedError::Environment(why));
    if !rustix::process::geteuid().is_root() {
        return lacks("a run on the kernel makes network namespaces and devices: it needs root".into());
    }
    if let Err(why) = OpenOptions::new().read(true).write(true).open(TUN) {
        return lacks(format!("cannot open {TUN}: {why}; the kernel's module `tun` makes it (modprobe tun)"));
    }
    if scenario.flows.iter().any(|flow| flow.is_multipath()) && !Path::new(MPTCP).exists() {
        return lacks(format!("this kernel has no MPTCP: {MPTCP} is missing (CONFIG_MPTCP)"));
    }
    Ok(())
}
