//! Captures written by a separate thread during the run: making a packet's bytes takes longer than simulating the packet.

use crate::Capture;
use anabranch_net::Time;
use anabranch_scenario::SubflowAction;
use anabranch_sim::tap::{SeenPacket, Tap};
use std::io::{self, Write};
use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

/// Events per batch, and the most batches that the run may be ahead.
const BATCH: usize = 1024;
const MAX_BATCHES: usize = 8;

/// An event for the capture.
enum TapEvent {
    Packet(SeenPacket),
    Opens { at: Time, connection: usize, flow: usize, life: u16 },
    Change { at: Time, flow: usize, path: usize, action: SubflowAction },
}

/// A [`Capture`] on its own thread.
pub struct BackgroundCapture<W> {
    wants_links: bool,
    batch: Vec<TapEvent>,
    /// `None` after the end.
    to: Option<SyncSender<Vec<TapEvent>>>,
    /// Empty batches for reuse.
    emptied: Receiver<Vec<TapEvent>>,
    /// `None` after the end.
    thread: Option<JoinHandle<Capture<W>>>,
}

impl<W: Write + Send + 'static> BackgroundCapture<W> {
    /// Continues a capture that has begun.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn new(mut capture: Capture<W>) -> io::Result<Self> {
        let (to, batches) = sync_channel::<Vec<TapEvent>>(MAX_BATCHES);
        let (back, emptied) = channel();
        let wants_links = capture.wants_links();
        let thread = thread::Builder::new().name("capture".to_owned()).spawn(move || {
            for mut batch in batches {
                for event in &batch {
                    match *event {
                        TapEvent::Packet(ref seen) => capture.packet(seen),
                        TapEvent::Opens { at, connection, flow, life } => {
                            capture.connection_opens(at, connection, flow, life);
                        }
                        TapEvent::Change { at, flow, path, action } => capture.change(at, flow, path, action),
                    }
                }
                batch.clear();
                // The last batches have no receiver.
                let _ = back.send(batch);
            }
            capture
        })?;
        let batch = Vec::with_capacity(BATCH);
        Ok(BackgroundCapture { wants_links, batch, to: Some(to), emptied, thread: Some(thread) })
    }
}

impl<W: Write + Send + 'static> BackgroundCapture<W> {
    /// Ends the capture and returns the writer.
    ///
    /// # Errors
    /// The first error of the whole capture.
    pub fn finish(mut self) -> io::Result<W> {
        self.send_batch();
        self.end().expect("it ends once").finish()
    }

    fn push(&mut self, event: TapEvent) {
        self.batch.push(event);
        if self.batch.len() == BATCH {
            self.send_batch();
        }
    }

    fn send_batch(&mut self) {
        let empty = self.emptied.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        let batch = mem::replace(&mut self.batch, empty);
        if let Some(to) = &self.to {
            // This fails only if the thread has panicked, which `end` propagates.
            let _ = to.send(batch);
        }
    }

    fn end(&mut self) -> Option<Capture<W>> {
        self.to = None;
        Some(self.thread.take()?.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

/// Closes the writer before the run continues, so that an unfinished file is removed.
impl<W> Drop for BackgroundCapture<W> {
    fn drop(&mut self) {
        self.to = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl<W: Write + Send + 'static> Tap for BackgroundCapture<W> {
    fn wants_links(&self) -> bool {
        self.wants_links
    }

    fn packet(&mut self, seen: &SeenPacket) {
        self.push(TapEvent::Packet(*seen));
    }

    fn connection_opens(&mut self, at: Time, connection: usize, flow: usize, life: u16) {
        self.push(TapEvent::Opens { at, connection, flow, life });
    }

    fn change(&mut self, at: Time, flow: usize, path: usize, action: SubflowAction) {
        self.push(TapEvent::Change { at, flow, path, action });
    }
}
