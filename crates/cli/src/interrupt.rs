//! Signals that end a command: Ctrl-C, SIGTERM, and SIGHUP when the terminal closes. The first signal requests an orderly
//! end; a second Ctrl-C ends at once.

use crate::failure::INTERRUPTED;
use crate::output::note;
use anabranch::{Error, Watch};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// The longest delay before the command reacts.
pub const SOON: Duration = Duration::from_millis(50);

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Installs the handlers. SIGTERM and SIGHUP stay ignored if they were, as `nohup` needs.
pub fn listen() -> Result<(), Error> {
    let requested = REQUESTED.get_or_init(Arc::default);
    let listen = || {
        // A closing terminal may send SIGHUP twice, from the shell and from the kernel: only a second Ctrl-C forces the end.
        flag::register_conditional_shutdown(SIGINT, INTERRUPTED.into(), requested.clone())?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if signal == SIGINT || !is_ignored(signal) {
                flag::register(signal, requested.clone())?;
            }
        }
        Ok(())
    };
    listen().map_err(|e: io::Error| Error::environment("cannot install signal handlers", &e))
}

/// Makes a write beyond the user's limit (`ulimit -f`) fail, as on a full disk, instead of ending the process.
pub fn let_large_writes_fail() {
    // Child processes inherit an ignored signal, but not a handler. If the handler cannot be installed, the signal ends the
    // command as usual.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// A watch without a progress bar.
pub fn watch() -> Watch<'static> {
    Watch { cancel: REQUESTED.get_or_init(Arc::default).clone().into(), note, ..Watch::default() }
}

/// Whether a signal has arrived.
pub fn requested() -> bool {
    REQUESTED.get().is_some_and(|requested| requested.load(Ordering::Relaxed))
}

/// Waits until the given time or a signal.
pub fn wait(until: Instant) {
    while !requested() && Instant::now() < until {
        thread::sleep(until.saturating_duration_since(Instant::now()).min(SOON));
    }
}

/// Whether this process ignores a signal. Signal 1 is the lowest bit of the mask.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0) >> (signal - 1) & 1 == 1
}
