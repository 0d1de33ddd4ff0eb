//! Reads captures of MPTCP from any hosts into a record.

mod connections;
mod direction;
mod file;
mod mptcp;
mod record;
mod segment;
mod stream;
mod trace;

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

/// Errors of reading a capture.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// `keep_going` returned false.
    #[error("interrupted")]
    Interrupted,
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file has another format.
    #[error("not a capture: neither pcap nor pcapng")]
    NoCapture,
    /// The file ends before its first packet is complete.
    #[error("the capture ends within its first packet")]
    CutOff,
    /// The file is corrupt.
    #[error("the capture is corrupt after packet {packets}")]
    Broken {
        /// Packets before the corruption.
        packets: u64,
    },
    /// A packet of an interface that the file does not describe.
    #[error("packet {packet} belongs to an interface that the file does not describe")]
    NoInterface {
        /// Number of the packet.
        packet: u64,
    },
    /// Time goes back.
    #[error("packet {packet} is {by_ms} ms earlier than the one before it")]
    Backwards {
        /// Number of the packet.
        packet: u64,
        /// The difference.
        by_ms: u64,
    },
    /// The capture has no connection to record.
    #[error("no MPTCP connection {}", without_mptcp(*packets, *tcp, *refused, *late))]
    NoMptcp {
        /// All packets.
        packets: u64,
        /// Connections with plain TCP.
        tcp: usize,
        /// Those whose SYN requested MPTCP, and whose SYN-ACK did not confirm it.
        refused: usize,
        /// Those whose packets have MPTCP's options, but began before the capture.
        late: usize,
    },
}

fn without_mptcp(packets: u64, tcp: usize, refused: usize, late: usize) -> String {
    match late {
        0 => format!(
            "in {packets} packets; TCP connections: {tcp}, of which {refused} requested MPTCP without success"
        ),
        _ => format!(
            "begins in this capture of {packets} packets; MPTCP connections or subflows that began before it: {late}"
        ),
    }
}

impl ReadError {
    /// Help for the error.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            ReadError::NoCapture => "tcpdump -w FILE, dumpcap and Wireshark write captures",
            ReadError::Backwards { .. } => "`reordercap FILE SORTED` (of Wireshark) sorts packets by time",
            ReadError::NoMptcp { packets: 0, .. } => {
                "are port and interface those of the connection? `tcpdump -i any` captures on all interfaces"
            }
            ReadError::NoMptcp { late: 1.., .. } => {
                "start the capture before the connection opens, on all interfaces (`tcpdump -i any`); --tcp reads the subflows as TCP connections"
            }
            ReadError::NoMptcp { tcp: 1.., .. } => "--tcp reads TCP connections, too",
            _ => return None,
        })
    }
}

/// Reads a capture. Samples go to `sink` at the end, in order of time. `keep_going` is called regularly with the bytes of
/// packets read so far.
///
/// # Errors
/// [`ReadError`]; `sink` has then received no samples.
pub fn read<R: Read + Send>(
    file: R,
    options: &ReadOptions,
    sink: &mut dyn Sink,
    keep_going: &mut dyn FnMut(u64) -> bool,
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
    keep_going: &mut dyn FnMut(u64) -> bool,
    mut take: impl FnMut(Option<&segment::Segment>, u64),
) -> Result<bool, ReadError> {
    let (mut latest, mut bytes) = (0, 0);
    file::each_packet(file, |packet| {
        if let Some(by) = latest.max(DISORDER).checked_sub(packet.nanoseconds).filter(|by| *by > DISORDER) {
            return Err(ReadError::Backwards { packet: packet.number, by_ms: by / 1_000_000 });
        }
        latest = latest.max(packet.nanoseconds);
        bytes += packet.bytes.len() as u64;
        if packet.number % 4096 == 0 && !keep_going(bytes) {
            return Err(ReadError::Interrupted);
        }
        take(segment::segment(packet.link, packet.bytes, packet.length).as_ref(), latest);
        Ok(())
    })
}
