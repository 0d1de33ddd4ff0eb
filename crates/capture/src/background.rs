//! Threads that process batches while the next ones are filled: making a packet's bytes takes longer than simulating the packet, and
//! writing takes a quarter of a capture's time.

use std::io;
use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// A thread that processes batches in order, with a state that it returns at the end.
pub(crate) struct Background<T, S> {
    /// `None` after the end.
    batches: Option<SyncSender<Vec<T>>>,
    /// Empty batches for reuse.
    emptied: Receiver<Vec<T>>,
    /// `None` after the end.
    thread: Option<JoinHandle<io::Result<S>>>,
}

impl<T: Send + 'static, S: Send + 'static> Background<T, S> {
    /// Starts the thread; at most `waiting` batches wait for it.
    pub(crate) fn new(
        name: &str,
        waiting: usize,
        mut state: S,
        process: impl Fn(&mut S, &[T]) -> io::Result<()> + Send + 'static,
    ) -> io::Result<Self> {
        let (batches, received) = sync_channel::<Vec<T>>(waiting);
        let (back, emptied) = channel();
        let thread = Builder::new().name(name.to_owned()).spawn(move || {
            for mut batch in received {
                process(&mut state, &batch)?;
                batch.clear();
                // The last batches have no receiver.
                let _ = back.send(batch);
            }
            Ok(state)
        })?;
        Ok(Background { batches: Some(batches), emptied, thread: Some(thread) })
    }
}

impl<T, S> Background<T, S> {
    /// Hands over a batch, and replaces it by an empty one.
    pub(crate) fn send(&mut self, batch: &mut Vec<T>) {
        let empty = self.emptied.try_recv().unwrap_or_else(|_| Vec::with_capacity(batch.capacity()));
        let full = mem::replace(batch, empty);
        if let Some(batches) = &self.batches {
            // Fails if the thread ended early, with an error that `finish` returns.
            let _ = batches.send(full);
        }
    }

    /// Waits for the thread and returns its state, or its first error.
    pub(crate) fn finish(mut self) -> io::Result<S> {
        self.batches = None;
        let thread = self.thread.take().expect("it ends once");
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Ends the thread before others continue, so that it closes an unfinished file, which can then be removed.
impl<T, S> Drop for Background<T, S> {
    fn drop(&mut self) {
        self.batches = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
