use super::*;
use crate::emulator::wire::tests::{frame, split};

/// The packets as whole frames.
fn gather(packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut packets = packets.iter().peekable();
    while let Some(first) = packets.next() {
        let Some(mut gathered) = Gathered::begin(first) else {
            all.push(first.clone());
            continue;
        };
        let mut payload = first[gathered.headers()..].to_vec();
        while let Some(next) = packets.next_if(|next| gathered.add(next)) {
            payload.extend(&next[gathered.headers()..]);
        }
        all.push(if gathered.is_several() { [gathered.head(), &payload].concat() } else { first.clone() });
    }
    all
}

#[test]
fn the_segments_of_a_super_packet_become_it_again() {
    for (payload, flags) in [(5 * 1448, ACK), (3 * 1448 + 1, ACK | PSH), (1448 + 700, ACK | FIN | PSH)] {
        let whole = frame(payload, Some(1448), flags, 0b10);
        assert_eq!(gather(&split(&whole)), [whole], "{payload} bytes");
    }
}

#[test]
fn what_does_not_go_on_is_not_added() {
    let packets = split(&frame(4 * 1448, Some(1448), ACK, 0b10));
    let changed = |i: usize, change: &dyn Fn(&mut Vec<u8>)| {
        let mut packets = packets.clone();
        change(&mut packets[i]);
        gather(&packets).iter().map(|frame| Header::read(frame).unwrap().segments()).collect::<Vec<_>>()
    };
    assert_eq!(changed(0, &|_| ()), [4]);
    assert_eq!(changed(2, &|packet| wire::mark(packet)), [2, 1, 1], "a mark");
    assert_eq!(changed(1, &|packet| packet[VNET_HEADER + 28] ^= 1), [1, 1, 2], "another acknowledgement");
    assert_eq!(changed(2, &|packet| packet[VNET_HEADER + 47] ^= 1), [2, 1, 1], "another time stamp");
    assert_eq!(changed(1, &|packet| packet[VNET_HEADER + 27] ^= 1), [1, 1, 2], "another place in the stream");
    assert_eq!(changed(1, &|packet| packet[VNET_HEADER + 33] |= PSH), [2, 2], "PSH ends");
    assert_eq!(changed(0, &|packet| packet[VNET_HEADER + 33] |= 0x80), [1, 3], "CWR stands alone");
    assert_eq!(changed(1, &|packet| packet[0] = 0), [1, 1, 2], "a complete checksum");
    let mut gap = packets.clone();
    gap.remove(1);
    assert_eq!(gather(&gap).len(), 2);
}

#[test]
fn no_packet_becomes_larger_than_ip_allows() {
    let packets: Vec<_> = (0..100u32)
        .map(|i| {
            let mut packet = split(&frame(1448, None, ACK, 0)).remove(0);
            packet[VNET_HEADER + 24..][..4].copy_from_slice(&(i * 1448).to_be_bytes());
            packet
        })
        .collect();
    let gathered = gather(&packets);
    assert!(gathered.iter().all(|frame| frame.len() <= VNET_HEADER + 65_535));
    // 45 · 1448 + 52 = 65,212.
    let segments: Vec<_> = gathered.iter().map(|frame| Header::read(frame).unwrap().segments()).collect();
    assert_eq!(segments, [45, 45, 10]);
}
