//! When it is time to end: Ctrl-C, and whatever else ends a process politely.

use crate::failure::Failure;
use crate::interrupt::{ignored, is_ignored};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a request may wait for an answer.
pub const SOON: Duration = Duration::from_millis(50);

/// Whether somebody asked to end.
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on such signals are noticed here. Those that are ignored stay so, as `nohup` wants.
    pub fn listen() -> Result<Self, Failure> {
        let requested = Arc::new(AtomicBool::new(false));
        let ignored = ignored();
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(ignored, *signal)) {
            flag::register(signal, requested.clone())
                .map_err(|e| Failure::environment("cannot listen to signals", &e))?;
        }
        Ok(Stop(requested))
    }

    /// Whether there was one.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits until then, or until somebody asks to end.
    pub fn wait(&self, until: Instant) {
        while !self.requested() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(SOON));
        }
    }
}
