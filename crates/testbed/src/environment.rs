//! Checks whether this machine and this user can run scenarios on the kernel.

use crate::device::Tun;
use crate::{Host, TestbedError, Traffic};
use anabranch_scenario::Scenario;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::env;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

const TUN: &str = "/dev/net/tun";
const MPTCP: &str = "/proc/sys/net/mptcp/enabled";

/// The most open files per path: two devices, and the flow's sockets, hosts and threads.
const FILES_PER_PATH: u64 = 16;
/// Open files of everything else.
const FILES: u64 = 64;

/// The running kernel's release, as in `uname -r`.
pub fn release() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

/// Checks whether scenarios can run here: creates and removes a namespace with a device.
///
/// # Errors
/// [`TestbedError::Environment`] with the missing requirement and the remedy.
pub fn ready() -> Result<(), TestbedError> {
    has_privileges()?;
    if let Err(why) = OpenOptions::new().read(true).write(true).open(TUN) {
        let help = "load the kernel module `tun` (modprobe tun)";
        return missing_requirement(format!("cannot open {TUN}: {why}; {help}"));
    }
    let device = || Host::new()?.run(|| Tun::open("path1", 1500).map(drop))?;
    device().or_else(|why| {
        missing_requirement(format!("the testbed lacks privileges although it runs as root: {why}"))
    })
}

/// The same for a scenario and its traffic.
pub(crate) fn check(scenario: &Scenario, traffic: Traffic) -> Result<(), TestbedError> {
    has_privileges()?;
    let multipath = scenario.flows.iter().any(|flow| flow.is_multipath());
    if multipath && !Path::new(MPTCP).exists() {
        return missing_requirement(format!("this kernel lacks MPTCP: {MPTCP} is missing (CONFIG_MPTCP)"));
    }
    if traffic == Traffic::Iperf3 {
        find("iperf3")?;
        if multipath {
            find("mptcpize")?;
        }
    }
    let paths: usize = scenario.flows.iter().map(|flow| flow.paths.len()).sum();
    allow_files(FILES + FILES_PER_PATH * paths as u64)
}

fn has_privileges() -> Result<(), TestbedError> {
    if rustix::process::geteuid().is_root() {
        return Ok(());
    }
    missing_requirement("runs on the kernel need root, for network namespaces and devices".into())
}

fn missing_requirement(why: String) -> Result<(), TestbedError> {
    Err(TestbedError::Environment(why))
}

/// Finds a program's file in PATH.
pub(crate) fn find(program: &str) -> Result<PathBuf, TestbedError> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&folders).map(|folder| folder.join(program));
    let found = files.find(|file| file.is_file());
    found.ok_or_else(|| TestbedError::Environment(format!("{program} is not installed")))
}

/// Raises this process's limit of open files to `files`.
fn allow_files(files: u64) -> Result<(), TestbedError> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= files) {
        return Ok(());
    }
    if limit.maximum.is_some_and(|most| most < files) {
        return missing_requirement(format!(
            "the scenario needs about {files} open files, more than this process's limit (ulimit -n)"
        ));
    }
    limit.current = Some(files);
    setrlimit(Resource::Nofile, limit).map_err(TestbedError::kernel("allow more open files"))
}
