//! For tests that load algorithms into the running kernel: one at a time, and only where it can.
#![allow(dead_code, missing_docs)]

pub mod namespace;

use rustix::fs::{FlockOperation, flock};
use std::fs::{File, exists};
use std::io::{self, Write};

/// Says why a test does nothing: past the harness, which keeps to itself what a passing test prints.
pub fn skipped(why: &str) {
    let _ = writeln!(io::stderr(), "skipped: {why}");
}

/// Nobody else loads or unloads algorithms while this lives.
pub struct Kernel {
    _lock: File,
}

impl Kernel {
    /// Waits for the other tests. `None`, with the reason on standard error, where the running kernel
    /// cannot take algorithms; then the test is skipped. With ANABRANCH_REQUIRE_KERNEL=1 it fails.
    pub fn lock() -> Option<Self> {
        Self::lock_with(&[])
    }

    /// The same where these programs are needed too.
    pub fn lock_with(tools: &[&str]) -> Option<Self> {
        match Self::try_lock(tools) {
            Ok(kernel) => Some(kernel),
            Err(why) if std::env::var("ANABRANCH_REQUIRE_KERNEL").is_ok_and(|v| v == "1") => panic!("{why}"),
            Err(why) => {
                skipped(&why);
                None
            }
        }
    }

    fn try_lock(tools: &[&str]) -> Result<Self, String> {
        if !rustix::process::geteuid().is_root() {
            return Err("not root".into());
        }
        for (file, what) in [("/sys/kernel/btf/vmlinux", "BTF"), ("/proc/sys/net/mptcp/enabled", "MPTCP")] {
            if !exists(file).unwrap_or(false) {
                return Err(format!("the kernel has no {what}"));
            }
        }
        let path = std::env::var("PATH").unwrap_or_default();
        let there =
            |tool: &&&str| path.split(':').any(|dir| exists(format!("{dir}/{tool}")).unwrap_or(false));
        if let Some(tool) = tools.iter().find(|tool| !there(tool)) {
            return Err(format!("{tool} is not installed"));
        }
        let lock = || -> io::Result<File> {
            let file = File::create("/run/anabranch-kernel-tests.lock")?;
            flock(&file, FlockOperation::LockExclusive)?;
            Ok(file)
        };
        lock().map(|lock| Kernel { _lock: lock }).map_err(|e| format!("/run: {e}"))
    }
}
