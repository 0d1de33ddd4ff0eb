//! Captures written by a separate thread during the run.

use crate::Capture;
use crate::background::Background;
use anabranch_net::Time;
use anabranch_scenario::SubflowAction;
use anabranch_sim::tap::{SeenPacket, Tap};
use std::io::{self, Write};

/// Events per batch, and the most batches that the run may be ahead.
const BATCH: usize = 1024;
const MAX_BATCHES: usize = 8;

enum TapEvent {
    Packet(SeenPacket),
    Datagram(SeenPacket, Vec<u8>),
    Secrets(String),
    Opens { at: Time, connection: usize, flow: usize, life: u16 },
    Change { at: Time, flow: usize, path: usize, action: SubflowAction },
}

/// A [`Capture`] on its own thread.
pub struct BackgroundCapture<W> {
    wants_links: bool,
    batch: Vec<TapEvent>,
    thread: Background<TapEvent, Capture<W>>,
}

impl<W: Write + Send + 'static> BackgroundCapture<W> {
    /// Continues a capture that has begun.
    pub fn new(capture: Capture<W>) -> io::Result<Self> {
        let wants_links = capture.wants_links();
        let thread = Background::new("capture", MAX_BATCHES, capture, |capture, events| {
            for event in events {
                match *event {
                    TapEvent::Packet(ref seen) => capture.packet(seen),
                    TapEvent::Datagram(ref seen, ref content) => capture.datagram(seen, content),
                    TapEvent::Secrets(ref lines) => capture.secrets(lines),
                    TapEvent::Opens { at, connection, flow, life } => {
                        capture.connection_opens(at, connection, flow, life);
                    }
                    TapEvent::Change { at, flow, path, action } => capture.change(at, flow, path, action),
                }
            }
            Ok(())
        })?;
        Ok(BackgroundCapture { wants_links, batch: Vec::with_capacity(BATCH), thread })
    }

    /// Ends the capture and returns the writer.
    ///
    /// # Errors
    /// The first error of the whole capture.
    pub fn finish(mut self) -> io::Result<W> {
        self.thread.send(&mut self.batch);
        self.thread.finish()?.finish()
    }

    fn push(&mut self, event: TapEvent) {
        self.batch.push(event);
        if self.batch.len() == BATCH {
            self.thread.send(&mut self.batch);
        }
    }
}

impl<W: Write + Send + 'static> Tap for BackgroundCapture<W> {
    fn wants_links(&self) -> bool {
        self.wants_links
    }

    fn packet(&mut self, seen: &SeenPacket) {
        self.push(TapEvent::Packet(*seen));
    }

    fn datagram(&mut self, seen: &SeenPacket, content: &[u8]) {
        self.push(TapEvent::Datagram(*seen, content.to_vec()));
    }

    fn secrets(&mut self, lines: &str) {
        self.push(TapEvent::Secrets(lines.to_owned()));
    }

    fn connection_opens(&mut self, at: Time, connection: usize, flow: usize, life: u16) {
        self.push(TapEvent::Opens { at, connection, flow, life });
    }

    fn change(&mut self, at: Time, flow: usize, path: usize, action: SubflowAction) {
        self.push(TapEvent::Change { at, flow, path, action });
    }
}
