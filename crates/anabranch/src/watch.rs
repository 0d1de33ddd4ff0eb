//! Progress and cancellation of long functions.

use anabranch_net::Time;
use anabranch_study::{Backends, RunCache, StudyError, Work, run_all};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The interval between checks for cancellation.
const ASK: Duration = Duration::from_millis(20);

/// Cancels a long function. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests the end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Runs `work` on a thread and returns its result, or `None` as soon as it is cancelled. The thread then continues until
    /// the process ends.
    pub(crate) fn run_until_cancelled<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (give, take) = mpsc::channel();
        let worker = thread::spawn(move || give.send(work()).ok());
        loop {
            match take.recv_timeout(ASK) {
                Ok(done) => return Some(done),
                Err(RecvTimeoutError::Timeout) if self.is_cancelled() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => match worker.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(_) => return None,
                },
            }
        }
    }
}

/// Shares a flag that others set too, such as a signal handler.
impl From<Arc<AtomicBool>> for Cancel {
    fn from(asked: Arc<AtomicBool>) -> Self {
        Cancel(asked)
    }
}

/// The progress of a long function.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// The simulated time that a run has reached; a repeated run starts again at 0.
    Reached(Time),
    /// The state of many runs.
    Runs(anabranch_study::Progress<'a>),
}

/// Receives progress and notes, and can cancel. The default ignores both.
pub struct Watch<'a> {
    /// Receives the progress.
    pub progress: Box<dyn Fn(Progress<'_>) + Sync + 'a>,
    /// Checked regularly for a request to end.
    pub cancel: Cancel,
    /// Receives notes for the user.
    pub note: fn(&str),
}

impl Watch<'_> {
    /// Runs all work of a study, a comparison or a campaign: see [`run_all`].
    pub fn run_all<T: Send>(
        &self,
        backends: Backends<'_>,
        work: &[Work<T>],
        kept: Option<&dyn RunCache>,
        finished: &mut (dyn FnMut(T) + Send),
    ) -> Result<(), StudyError> {
        let show = |p: anabranch_study::Progress<'_>| (self.progress)(Progress::Runs(p));
        run_all(backends, work, kept, &show, &|| !self.cancel.is_cancelled(), finished)
    }

    /// The callback that a backend polls during a run.
    pub fn keep_going(&self) -> impl FnMut(Time) -> bool {
        |now| {
            (self.progress)(Progress::Reached(now));
            !self.cancel.is_cancelled()
        }
    }
}

impl Default for Watch<'_> {
    fn default() -> Self {
        Watch { progress: Box::new(|_| ()), cancel: Cancel::default(), note: |_| () }
    }
}
