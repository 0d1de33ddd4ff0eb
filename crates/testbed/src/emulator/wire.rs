//! The wire format of packets: IPv4 and TCP headers, and segmentation of super-packets.

use crate::device::VNET_HEADER;

// linux/virtio_net.h
const NEEDS_CHECKSUM: u8 = 1;
const GSO_NONE: u8 = 0;
const GSO_TCP_IPV4: u8 = 1;

const TCP: u8 = 6;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const PSH: u8 = 0x08;
pub(super) const ACK: u8 = 0x10;
/// Congestion experienced, among the two bits of ECN (RFC 3168 §5).
const CE: u8 = 0b11;

/// The fields of a packet that the emulator reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Bytes of the IP header.
    ip: usize,
    /// Bytes of all headers; the payload follows.
    pub headers: usize,
    /// Bytes of payload.
    pub payload: usize,
    /// The payload per segment, if the packet is a super-packet.
    segment: Option<usize>,
    pub ecn_capable: bool,
    pub tcp: Option<Tcp>,
}

/// The fields of a TCP header that the emulator reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tcp {
    pub ack: u32,
    /// Whether SYN is set.
    pub opens: bool,
    /// Whether ACK is set.
    pub acknowledges: bool,
}

impl Header {
    /// Reads the headers of a frame from a device: a `virtio_net_hdr` and a packet. `None` if it is not a unicast IPv4
    /// packet.
    pub fn read(frame: &[u8]) -> Option<Header> {
        let (vnet, packet) = frame.split_at_checked(VNET_HEADER)?;
        let first = *packet.first()?;
        let ip = usize::from(first & 0x0f) * 4;
        if first >> 4 != 4 || ip < 20 || packet.len() < ip || usize::from(word(packet, 2)) != packet.len() {
            return None;
        }
        // Multicast and broadcast do not belong to the scenario's traffic.
        if packet[16] >= 224 {
            return None;
        }
        let ecn_capable = packet[1] & CE != 0;
        let mut header =
            Header { ip, headers: ip, payload: packet.len() - ip, segment: None, ecn_capable, tcp: None };
        if packet[9] == TCP {
            let tcp = packet.get(ip..).filter(|tcp| tcp.len() >= 20)?;
            let length = usize::from(tcp[12] >> 4) * 4;
            if length < 20 || length > tcp.len() {
                return None;
            }
            header.headers = ip + length;
            header.payload = packet.len() - header.headers;
            let [opens, acknowledges] = [SYN, ACK].map(|flag| tcp[13] & flag != 0);
            header.tcp = Some(Tcp { ack: double_word(tcp, 8), opens, acknowledges });
        }
        let payload = usize::from(u16::from_ne_bytes([vnet[4], vnet[5]]));
        match vnet[1] {
            GSO_NONE => Some(header),
            GSO_TCP_IPV4 if header.tcp.is_some() && payload > 0 => {
                // The kernel always leaves the checksum of a super-packet to the device.
                (vnet[0] & NEEDS_CHECKSUM != 0).then_some(())?;
                header.segment = (payload < header.payload).then_some(payload);
                Some(header)
            }
            _ => None,
        }
    }

    /// The number of packets on the wire.
    pub fn segments(&self) -> usize {
        self.segment.map_or(1, |payload| self.payload.div_ceil(payload))
    }

    /// The IP length of packet `i` of these.
    pub fn length(&self, i: usize) -> usize {
        self.headers + self.payload_of(i)
    }

    /// The bytes of payload in packet `i`.
    pub fn payload_of(&self, i: usize) -> usize {
        self.segment.map_or(self.payload, |payload| payload.min(self.payload - i * payload))
    }

    /// Writes packet `i` of `frame` with its `virtio_net_hdr` to `to`; returns the number of bytes.
    ///
    /// As in a network card, identification and sequence number increase, and only the last segment has FIN and PSH (Linux's
    /// `tcp_gso_segment`). The checksum stays incomplete, because hosts do not check local packets; only the length in its
    /// pseudo header changes.
    pub fn write(&self, frame: &[u8], i: usize, to: &mut [u8]) -> usize {
        let (vnet, packet) = frame.split_at(VNET_HEADER);
        let length = self.length(i);
        let end = VNET_HEADER + length;
        let (own, out) = to[..end].split_at_mut(VNET_HEADER);
        own.copy_from_slice(vnet);
        // A segment alone is not a super-packet.
        own[1] = GSO_NONE;
        own[4..6].fill(0);
        let Some(segment) = self.segment else {
            out.copy_from_slice(&packet[..length]);
            return end;
        };
        let from = self.headers + i * segment;
        out[..self.headers].copy_from_slice(&packet[..self.headers]);
        out[self.headers..].copy_from_slice(&packet[from..from + length - self.headers]);

        put(out, 2, length as u16);
        put(out, 4, word(packet, 4).wrapping_add(i as u16));
        renew_ip_checksum(out, self.ip);
        let tcp = &mut out[self.ip..];
        let sequence = double_word(tcp, 4).wrapping_add((i * segment) as u32);
        tcp[4..8].copy_from_slice(&sequence.to_be_bytes());
        if from + segment < packet.len() {
            tcp[13] &= !(FIN | PSH);
        }
        renew_pseudo_length(tcp, packet.len() - self.ip, length - self.ip);
        end
    }
}

/// Updates the TCP length in the pseudo header. Its sum stands in place of the incomplete checksum.
fn renew_pseudo_length(tcp: &mut [u8], old: usize, new: usize) {
    let sum = u32::from(word(tcp, 16)) + u32::from(!(old as u16)) + new as u32;
    put(tcp, 16, fold(sum));
}

/// Marks a packet (after its `virtio_net_hdr`) with congestion experienced.
pub(crate) fn mark(frame: &mut [u8]) {
    let packet = &mut frame[VNET_HEADER..];
    packet[1] |= CE;
    let ip = usize::from(packet[0] & 0x0f) * 4;
    renew_ip_checksum(packet, ip);
}

/// The checksum of the IP header (RFC 791 §3.1).
fn renew_ip_checksum(packet: &mut [u8], ip: usize) {
    put(packet, 10, 0);
    let sum = (0..ip).step_by(2).map(|at| u32::from(word(packet, at))).sum();
    put(packet, 10, !fold(sum));
}

/// The sum in ones' complement (RFC 1071).
fn fold(sum: u32) -> u16 {
    let sum = (sum & 0xffff) + (sum >> 16);
    (sum + (sum >> 16)) as u16
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn double_word(bytes: &[u8], at: usize) -> u32 {
    u32::from(word(bytes, at)) << 16 | u32::from(word(bytes, at + 2))
}

fn put(bytes: &mut [u8], at: usize, word: u16) {
    bytes[at..at + 2].copy_from_slice(&word.to_be_bytes());
}

#[cfg(test)]
pub(super) mod tests;
