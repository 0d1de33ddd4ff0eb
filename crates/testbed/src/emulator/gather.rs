//! Segments merged into one super-packet, as by a network card with receive offload (GRO).

use super::wire::{self, ACK, FIN, Header, PSH};
use crate::device::VNET_HEADER;

/// The most bytes of headers: IP's and TCP's with all options, and the `virtio_net_hdr`.
const LONGEST: usize = VNET_HEADER + 60 + 60;
/// The largest packet of IPv4.
const LARGEST: usize = 65_535;
/// Linux's limit of segments that each fill a page.
pub(crate) const MOST: usize = 46;

/// Consecutive segments of one TCP connection.
pub(crate) struct Gathered {
    /// The first one's headers, including the `virtio_net_hdr`.
    head: [u8; LONGEST],
    header: Header,
    /// Bytes of payload, and the number of segments.
    payload: usize,
    segments: usize,
    /// Whether the last segment is short or has PSH or FIN.
    ended: bool,
}

impl Gathered {
    /// Starts with a packet. `None` if it is not a segment that others may continue.
    pub fn begin(frame: &[u8]) -> Option<Gathered> {
        let header = Header::read(frame)?;
        let flags = header.tcp?.flags;
        if header.payload == 0 || flags != ACK || !wire::is_checksum_left(frame) {
            return None;
        }
        let mut head = [0; LONGEST];
        let headers = header.headers + VNET_HEADER;
        head[..headers].copy_from_slice(&frame[..headers]);
        Some(Gathered { head, header, payload: header.payload, segments: 1, ended: false })
    }

    /// Adds a packet, if it is the next segment and its other header fields are equal (as Linux' `tcp_gro_receive`).
    pub fn add(&mut self, frame: &[u8]) -> bool {
        let Some(header @ Header { tcp: Some(tcp), .. }) = Header::read(frame) else { return false };
        let fits = self.header.headers + self.payload + header.payload <= LARGEST && self.segments < MOST;
        let full = self.header.payload;
        if self.ended
            || !fits
            || header.headers != self.header.headers
            || !(1..=full).contains(&header.payload)
        {
            return false;
        }
        let ends = tcp.flags & (PSH | FIN);
        if tcp.flags != ACK | ends || !wire::is_checksum_left(frame) {
            return false;
        }
        if !wire::continues(&self.head, &header, self.payload, frame) {
            return false;
        }
        self.payload += header.payload;
        self.segments += 1;
        self.ended = ends != 0 || header.payload < full;
        wire::add_flags(&mut self.head, &self.header, ends);
        true
    }

    /// Whether it contains more than one segment.
    pub fn is_several(&self) -> bool {
        self.segments > 1
    }

    /// The headers of the super-packet, with a `virtio_net_hdr`; the payloads follow them.
    pub fn head(&mut self) -> &[u8] {
        wire::join(&mut self.head, &self.header, self.payload)
    }

    /// The offset of the payload in a packet, including the `virtio_net_hdr`.
    pub fn headers(&self) -> usize {
        VNET_HEADER + self.header.headers
    }
}

#[cfg(test)]
mod tests;
