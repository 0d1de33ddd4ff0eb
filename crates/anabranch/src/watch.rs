//! Who looks on while something long is done.

use anabranch_net::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often to look whether somebody asks for the end.
const ASK: Duration = Duration::from_millis(20);

/// Asks something long to end. Clones ask for the same.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for the end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What `work` gives; nothing where somebody asks for the end before it is done, which then goes on until the process ends.
    pub(crate) fn unless_asked<T: Send + 'static>(
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

/// One that others set too, such as the handler of a signal.
impl From<Arc<AtomicBool>> for Cancel {
    fn from(asked: Arc<AtomicBool>) -> Self {
        Cancel(asked)
    }
}

/// How far something is.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// The simulated time that a run has reached; one that is made again begins anew.
    Reached(Time),
    /// The state of many runs.
    Runs(anabranch_study::Progress<'a>),
}

/// Who looks on. By default nobody.
pub struct Watch<'a> {
    /// Told how far it is.
    pub progress: Box<dyn Fn(Progress<'_>) + Sync + 'a>,
    /// Asked now and then whether to end.
    pub cancel: Cancel,
    /// Told what the user should know though it goes on.
    pub note: fn(&str),
}

impl Watch<'_> {
    /// What a backend asks as its run goes on.
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
