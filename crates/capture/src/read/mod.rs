//! Reads captures of MPTCP from any hosts into a record.

mod connections;
mod direction;
mod error;
mod file;
mod mptcp;
mod record;
mod segment;
mod stream;
mod trace;

pub use error::ReadError;
pub use trace::trace;

use anabranch_record::{Sink, Summary};
use connections::Connections;
use std::io::Read;

/// How far time may go back between packets, in ns: captures of several queues are not quite in order.
const DISORDER: u64 = 10_000_000;

/// How a capture is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The capture's name, for the record.
    pub name: String,
    /// Time between samples, in nanoseconds; not 0.
    pub interval: u64,
    /// Whether to read connections without MPTCP, too.
    pub tcp: bool,
}

/// Reads a capture. Samples go to `sink` at the end, in order of time. `keep_going` is called regularly.
///
/// # Errors
/// [`ReadError`]; `sink` has then received no samples.
pub fn read<R: Read + Send>(
    file: R,
    options: &ReadOptions,
    sink: &mut dyn Sink,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Summary, ReadError> {
    let mut connections = Connections::new(options.interval);
    let cut_off = packets(file, keep_going, |segment, at| {
        connections.packets += 1;
        match segment {
            Some(segment) => _ = connections.on_segment(segment, at),
            None => connections.others += 1,
        }
    })?;
    record::record(connections, cut_off, options, sink)
}

/// Gives each packet's segment, if it has one, and its time to `take`; returns whether the file ends within a packet.
fn packets<R: Read + Send>(
    file: R,
    keep_going: &mut dyn FnMut() -> bool,
    mut take: impl FnMut(Option<&segment::Segment>, u64),
) -> Result<bool, ReadError> {
    let mut latest = 0;
    file::each_packet(file, |packet| {
        if let Some(by) = latest.max(DISORDER).checked_sub(packet.nanoseconds).filter(|by| *by > DISORDER) {
            return Err(ReadError::Backwards { packet: packet.number, by_ms: by / 1_000_000 });
        }
        latest = latest.max(packet.nanoseconds);
        if packet.number % 4096 == 0 && !keep_going() {
            return Err(ReadError::Interrupted);
        }
        take(segment::segment(packet.link, packet.bytes, packet.length).as_ref(), latest);
        Ok(())
    })
}
