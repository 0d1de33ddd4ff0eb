//! The file format: pcapng (draft-ietf-opsawg-pcapng §4), times in nanoseconds.

use crate::background::Background;
use crate::encode::Frame;
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
pub(crate) const APPLICATION_NAME: &str = "anabranch ";
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
    interfaces: u32,
    /// Unwritten blocks; the last one starts at `begins`.
    made: Vec<u8>,
    begins: usize,
}

/// Bytes per write: large writes cost the kernel less. And the most writes that wait.
const PIECE: usize = 1 << 18;
const WAITING: usize = 4;

impl<W: Write + Send + 'static> Writer<W> {
    /// Begins a file; `snap` bytes of each packet are kept.
    pub(crate) fn new(to: W, snap: u32, application: &str) -> io::Result<Self> {
        let thread = Background::new("capture's file", WAITING, to, |to, bytes| to.write_all(bytes))?;
        let mut writer = Writer { thread, snap, interfaces: 0, made: vec![], begins: 0 };
        writer.begin(SECTION_HEADER);
        writer.words(&[0x1a2b_3c4d, 0x0000_0001, u32::MAX, u32::MAX]); // version 1.0, of unknown length
        writer.option(APPLICATION, application.as_bytes());
        writer.end_of_options();
        writer.end()?;
        Ok(writer)
    }

    /// Adds an interface and returns its number.
    pub(crate) fn interface(&mut self, link: u32, name: &str, about: &str) -> io::Result<u32> {
        self.begin(INTERFACE_DESCRIPTION);
        self.words(&[link, self.snap]);
        self.option(INTERFACE_NAME, name.as_bytes());
        self.option(INTERFACE_ABOUT, about.as_bytes());
        self.option(RESOLUTION, &[9]); // 10⁻⁹ s
        self.end_of_options();
        self.end()?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Adds a packet, seen at that many nanoseconds. Its payload is zeros.
    pub(crate) fn packet(
        &mut self,
        interface: u32,
        nanoseconds: u64,
        frame: &Frame,
        comment: Option<&str>,
    ) -> io::Result<()> {
        let (headers, len) = frame.headers();
        let length = len + usize::from(frame.payload);
        let kept = length.min(self.snap as usize);
        self.begins = self.made.len();
        let [high, low] = [(nanoseconds >> 32) as u32, nanoseconds as u32];
        self.words(&[ENHANCED_PACKET, 0, interface, high, low, kept as u32, length as u32]);
        let start = self.made.len();
        // All of them, as a copy of known length is quicker.
        self.made.extend_from_slice(headers);
        self.made.truncate(start + kept.min(len));
        self.made.resize(start + kept.next_multiple_of(4), 0);
        if let Some(comment) = comment {
            self.option(COMMENT, comment.as_bytes());
            self.end_of_options();
        }
        self.end()
    }

    /// Adds the headers of a packet of `length` bytes.
    pub(crate) fn headers(
        &mut self,
        interface: u32,
        nanoseconds: u64,
        headers: &[u8],
        length: u32,
    ) -> io::Result<()> {
        self.begins = self.made.len();
        let [high, low] = [(nanoseconds >> 32) as u32, nanoseconds as u32];
        self.words(&[ENHANCED_PACKET, 0, interface, high, low, headers.len() as u32, length]);
        self.made.extend_from_slice(headers);
        self.made.resize(self.made.len().next_multiple_of(4), 0);
        self.end()
    }

    /// Adds a packet with all its bytes.
    pub(crate) fn whole(&mut self, interface: u32, nanoseconds: u64, bytes: &[u8]) -> io::Result<()> {
        let kept = bytes.len().min(self.snap as usize);
        self.headers(interface, nanoseconds, &bytes[..kept], bytes.len() as u32)
    }

    /// Adds the secrets of packets that follow.
    pub(crate) fn secrets(&mut self, lines: &str) -> io::Result<()> {
        self.begin(DECRYPTION_SECRETS);
        self.words(&[TLS_KEY_LOG, lines.len() as u32]);
        self.made.extend_from_slice(lines.as_bytes());
        self.made.resize(self.made.len().next_multiple_of(4), 0);
        self.end()
    }

    /// Ends the file.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.thread.send(&mut self.made)?;
        let mut to = self.thread.finish()?;
        to.flush()?;
        Ok(to)
    }

    fn words<const N: usize>(&mut self, words: &[u32; N]) {
        self.made.extend_from_slice(words.map(u32::to_le_bytes).as_flattened());
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.words(&[u32::from(code) | (value.len() as u32) << 16]);
        self.made.extend_from_slice(value);
        self.made.resize(self.made.len().next_multiple_of(4), 0);
    }

    fn end_of_options(&mut self) {
        self.words(&[0]);
    }

    /// Begins a block with its type and room for its length.
    fn begin(&mut self, kind: u32) {
        self.begins = self.made.len();
        self.words(&[kind, 0]);
    }

    /// Ends the block, whose length stands before its body and behind it.
    fn end(&mut self) -> io::Result<()> {
        let length = (self.made.len() + 4 - self.begins) as u32;
        self.made[self.begins + 4..][..4].copy_from_slice(&length.to_le_bytes());
        self.words(&[length]);
        if self.made.len() >= PIECE {
            self.thread.send(&mut self.made)?;
        }
        Ok(())
    }
}
