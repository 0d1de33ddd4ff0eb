//! The headers of the packets at the senders' hosts.

use super::wire::Header;
use crate::device::VNET_HEADER;
use anabranch_net::Time;

/// A packet that a sender's host sent or received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPacket {
    /// When the emulator read it from the host, or wrote it to the host.
    pub at: Time,
    /// The path, counted over all flows.
    pub path: usize,
    /// Its length from the IP header on, in bytes.
    pub length: u32,
    /// Its headers, IP's first.
    pub headers: Vec<u8>,
}

impl SeenPacket {
    /// Of a frame of a device; `None` if it is not an IPv4 packet.
    pub(super) fn new(at: Time, path: usize, frame: &[u8]) -> Option<SeenPacket> {
        let end = Header::read(frame)?.headers;
        let packet = &frame[VNET_HEADER..];
        Some(SeenPacket { at, path, length: packet.len() as u32, headers: packet[..end].to_vec() })
    }
}
