//! Packets of a capture file: pcap or pcapng, whichever it is.

use super::error::ReadError;
use pcap_parser::traits::PcapNGPacketBlock;
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};
use std::io::{self, ErrorKind, Read};

/// Room for the longest packet: 256 KiB, as tcpdump keeps at most, and its block.
const BUFFER: usize = 1 << 19;
/// The longest block, as libpcap takes at most; names and secrets can be longer than packets.
const LONGEST: usize = 1 << 24;
/// In nanoseconds.
const SECOND: u64 = 1_000_000_000;

pub(super) struct Captured<'a> {
    /// Counted from 1.
    pub(super) number: u64,
    /// Since 1970.
    pub(super) nanoseconds: u64,
    pub(super) link: Linktype,
    pub(super) bytes: &'a [u8],
    /// Its length on the wire.
    pub(super) length: u32,
}

#[derive(Clone, Copy)]
struct Interface {
    link: Linktype,
    /// Units of time in a second, and seconds to add.
    resolution: u64,
    offset: i64,
}

impl Interface {
    /// A packet at a time in this interface's units.
    fn captured(self, number: u64, ticks: u64, bytes: &[u8], length: u32) -> Captured<'_> {
        let whole = (ticks / self.resolution).saturating_add_signed(self.offset);
        let part = u128::from(ticks % self.resolution) * u128::from(SECOND) / u128::from(self.resolution);
        let nanoseconds = whole.saturating_mul(SECOND).saturating_add(part as u64);
        Captured { number, nanoseconds, link: self.link, bytes, length }
    }
}

/// Reads as much as there is room for: a pipe answers in small pieces, and the parser takes the first one for the whole header.
struct Whole<R>(R);

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < room.len() {
            match self.0.read(&mut room[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Gives every whole packet to `take`, until it refuses one. Says whether the file ends within the packet after them.
///
/// # Errors
/// [`ReadError`] if the file is not a capture or has no whole packet, and the errors of `take`.
pub(super) fn each_packet<R: Read + Send>(
    file: R,
    mut take: impl FnMut(Captured<'_>) -> Result<(), ReadError>,
) -> Result<bool, ReadError> {
    let mut reader = create_reader(BUFFER, Whole(file)).map_err(|error| match error {
        PcapError::Eof => ReadError::Empty,
        PcapError::ReadError => ReadError::Broken { packets: 0 },
        _ => ReadError::NoCapture,
    })?;
    let (mut interfaces, mut number): (Vec<Interface>, u64) = (vec![], 0);
    let mut room = BUFFER;
    let broken = |packets| ReadError::Broken { packets };
    loop {
        let (size, block) = match reader.next() {
            Ok(next) => next,
            Err(PcapError::Eof) => return Ok(false),
            Err(error @ (PcapError::Incomplete(_) | PcapError::BufferTooSmall)) => {
                if matches!(error, PcapError::Incomplete(_)) {
                    let before = reader.data().len();
                    reader.refill().map_err(|_| broken(number))?;
                    if reader.data().len() > before || reader.reader_exhausted() {
                        continue;
                    }
                }
                if room >= LONGEST {
                    return Err(broken(number));
                }
                room *= 2;
                reader.grow(room);
                continue;
            }
            Err(PcapError::UnexpectedEof) if number > 0 => return Ok(true),
            Err(PcapError::UnexpectedEof) => return Err(ReadError::CutOff),
            Err(_) => return Err(broken(number)),
        };
        match block {
            // Another section counts its interfaces anew.
            PcapBlockOwned::NG(Block::SectionHeader(_)) => interfaces.clear(),
            PcapBlockOwned::NG(Block::InterfaceDescription(block)) => interfaces.push(Interface {
                link: block.linktype,
                resolution: block.ts_resolution().filter(|r| *r > 0).unwrap_or(1_000_000),
                offset: block.if_tsoffset,
            }),
            PcapBlockOwned::LegacyHeader(header) => interfaces.push(Interface {
                link: header.network,
                resolution: if header.is_nanosecond_precision() { SECOND } else { 1_000_000 },
                offset: 0,
            }),
            PcapBlockOwned::NG(Block::EnhancedPacket(block)) => {
                number += 1;
                let interface = interfaces.get(block.if_id as usize);
                let interface = interface.ok_or(ReadError::NoInterface { packet: number })?;
                let ticks = u64::from(block.ts_high) << 32 | u64::from(block.ts_low);
                take(interface.captured(number, ticks, block.packet_data(), block.origlen))?;
            }
            PcapBlockOwned::Legacy(block) => {
                number += 1;
                let interface = interfaces.first().ok_or(ReadError::NoCapture)?;
                let seconds = interface.resolution.saturating_mul(u64::from(block.ts_sec));
                let ticks = seconds.saturating_add(u64::from(block.ts_usec));
                take(interface.captured(number, ticks, block.data, block.origlen))?;
            }
            PcapBlockOwned::NG(_) => (),
        }
        reader.consume(size);
    }
}
