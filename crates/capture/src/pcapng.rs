//! The file format: pcapng (draft-ietf-opsawg-pcapng §4), times in nanoseconds.

use crate::background::Background;
use crate::encode::Frame;
use anabranch_net::Time;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Block types.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const DECRYPTION_SECRETS: u32 = 10;
/// Secrets in the format of TLS's key log.
const TLS_KEY_LOG: u32 = 0x544c_534b;
/// Options.
const COMMENT: u16 = 1;
const APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_ABOUT: u16 = 3;
const RESOLUTION: u16 = 9;
/// Link types: frames of Ethernet, and packets of IPv4 without a frame.
pub(crate) const ETHERNET_LINK: u32 = 1;
pub(crate) const IPV4_LINK: u32 = 228;

/// Bytes that a packet of that length takes in a file that keeps `snap` bytes of it: an Enhanced Packet Block (§4.3).
pub(crate) fn packet_bytes(snap: u32, length: u32) -> u32 {
    32 + length.min(snap).next_multiple_of(4)
}

/// How the application's name begins, before its version.
const APPLICATION_NAME: &str = "anabranch ";
/// Where it stands in a file of ours: behind the section header's seven words, of which the last begins the option.
const APPLICATION_AT: usize = 28;

/// Whether a file is a capture that this crate wrote.
pub fn is_own(file: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(file)?.take((APPLICATION_AT + APPLICATION_NAME.len()) as u64).read_to_end(&mut start)?;
    let is_section = start.starts_with(&SECTION_HEADER.to_le_bytes());
    Ok(is_section && start.get(APPLICATION_AT..) == Some(APPLICATION_NAME.as_bytes()))
}

/// Writes blocks, in the machine's own byte order as the format wants it; here little-endian.
pub(crate) struct Writer<W> {
    thread: Background<u8, W>,
    snap: u32,
    /// The number of the next interface.
    pub(crate) interfaces: u32,
    /// Unwritten blocks; the last one starts at `begins`.
    made: Vec<u8>,
    begins: usize,
}

/// Bytes per write: large writes cost the kernel less. And the most writes that wait.
const PIECE: usize = 1 << 18;
const WAITING: usize = 4;

impl<W: Write + Send + 'static> Writer<W> {
    /// Begins a file; `snap` bytes of each packet are kept.
    pub(crate) fn new(to: W, snap: u32) -> io::Result<Self> {
        let thread = Background::new("capture's file", WAITING, to, |to, bytes| to.write_all(bytes))?;
        let mut writer = Writer { thread, snap, interfaces: 0, made: vec![], begins: 0 };
        writer.begin(SECTION_HEADER);
        writer.words(&[0x1a2b_3c4d, 0x0000_0001, u32::MAX, u32::MAX]); // version 1.0, of unknown length
        let application = format!("{APPLICATION_NAME}{}", env!("CARGO_PKG_VERSION"));
        writer.options(&[(APPLICATION, application.as_bytes())]);
        writer.end();
        Ok(writer)
    }

    pub(crate) fn interface(&mut self, link: u32, name: &str, about: &str) {
        self.begin(INTERFACE_DESCRIPTION);
        self.words(&[link, self.snap]);
        self.options(&[
            (INTERFACE_NAME, name.as_bytes()),
            (INTERFACE_ABOUT, about.as_bytes()),
            (RESOLUTION, &[9]), // 10⁻⁹ s
        ]);
        self.end();
        self.interfaces += 1;
    }

    /// Adds a packet whose payload is zeros.
    pub(crate) fn packet(&mut self, interface: u32, at: Time, frame: &Frame, comment: Option<&str>) {
        let length = frame.len + usize::from(frame.payload);
        let kept = length.min(self.snap as usize);
        self.begin_packet(interface, at, kept, length);
        let start = self.made.len();
        // All of them, as a copy of known length is quicker.
        self.made.extend_from_slice(&frame.headers);
        self.made.truncate(start + kept.min(frame.len));
        self.made.resize(start + kept.next_multiple_of(4), 0);
        if let Some(comment) = comment {
            self.options(&[(COMMENT, comment.as_bytes())]);
        }
        self.end();
    }

    /// Adds the first bytes of a packet of `length` bytes.
    pub(crate) fn bytes(&mut self, interface: u32, at: Time, bytes: &[u8], length: usize) {
        let kept = bytes.len().min(self.snap as usize);
        self.begin_packet(interface, at, kept, length);
        self.padded(&bytes[..kept]);
        self.end();
    }

    /// Adds the secrets of packets that follow.
    pub(crate) fn secrets(&mut self, lines: &str) {
        self.begin(DECRYPTION_SECRETS);
        self.words(&[TLS_KEY_LOG, lines.len() as u32]);
        self.padded(lines.as_bytes());
        self.end();
    }

    /// Ends the file; an error is the first of the whole capture.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.thread.send(&mut self.made);
        let mut to = self.thread.finish()?;
        to.flush()?;
        Ok(to)
    }

    fn words<const N: usize>(&mut self, words: &[u32; N]) {
        self.made.extend_from_slice(words.map(u32::to_le_bytes).as_flattened());
    }

    /// Bytes, and zeros up to a whole word.
    fn padded(&mut self, bytes: &[u8]) {
        self.made.extend_from_slice(bytes);
        self.made.resize(self.made.len().next_multiple_of(4), 0);
    }

    /// Options by their codes, and the end of options.
    fn options(&mut self, options: &[(u16, &[u8])]) {
        for (code, value) in options {
            self.words(&[u32::from(*code) | (value.len() as u32) << 16]);
            self.padded(value);
        }
        self.words(&[0]);
    }

    /// Begins a block with its type and room for its length.
    fn begin(&mut self, kind: u32) {
        self.begins = self.made.len();
        self.words(&[kind, 0]);
    }

    fn begin_packet(&mut self, interface: u32, at: Time, kept: usize, length: usize) {
        self.begin(ENHANCED_PACKET);
        let [high, low] = [(at.as_nanos() >> 32) as u32, at.as_nanos() as u32];
        self.words(&[interface, high, low, kept as u32, length as u32]);
    }

    /// Ends the block, whose length stands before its body and behind it.
    fn end(&mut self) {
        let length = (self.made.len() + 4 - self.begins) as u32;
        self.made[self.begins + 4..][..4].copy_from_slice(&length.to_le_bytes());
        self.words(&[length]);
        if self.made.len() >= PIECE {
            self.thread.send(&mut self.made);
        }
    }
}
