//! Long work on threads of its own, beside the interpreter.

use crate::errors::RunError;
use anabranch::Cancel;
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The interval at which signals are checked and progress is reported.
const LOOK: Duration = Duration::from_millis(100);

/// Does `work` on this many threads, 0 for one for each core. Meanwhile this thread calls `report`; its error, and Ctrl-C, cancel the work.
pub fn work<T: Send>(
    py: Python<'_>,
    threads: usize,
    report: impl Fn() -> PyResult<()>,
    work: impl FnOnce(&Cancel) -> T + Send,
) -> PyResult<T> {
    // A pool of its own: threads do not survive a fork, and a child would wait for ever for those of a pool that its parent
    // began.
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|why| RunError::new_err(why.to_string()))?;
    let cancel = Cancel::default();
    let mut asked = Ok(());
    let done = thread::scope(|scope| {
        let (sender, done) = mpsc::channel();
        let (pool, cancel) = (&pool, &cancel);
        // The thread below waits for it.
        let worker = scope.spawn(move || _ = sender.send(pool.install(|| work(cancel))));
        let done = Mutex::new(done);
        let wait = || done.lock().expect("one thread locks it").recv_timeout(LOOK);
        loop {
            match py.detach(wait) {
                Ok(done) => return done,
                Err(RecvTimeoutError::Disconnected) => match worker.join() {
                    Err(panic) => resume_unwind(panic),
                    Ok(()) => unreachable!("it ends without a result only by a panic"),
                },
                Err(RecvTimeoutError::Timeout) if asked.is_ok() => {
                    asked = py.check_signals().and_then(|()| report());
                    if asked.is_err() {
                        cancel.cancel();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    });
    asked?;
    Ok(done)
}
