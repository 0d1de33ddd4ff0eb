//! Writing on a thread of its own, while the next piece is made: a quarter of the time that a capture takes is the file's.

use std::io::{self, Write};
use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

/// Pieces that may wait to be written.
const WAITING: usize = 4;

/// A thread that writes pieces, in their order.
pub(crate) struct Behind<W> {
    /// None once nothing more comes.
    pieces: Option<SyncSender<Vec<u8>>>,
    /// Pieces that were written, to be filled again.
    written: Receiver<Vec<u8>>,
    /// None once it has ended.
    thread: Option<JoinHandle<io::Result<W>>>,
}

impl<W: Write + Send + 'static> Behind<W> {
    /// Begins to wait for pieces.
    ///
    /// # Errors
    /// Where the system has no more threads.
    pub(crate) fn new(mut to: W) -> io::Result<Self> {
        let (pieces, waiting) = sync_channel::<Vec<u8>>(WAITING);
        let (back, written) = channel();
        let thread = thread::Builder::new().name("capture's file".to_owned()).spawn(move || {
            for mut piece in waiting {
                to.write_all(&piece)?;
                piece.clear();
                // Nobody takes the last ones.
                let _ = back.send(piece);
            }
            to.flush()?;
            Ok(to)
        })?;
        Ok(Behind { pieces: Some(pieces), written, thread: Some(thread) })
    }
}

impl<W> Behind<W> {
    /// Has a piece written, and leaves an empty one.
    ///
    /// # Errors
    /// Where an earlier piece was not taken.
    pub(crate) fn write(&mut self, piece: &mut Vec<u8>) -> io::Result<()> {
        let empty = self.written.try_recv().unwrap_or_else(|_| Vec::with_capacity(piece.capacity()));
        let full = mem::replace(piece, empty);
        let taken = self.pieces.as_ref().is_some_and(|pieces| pieces.send(full).is_ok());
        // The thread has ended before its time, with an error.
        if taken { Ok(()) } else { self.end().map(drop) }
    }

    /// Waits until all is written, and gives back where.
    ///
    /// # Errors
    /// The first.
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

/// What it writes to is closed before others go on.
impl<W> Drop for Behind<W> {
    fn drop(&mut self) {
        self.pieces = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
