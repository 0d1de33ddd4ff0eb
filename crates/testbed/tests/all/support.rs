//! For tests that need the kernel.

use anabranch_testbed::Host;
use std::fs::exists;
use std::io::{self, Write};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Nothing is late before: a machine that has other things to do is no failure.
const LIMIT: Duration = Duration::from_secs(60);

/// Whether the machine can take part, with these programs. Where not, the test is skipped and says why; with
/// ANABRANCH_REQUIRE_KERNEL=1 it fails.
pub fn kernel(tools: &[&str]) -> bool {
    takes_part(lacking(tools))
}

/// The same of what a test finds lacking itself.
pub fn takes_part(lacking: Option<String>) -> bool {
    let Some(why) = lacking else { return true };
    let required = std::env::var("ANABRANCH_REQUIRE_KERNEL").is_ok_and(|v| v == "1");
    assert!(!required, "{why}");
    // Past the harness, which keeps to itself what a passing test prints.
    let _ = writeln!(io::stderr(), "skipped: {why}");
    false
}

fn lacking(tools: &[&str]) -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("not root".into());
    }
    for (file, what) in [("/proc/sys/net/mptcp/enabled", "MPTCP"), ("/dev/net/tun", "TUN devices")] {
        if !exists(file).unwrap_or(false) {
            return Some(format!("the kernel has no {what}"));
        }
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let there = |tool: &&&str| path.split(':').any(|dir| exists(format!("{dir}/{tool}")).unwrap_or(false));
    tools.iter().find(|tool| !there(tool)).map(|tool| format!("{tool} is not installed"))
}

/// Waits until it is so.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < LIMIT, "in {LIMIT:?} not so: {what}");
        sleep(Duration::from_millis(2));
    }
}

/// Runs a command in a host to its end, which must be a good one; its standard output.
pub fn run(host: &Host, command: &str) -> String {
    let mut words = command.split_whitespace();
    let mut program = Command::new(words.next().unwrap());
    let done = host.run(|| program.args(words).output()).unwrap().unwrap();
    assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}
