//! Signals that end a command: Ctrl-C, SIGTERM, and SIGHUP when the terminal closes. The first signal requests an orderly
//! end; a later Ctrl-C ends at once.

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
use std::thread;
use std::time::Duration;

/// The exit status of an interrupted command, as in shells.
pub const INTERRUPTED: u8 = 130;

/// The longest delay before the command reacts.
pub const SOON: Duration = Duration::from_millis(50);

/// Signals within this time are one request: `timeout -s INT` signals the command, and then its process group.
const ONE_REQUEST: Duration = Duration::from_millis(500);

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Installs the handlers. A later Ctrl-C ends the process at once. SIGTERM and SIGHUP stay ignored if they were, as `nohup` needs.
pub fn listen() -> Result<(), Error> {
    register(true)
}

/// Waits for the first signal, then for a later Ctrl-C, and ends the process. A terminal that goes may send SIGHUP twice, the
/// shell's and the kernel's: only Ctrl-C insists.
fn end_at_once(requested: &AtomicBool) {
    let wait = |signalled: &AtomicBool| {
        while !signalled.load(Ordering::Relaxed) {
            thread::sleep(SOON);
        }
    };
    wait(requested);
    thread::sleep(ONE_REQUEST);
    let again = Arc::new(AtomicBool::new(false));
    // If the handler cannot be installed, the command comes to its orderly end.
    if flag::register(SIGINT, again.clone()).is_ok() {
        wait(&again);
        // In a thread of its own, as a stopped terminal takes no message.
        thread::spawn(|| {
            note(
                "interrupted again: ended at once, without a partial result; earlier results and stored runs stay",
            );
        });
        thread::sleep(SOON);
        std::process::exit(INTERRUPTED.into());
    }
}

/// The same, for a command that always completes its record: a second Ctrl-C changes nothing, and an ignored SIGINT stays ignored.
#[cfg(feature = "linux")]
pub fn listen_to_the_end() -> Result<(), Error> {
    register(false)
}

/// If the user may `insist`, SIGINT counts even if it is ignored.
fn register(insist: bool) -> Result<(), Error> {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if REGISTERED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let requested = REQUESTED.get_or_init(Arc::default);
    #[cfg(unix)]
    let signals = [SIGINT, SIGTERM, SIGHUP];
    #[cfg(windows)]
    let signals = [SIGINT, SIGTERM];
    let register = || {
        if insist {
            let thread = thread::Builder::new().name("interrupt".to_owned());
            thread.spawn(|| end_at_once(requested))?;
        }
        let listens = |signal: &i32| insist && *signal == SIGINT || !is_ignored(*signal);
        for signal in signals.into_iter().filter(listens) {
            flag::register(signal, requested.clone())?;
        }
        Ok(())
    };
    register().map_err(|e: io::Error| Error::environment("cannot listen to signals", &e))
}

/// Makes a write beyond the user's limit (`ulimit -f`) fail, as on a full disk, instead of ending the process.
pub fn let_large_writes_fail() {
    // Child processes inherit an ignored signal, but not a handler. If the handler cannot be installed, the signal ends the
    // command as usual.
    #[cfg(unix)]
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// A watch without a progress bar.
pub fn watch() -> Watch<'static> {
    Watch { cancel: REQUESTED.get_or_init(Arc::default).clone().into(), note, ..Watch::default() }
}

pub fn requested() -> bool {
    REQUESTED.get().is_some_and(|requested| requested.load(Ordering::Relaxed))
}

/// Waits until the given time or a signal.
#[cfg(feature = "linux")]
pub fn wait(until: std::time::Instant) {
    while !requested() && std::time::Instant::now() < until {
        std::thread::sleep(until.saturating_duration_since(std::time::Instant::now()).min(SOON));
    }
}

/// Whether this process ignores a signal. Signal 1 is the lowest bit of the mask.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0) >> (signal - 1) & 1 == 1
}
