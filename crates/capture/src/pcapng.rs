//! The file format: pcapng (draft-ietf-opsawg-pcapng §4), times in nanoseconds.

use std::io::{self, Write};

/// Block types.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
/// Options.
const COMMENT: u16 = 1;
const APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_ABOUT: u16 = 3;
const RESOLUTION: u16 = 9;
/// Ethernet.
const LINK_TYPE: u32 = 1;

/// Writes blocks, in the machine's own byte order as the format wants it; here little-endian.
pub(crate) struct Writer<W: Write> {
    to: W,
    snap: u32,
    interfaces: u32,
    /// A block's body while it is made.
    body: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins a file; `snap` bytes of each packet are kept.
    pub(crate) fn new(to: W, snap: u32, application: &str) -> io::Result<Self> {
        let mut writer = Writer { to, snap, interfaces: 0, body: Vec::with_capacity(256) };
        writer.words(&[0x1a2b_3c4d, 0x0000_0001, u32::MAX, u32::MAX]); // version 1.0, of unknown length
        writer.option(APPLICATION, application.as_bytes());
        writer.end_of_options();
        writer.block(SECTION_HEADER)?;
        Ok(writer)
    }

    /// Adds an interface and returns its number.
    pub(crate) fn interface(&mut self, name: &str, about: &str) -> io::Result<u32> {
        self.words(&[LINK_TYPE, self.snap]);
        self.option(INTERFACE_NAME, name.as_bytes());
        self.option(INTERFACE_ABOUT, about.as_bytes());
        self.option(RESOLUTION, &[9]); // 10⁻⁹ s
        self.end_of_options();
        self.block(INTERFACE_DESCRIPTION)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Adds a packet of `length` bytes, seen at that many nanoseconds. It begins with `headers`; zeros follow.
    pub(crate) fn packet(
        &mut self,
        interface: u32,
        nanoseconds: u64,
        headers: &[u8],
        length: usize,
        comment: Option<&str>,
    ) -> io::Result<()> {
        let kept = length.min(self.snap as usize);
        self.words(&[interface, (nanoseconds >> 32) as u32, nanoseconds as u32, kept as u32, length as u32]);
        let start = self.body.len();
        self.body.extend_from_slice(&headers[..headers.len().min(kept)]);
        self.body.resize(start + kept.next_multiple_of(4), 0);
        if let Some(comment) = comment {
            self.option(COMMENT, comment.as_bytes());
            self.end_of_options();
        }
        self.block(ENHANCED_PACKET)
    }

    /// Ends the file.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.to.flush()?;
        Ok(self.to)
    }

    fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|word| self.body.extend_from_slice(&word.to_le_bytes()));
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.words(&[u32::from(code) | (value.len() as u32) << 16]);
        self.body.extend_from_slice(value);
        self.body.resize(self.body.len().next_multiple_of(4), 0);
    }

    fn end_of_options(&mut self) {
        self.words(&[0]);
    }

    /// Writes what was made as a block: its type and length before it, its length behind it.
    fn block(&mut self, kind: u32) -> io::Result<()> {
        let length = (self.body.len() + 12) as u32;
        self.to.write_all(&kind.to_le_bytes())?;
        self.to.write_all(&length.to_le_bytes())?;
        self.to.write_all(&self.body)?;
        self.body.clear();
        self.to.write_all(&length.to_le_bytes())
    }
}
