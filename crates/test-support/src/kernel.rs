//! For tests that load algorithms into the running kernel: one at a time, and only where it can.

use crate::namespace;
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_mptcp_bpf::{Instance, available, instances, unload};
use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions, exists};
use std::io::{self, Read, Seek, Write};
use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};

/// Who has it locked may load algorithms, and writes [`LOADING`] into it: where that stands in it and nobody has it locked, a test
/// was killed. Otherwise it has the map numbers of forgotten algorithms.
const LOCK: &str = "/run/anabranch-kernel-tests.lock";
const LOADING: &str = "tests load algorithms";

/// Nothing is late before: a busy machine is not a failure.
const LIMIT: Duration = Duration::from_secs(300);

/// The kernel keeps sockets that nobody owns for up to two minutes, and so their algorithm.
const GONE: Duration = Duration::from_secs(150);

/// Files that stand for what the kernel must have.
const BTF: (&str, &str) = ("/sys/kernel/btf/vmlinux", "BTF");
pub(crate) const MPTCP: (&str, &str) = ("/proc/sys/net/mptcp/enabled", "MPTCP");

/// How long an algorithm may stay that nobody uses.
const SOON: Duration = Duration::from_secs(20);

/// Reno's programs, for tests that do not look at windows: the simplest.
pub fn reno() -> &'static KernelEntry {
    registry::find_kernel("ab_reno").unwrap()
}

/// The registered programs of an algorithm as the kernel has them.
pub fn instance(entry: &KernelEntry) -> Instance {
    let ours = |i: &Instance| i.registered && i.entry.kernel_name == entry.kernel_name;
    instances().unwrap().into_iter().find(ours).unwrap()
}

pub fn reno_instance() -> Instance {
    instance(reno())
}

/// Whether sockets may choose the congestion control of that name.
pub fn is_listed(name: &str) -> bool {
    available().unwrap().iter().any(|listed| listed == name)
}

/// Says why a test does nothing: past the harness, which keeps to itself what a passing test prints.
pub fn skipped(why: &str) {
    let _ = writeln!(io::stderr(), "skipped: {why}");
}

pub fn until(so: impl FnMut() -> bool, what: &str) {
    assert!(becomes(LIMIT, so), "in {LIMIT:?} not so: {what}");
}

/// Waits until it is so, but no longer than that; whether it has become so.
pub fn becomes(limit: Duration, mut so: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !so() {
        if start.elapsed() > limit {
            return false;
        }
        sleep(Duration::from_millis(5));
    }
    true
}

/// The kernel without algorithms: nobody else loads or unloads any while this lives. Programs loaded meanwhile go with it, wherever
/// the test ends.
pub struct Kernel {
    lock: File,
    /// The maps of algorithms that were unloaded, but that sockets of earlier tests keep until the machine restarts. Linux 6.18
    /// forgets an MPTCP socket now and then: closed, without a process, with unread data, in a namespace that is gone.
    forgotten: Vec<u32>,
}

impl Kernel {
    /// Waits for the other tests. `None`, with the reason on standard error, where the running kernel
    /// cannot take algorithms, and where somebody uses them, from whom no test may take them; then the test
    /// is skipped. With ANABRANCH_REQUIRE_KERNEL=1 a kernel that cannot fails it.
    pub fn lock() -> Option<Self> {
        Self::lock_with(&[])
    }

    /// The same where these programs are needed too.
    pub fn lock_with(tools: &[&str]) -> Option<Self> {
        let lock = lacking(&[BTF, MPTCP], tools).map_or_else(lock, Err);
        let kernel = match lock {
            Err(why) if is_required() => panic!("{why}"),
            lock => lock.and_then(Self::tidied),
        };
        kernel.inspect_err(|why| skipped(why)).ok()
    }

