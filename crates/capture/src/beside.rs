//! Captures that a thread of their own writes while the run goes on: a packet's bytes take longer to make than the packet takes to be simulated.

use crate::Capture;
use anabranch_net::Time;
use anabranch_scenario::SubflowAction;
use anabranch_sim::tap::{SeenPacket, Tap};
use std::io::{self, Write};
use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

/// What is handed over at once, in packets, and how often the run may be ahead by that.
const BATCH: usize = 1024;
const AHEAD: usize = 8;

/// What a tap is told.
enum Told {
    Packet(SeenPacket),
    Opens { at: Time, connection: usize, flow: usize, life: u16 },
    Change { at: Time, flow: usize, path: usize, action: SubflowAction },
}

/// A [`Capture`] on a thread of its own, which ends with it.
pub struct Beside<W> {
    wants_links: bool,
    told: Vec<Told>,
    /// None once nothing more comes.
    to: Option<SyncSender<Vec<Told>>>,
    /// Emptied batches, to be filled again.
    emptied: Receiver<Vec<Told>>,
    /// None once it has ended.
    thread: Option<JoinHandle<Capture<W>>>,
}

impl<W: Write + Send + 'static> Beside<W> {
    /// Goes on with a capture that has begun.
    ///
    /// # Errors
    /// Where the system has no more threads.
    pub fn new(mut capture: Capture<W>) -> io::Result<Self> {
        let (to, batches) = sync_channel::<Vec<Told>>(AHEAD);
        let (back, emptied) = channel();
        let wants_links = capture.wants_links();
        let thread = thread::Builder::new().name("capture".to_owned()).spawn(move || {
            for mut batch in batches {
                for told in &batch {
                    match *told {
                        Told::Packet(ref seen) => capture.packet(seen),
                        Told::Opens { at, connection, flow, life } => {
                            capture.connection_opens(at, connection, flow, life);
                        }
                        Told::Change { at, flow, path, action } => capture.change(at, flow, path, action),
                    }
                }
                batch.clear();
                // Nobody takes the last ones.
                let _ = back.send(batch);
            }
            capture
        })?;
        let told = Vec::with_capacity(BATCH);
        Ok(Beside { wants_links, told, to: Some(to), emptied, thread: Some(thread) })
    }
}

impl<W: Write + Send + 'static> Beside<W> {
    /// Ends it, and gives back where it was written to.
    ///
    /// # Errors
    /// The first error of the whole capture.
    pub fn finish(mut self) -> io::Result<W> {
        self.hand_over();
        self.end().expect("it ends once").finish()
    }

    fn tell(&mut self, told: Told) {
        self.told.push(told);
        if self.told.len() == BATCH {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let empty = self.emptied.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        let batch = mem::replace(&mut self.told, empty);
        if let Some(to) = &self.to {
            // Only a thread that has panicked takes none: `end` passes that on.
            let _ = to.send(batch);
        }
    }

    fn end(&mut self) -> Option<Capture<W>> {
        self.to = None;
        Some(self.thread.take()?.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

/// What it writes to is closed before the run goes on, so that an unfinished file is gone.
impl<W> Drop for Beside<W> {
    fn drop(&mut self) {
        self.to = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl<W: Write + Send + 'static> Tap for Beside<W> {
    fn wants_links(&self) -> bool {
        self.wants_links
    }

    fn packet(&mut self, seen: &SeenPacket) {
        self.tell(Told::Packet(*seen));
    }

    fn connection_opens(&mut self, at: Time, connection: usize, flow: usize, life: u16) {
        self.tell(Told::Opens { at, connection, flow, life });
    }

    fn change(&mut self, at: Time, flow: usize, path: usize, action: SubflowAction) {
        self.tell(Told::Change { at, flow, path, action });
    }
}
