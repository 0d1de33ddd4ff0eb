//! Reads captures of MPTCP, of whatever hosts, into a record.

mod connections;
mod file;
mod half;
mod mptcp;
mod record;
mod segment;
mod stream;

use anabranch_record::{Sink, Summary};
use connections::Connections;
use std::io::Read;

/// Times that packets may go back by: captures of several queues are not quite in order.
const DISORDER: u64 = 10_000_000;

/// How a capture is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The capture's name, for the record.
    pub name: String,
    /// Time between samples, in nanoseconds; not 0.
    pub interval: u64,
    /// Connections without MPTCP, too.
    pub tcp: bool,
}

/// Why a capture has no record.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// `keep_going` said no.
    #[error("interrupted")]
    Interrupted,
    /// It has no byte.
    #[error("the file is empty")]
    Empty,
    /// It is of another format.
    #[error("this is no capture: neither pcap nor pcapng")]
    NoCapture,
    /// It ends before its first packet is whole.
    #[error("the capture is cut off before its first packet is whole")]
    CutOff,
    /// What follows cannot be read.
    #[error("what follows packet {packets} is not of the format")]
    Broken {
        /// Packets before.
        packets: u64,
    },
    /// A packet of an interface that the file does not describe.
    #[error("packet {packet} is of an interface that the file does not describe")]
    NoInterface {
        /// Which one.
        packet: u64,
    },
    /// Time goes back.
    #[error("packet {packet} is {by_ms} ms earlier than the one before it")]
    Backwards {
        /// Which one.
        packet: u64,
        /// By how much.
        by_ms: u64,
    },
    /// Nothing to record.
    #[error(
        "no MPTCP connection in {packets} packets; TCP connections: {tcp}, of which {refused} asked for MPTCP in vain"
    )]
    NoMptcp {
        /// All of them.
        packets: u64,
        /// Connections of TCP alone.
        tcp: usize,
        /// Those of them whose SYN asked for MPTCP, and whose answer was TCP's.
        refused: usize,
    },
}

impl ReadError {
    /// What would be right, or what helps.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            ReadError::NoCapture => "tcpdump -w FILE, dumpcap and Wireshark write captures",
            ReadError::Backwards { .. } => "`reordercap FILE SORTED` (of Wireshark) sorts packets by time",
            ReadError::NoMptcp { tcp: 1.., .. } => "--tcp reads TCP connections, too",
            _ => return None,
        })
    }
}

/// Reads a capture. Samples go to `sink`, in order of time, at the end; `keep_going` is asked now and then with the bytes of packets read so far.
///
/// # Errors
/// [`ReadError`]; nothing was given to `sink` then.
pub fn read<R: Read + Send>(
    file: R,
    options: &ReadOptions,
    sink: &mut dyn Sink,
    keep_going: &mut dyn FnMut(u64) -> bool,
) -> Result<Summary, ReadError> {
    let mut connections = Connections::new(options.interval);
    let (mut latest, mut bytes) = (0, 0);
    let cut_off = file::each_packet(file, |packet| {
        if let Some(by) = latest.max(DISORDER).checked_sub(packet.nanoseconds).filter(|by| *by > DISORDER) {
            return Err(ReadError::Backwards { packet: packet.number, by_ms: by / 1_000_000 });
        }
        latest = latest.max(packet.nanoseconds);
        bytes += packet.bytes.len() as u64;
        if packet.number % 4096 == 0 && !keep_going(bytes) {
            return Err(ReadError::Interrupted);
        }
        connections.packets += 1;
        match segment::segment(packet.link, packet.bytes, packet.length) {
            Some(segment) => connections.take(&segment, latest),
            None => connections.others += 1,
        }
        Ok(())
    })?;
    record::record(connections, cut_off, options, sink)
}