    /// Without what killed tests left, or why not.
    fn tidied(mut lock: File) -> Result<Self, String> {
        let mut left = String::new();
        lock.read_to_string(&mut left).unwrap();
        let forgotten: Vec<_> = left.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        let was_killed = left.contains(LOADING);
        namespace::remove_all();
        let is_loaded = || instances().unwrap_or_default().iter().any(|instance| instance.registered);
        // Programs just unloaded go soon, unless they are used.
        if !was_killed && (is_loaded() || !becomes(SOON, || in_kernel(&forgotten).is_empty())) {
            return Err(format!("somebody uses {}", names(&in_kernel(&forgotten))));
        }
        let mut kernel = Kernel { lock, forgotten };
        if was_killed {
            kernel.empty();
        }
        kernel.write(LOADING).unwrap();
        Ok(kernel)
    }

    /// The algorithms that it has, those too that are unloaded and in use.
    pub fn instances(&self) -> Vec<Instance> {
        in_kernel(&self.forgotten)
    }

    /// Whether sockets of earlier tests keep this algorithm for ever.
    pub fn has_forgotten(&self, entry: &KernelEntry) -> bool {
        let all = instances().unwrap_or_default();
        all.iter().any(|i| i.entry.kernel_name == entry.kernel_name && self.forgotten.contains(&i.map_id))
    }

    /// Unloads every algorithm, and waits for the end of the sockets that use one.
    fn empty(&mut self) {
        let is_empty = || {
            // It is asked again where this fails.
            self.instances().iter().for_each(|instance| drop(unload(instance.entry)));
            self.instances().is_empty()
        };
        if becomes(GONE, is_empty) {
            return;
        }
        let kept = self.instances();
        let are_unloaded = kept.iter().all(|instance| !instance.registered);
        assert!(panicking() || are_unloaded, "in {GONE:?} not out of the kernel: {}", names(&kept));
        let _ = writeln!(io::stderr(), "sockets that the kernel does not free keep {}", names(&kept));
        let unloaded = kept.iter().filter(|instance| !instance.registered);
        self.forgotten.extend(unloaded.map(|instance| instance.map_id));
    }

    /// Replaces what stands in the lock.
    fn write(&mut self, state: &str) -> io::Result<()> {
        self.lock.set_len(0)?;
        self.lock.rewind()?;
        let forgotten: Vec<_> = self.forgotten.iter().map(u32::to_string).collect();
        write!(self.lock, "{state} {}", forgotten.join(" "))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.empty();
        // What is left is for the next test to unload.
        let state = if self.instances().is_empty() { "" } else { LOADING };
        let _ = self.write(state);
    }
}

/// Why the machine cannot take part in a test: the user, one of these files with what it stands for, or one of these programs.
pub fn lacking(files: &[(&str, &str)], tools: &[&str]) -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("not root".into());
    }
    let there = |file: &str| exists(file).unwrap_or(false);
    if let Some((_, what)) = files.iter().find(|(file, _)| !there(file)) {
        return Some(format!("the kernel has no {what}"));
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let installed = |tool: &str| path.split(':').any(|directory| there(&format!("{directory}/{tool}")));
    tools.iter().find(|tool| !installed(tool)).map(|tool| format!("{tool} is not installed"))
}

/// Whether a machine that cannot take part is a failure.
pub fn is_required() -> bool {
    std::env::var("ANABRANCH_REQUIRE_KERNEL").is_ok_and(|v| v == "1")
}

fn lock() -> Result<File, String> {
    let lock = || -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(LOCK)?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(file)
    };
    lock().map_err(|e| format!("{LOCK}: {e}"))
}

fn in_kernel(forgotten: &[u32]) -> Vec<Instance> {
    let mut all = instances().unwrap_or_default();
    all.retain(|instance| !forgotten.contains(&instance.map_id));
    all
}

fn names(instances: &[Instance]) -> String {
    let names: Vec<_> = instances.iter().map(|instance| instance.entry.kernel_name).collect();
    names.join(", ")
}
