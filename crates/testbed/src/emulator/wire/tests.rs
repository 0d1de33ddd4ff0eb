use super::*;

const URG: u8 = 0x20;
/// With the timestamp option: two of padding, kind 8, length 10, two times.
const OPTIONS: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9];

/// The sum of RFC 1071 over bytes, by the definition: 16-bit words, carries added at the end.
fn sum(bytes: &[u8]) -> u64 {
    bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0))).sum()
}

fn complement(mut sum: u64) -> u16 {
    while sum >> 16 > 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// The sum of TCP's pseudo header (RFC 9293 §3.1).
fn pseudo(packet: &[u8]) -> u64 {
    sum(&packet[12..20]) + u64::from(TCP) + (packet.len() - 20) as u64
}

/// Output of a device: a packet from 10.77.1.1 to 10.99.0.1 whose checksum is left to the device.
pub fn frame(payload: usize, segment: Option<u16>, flags: u8, ecn: u8) -> Vec<u8> {
    let mut packet = vec![0x45, ecn, 0, 0, 0xff, 0xfe, 0x40, 0, 64, TCP, 0, 0, 10, 77, 1, 1, 10, 99, 0, 1];
    packet.extend([0x9c, 0x40, 0x14, 0x51]);
    packet.extend(0xffff_fff0u32.to_be_bytes());
    packet.extend([1, 2, 3, 4, 8 << 4, flags, 0x10, 0, 0, 0, 0, 0]);
    packet.extend(OPTIONS);
    packet.extend((0..payload).map(|i| (i * 7 + i / 251) as u8));
    let length = packet.len() as u16;
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    let ip = complement(sum(&packet[..20]));
    packet[10..12].copy_from_slice(&ip.to_be_bytes());
    // Not complemented: the device adds the rest and complements.
    let partial = !complement(pseudo(&packet));
    packet[36..38].copy_from_slice(&partial.to_be_bytes());
    let mut frame = vec![NEEDS_CHECKSUM, if segment.is_some() { GSO_TCP_IPV4 } else { GSO_NONE }];
    for word in [52, segment.unwrap_or(0), 20, 16] {
        frame.extend(word.to_ne_bytes());
    }
    frame.extend(packet);
    frame
}

/// All packets on the wire.
pub fn split(frame: &[u8]) -> Vec<Vec<u8>> {
    let header = Header::read(frame).unwrap();
    let write = |i| {
        let mut to = vec![0xaa; 2000];
        let length = header.write(frame, i, &mut to);
        assert_eq!(length, VNET_HEADER + header.length(i));
        to.truncate(length);
        to
    };
    (0..header.segments()).map(write).collect()
}

/// Completes the checksum as a device does, and then checks it as a receiver does.
fn assert_valid(frame: &[u8]) {
    assert_eq!((frame[0], frame[1], &frame[4..6]), (NEEDS_CHECKSUM, GSO_NONE, &[0, 0][..]));
    let start = usize::from(u16::from_ne_bytes([frame[6], frame[7]]));
    let offset = usize::from(u16::from_ne_bytes([frame[8], frame[9]]));
    let mut packet = frame[VNET_HEADER..].to_vec();
    assert_eq!(complement(sum(&packet[..20])), 0, "the IP header's checksum");
    assert_eq!(usize::from(word(&packet, 2)), packet.len());
    let checksum = complement(sum(&packet[start..]));
    packet[start + offset..start + offset + 2].copy_from_slice(&checksum.to_be_bytes());
    assert_eq!(complement(pseudo(&packet) + sum(&packet[20..])), 0, "TCP's checksum");
}

#[test]
fn a_super_packet_becomes_segments() {
    let payload = 3 * 1448 + 100;
    let all = frame(payload, Some(1448), ACK | PSH | FIN, 0b10);
    let packets = split(&all);
    assert_eq!(packets.iter().map(Vec::len).collect::<Vec<_>>(), [1510, 1510, 1510, 162]);
    for (i, frame) in packets.iter().enumerate() {
        assert_valid(frame);
        let packet = &frame[VNET_HEADER..];
        assert_eq!(word(packet, 4), 0xfffeu16.wrapping_add(i as u16), "identification of {i}");
        let sequence = u32::from_be_bytes(packet[24..28].try_into().unwrap());
        assert_eq!(sequence, 0xffff_fff0u32.wrapping_add(1448 * i as u32), "sequence number of {i}");
        let last = if i == 3 { PSH | FIN } else { 0 };
        assert_eq!(packet[33], ACK | last, "flags of {i}");
        assert_eq!(packet[40..52], OPTIONS);
        assert_eq!(packet[1], 0b10);
    }
    let data: Vec<u8> = packets.iter().flat_map(|frame| frame[62..].to_vec()).collect();
    assert_eq!(data, all[62..]);
}

#[test]
fn other_flags_are_those_of_every_segment() {
    let packets = split(&frame(2000, Some(1000), ACK | URG, 0));
    assert_eq!(packets.iter().map(|frame| frame[VNET_HEADER + 33]).collect::<Vec<_>>(), [ACK | URG; 2]);
}

#[test]
fn what_is_no_super_packet_stays_as_it_is() {
    let single = frame(700, None, ACK | PSH, 0);
    assert_eq!(split(&single), [single]);
    // One segment, though the kernel calls it a super-packet.
    let packets = split(&frame(700, Some(1448), ACK | PSH, 0));
    assert_eq!(packets.len(), 1);
    assert_valid(&packets[0]);
    assert_eq!(packets[0][VNET_HEADER + 33], ACK | PSH);
}

#[test]
fn a_mark_keeps_the_checksums_right() {
    let mut packet = split(&frame(3000, Some(1448), ACK, 0b10)).remove(1);
    assert!(Header::read(&packet).unwrap().ecn_capable);
    mark(&mut packet);
    assert_eq!(packet[VNET_HEADER + 1], CE);
    assert_valid(&packet);
    assert!(!Header::read(&frame(10, None, ACK, 0)).unwrap().ecn_capable);
}

#[test]
fn headers_are_read() {
    let header = Header::read(&frame(5000, Some(1448), ACK, 0)).unwrap();
    assert_eq!((header.headers, header.payload, header.segments()), (52, 5000, 4));
    assert_eq!((0..4).map(|i| header.length(i)).collect::<Vec<_>>(), [1500, 1500, 1500, 52 + 656]);
    let tcp = header.tcp.unwrap();
    assert_eq!((tcp.ack, tcp.acknowledges, tcp.opens), (0x0102_0304, true, false));
    let ack = Header::read(&frame(0, None, ACK, 0)).unwrap();
    assert_eq!((ack.payload, ack.segments(), ack.length(0)), (0, 1, 52));
}

#[test]
fn what_is_no_packet_of_the_traffic_is_refused() {
    let good = frame(100, None, ACK, 0);
    assert!(Header::read(&good).is_some());
    let broken = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut frame = good.clone();
        change(&mut frame);
        Header::read(&frame)
    };
    assert_eq!(broken(&|frame| frame[VNET_HEADER] = 0x60), None, "IPv6");
    assert_eq!(broken(&|frame| frame[VNET_HEADER + 16] = 224), None, "multicast");
    assert_eq!(broken(&|frame| frame[VNET_HEADER] = 0x44), None, "a header of 16 bytes");
    assert_eq!(
        broken(&|frame| frame[VNET_HEADER + 32] = 0xf0),
        Header::read(&good).map(|h| Header { headers: 80, payload: 72, ..h }),
        "more options"
    );
    assert_eq!(broken(&|frame| frame[VNET_HEADER + 32] = 0x40), None, "a TCP header of 16 bytes");
    assert_eq!(broken(&|frame| frame[1] = 3), None, "UDP's super-packet");
    assert_eq!(broken(&|frame| { frame[1] = GSO_TCP_IPV4 }), None, "a super-packet of segments of no size");
    assert_eq!(broken(&|frame| frame.truncate(161)), None, "shorter than it says");
    for length in 0..62 {
        assert_eq!(Header::read(&good[..length]), None, "{length} bytes");
    }
}
