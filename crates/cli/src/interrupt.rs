//! Ctrl-C: the first asks the run to stop, the second does not ask.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C is noticed here.
pub fn listen() -> Result<(), Failure> {
    let noticed = || {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(noticed).map_err(|e| Failure::environment("cannot listen to Ctrl-C", &e))
}

/// Whether there was one.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
