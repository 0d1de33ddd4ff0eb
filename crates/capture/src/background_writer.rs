//! Writes on a separate thread while the next chunk is made: writing takes a quarter of a capture's time.

use std::io::{self, Write};
use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

/// The most chunks that wait.
const WAITING: usize = 4;

/// A thread that writes chunks in order.
pub(crate) struct BackgroundWriter<W> {
    /// `None` after the end.
    pieces: Option<SyncSender<Vec<u8>>>,
    /// Written chunks for reuse.
    written: Receiver<Vec<u8>>,
    /// `None` after the end.
    thread: Option<JoinHandle<io::Result<W>>>,
}

impl<W: Write + Send + 'static> BackgroundWriter<W> {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(crate) fn new(mut to: W) -> io::Result<Self> {
        let (pieces, waiting) = sync_channel::<Vec<u8>>(WAITING);
        let (back, written) = channel();
        let thread = thread::Builder::new().name("capture's file".to_owned()).spawn(move || {
            for mut piece in waiting {
                to.write_all(&piece)?;
                piece.clear();
                // The last chunks have no receiver.
                let _ = back.send(piece);
            }
            to.flush()?;
            Ok(to)
        })?;
        Ok(BackgroundWriter { pieces: Some(pieces), written, thread: Some(thread) })
    }
}

impl<W> BackgroundWriter<W> {
    /// Writes a chunk, and replaces it by an empty one.
    ///
    /// # Errors
    /// If writing an earlier chunk failed.
    pub(crate) fn write(&mut self, piece: &mut Vec<u8>) -> io::Result<()> {
        let empty = self.written.try_recv().unwrap_or_else(|_| Vec::with_capacity(piece.capacity()));
        let full = mem::replace(piece, empty);
        let taken = self.pieces.as_ref().is_some_and(|pieces| pieces.send(full).is_ok());
        // The thread ended early, with an error.
        if taken { Ok(()) } else { self.end().map(drop) }
    }

    /// Waits until all chunks are written and returns the writer.
    ///
    /// # Errors
    /// The first error.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.end()
    }

    fn end(&mut self) -> io::Result<W> {
        self.pieces = None;
        let thread =
            self.thread.take().ok_or_else(|| io::Error::other("the capture has ended with an error"))?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Closes the writer before others continue.
impl<W> Drop for BackgroundWriter<W> {
    fn drop(&mut self) {
        self.pieces = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
