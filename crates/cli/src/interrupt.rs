//! What asks a command to end: Ctrl-C, SIGTERM, and SIGHUP where the terminal goes. The first asks; a second Ctrl-C does
//! not.

use crate::failure::INTERRUPTED;
use crate::output::note;
use anabranch::{Error, Watch};
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGXFSZ};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long a request may wait for an answer.
pub const SOON: Duration = Duration::from_millis(50);

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on such signals are noticed here, and a second Ctrl-C ends the process at once. SIGTERM and SIGHUP that are ignored stay
/// so, as `nohup` wants.
pub fn listen() -> Result<(), Error> {
    // A terminal that goes may send SIGHUP twice, the shell's and the kernel's: only Ctrl-C insists.
    let insist = |requested| flag::register_conditional_shutdown(SIGINT, INTERRUPTED.into(), requested);
    register(|signal| signal == SIGINT || !is_ignored(signal), |requested| insist(requested).map(drop))
}

/// The same, for a command that always completes its record: a second Ctrl-C changes nothing, and an ignored SIGINT stays ignored.
#[cfg(feature = "linux")]
pub fn listen_to_the_end() -> Result<(), Error> {
    register(|signal| !is_ignored(signal), |_| Ok(()))
}

fn register(
    listens: impl Fn(i32) -> bool,
    first: impl Fn(Arc<AtomicBool>) -> io::Result<()>,
) -> Result<(), Error> {
    let requested = REQUESTED.get_or_init(Arc::default);
    #[cfg(unix)]
    let signals = [SIGINT, SIGTERM, SIGHUP];
    #[cfg(windows)]
    let signals = [SIGINT, SIGTERM];
    let register = || {
        first(requested.clone())?;
        for signal in signals.into_iter().filter(|signal| listens(*signal)) {
            flag::register(signal, requested.clone())?;
        }
        Ok(())
    };
    register().map_err(|e: io::Error| Error::environment("cannot listen to signals", &e))
}

/// A file that grows beyond the user's limit (`ulimit -f`) is a write that fails, as on a full disk, in place of the end.
pub fn let_large_writes_fail() {
    // A signal that is caught, unlike one that is ignored, is as usual again in the programs that this one starts. Where it cannot be
    // caught, it ends the command as ever.
    #[cfg(unix)]
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// One that looks on without a bar.
pub fn watch() -> Watch<'static> {
    Watch { cancel: REQUESTED.get_or_init(Arc::default).clone().into(), note, ..Watch::default() }
}

/// Whether there was one.
pub fn requested() -> bool {
    REQUESTED.get().is_some_and(|requested| requested.load(Ordering::Relaxed))
}

/// Waits until then, or until there is one.
#[cfg(feature = "linux")]
pub fn wait(until: std::time::Instant) {
    while !requested() && std::time::Instant::now() < until {
        std::thread::sleep(until.saturating_duration_since(std::time::Instant::now()).min(SOON));
    }
}

/// Whether this process ignores a signal: the first is the lowest bit.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0) >> (signal - 1) & 1 == 1
}
