//! The sent pattern: each byte depends on its offset in the stream, so that the receiver can check it.

use anabranch_net::Random;
use std::sync::LazyLock;

/// The period of the pattern in bytes, a prime, so that lost, duplicated or swapped segments are detected.
const PERIOD: usize = 65_521;
/// The most bytes checked at once.
pub(super) const CHUNK: usize = 256 << 10;

static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut random = Random::new(0, 0);
    let period: Vec<u8> = (0..PERIOD).map(|_| random.bits() as u8).collect();
    period.iter().copied().cycle().take(PERIOD + CHUNK).collect()
});

/// The `len` bytes from `offset`, at most [`CHUNK`].
pub(super) fn bytes(offset: u64, len: usize) -> &'static [u8] {
    let from = (offset % PERIOD as u64) as usize;
    &BYTES[from..from + len]
}

/// The offset of the first byte that differs from the sent one.
pub(super) fn mismatch(offset: u64, received: &[u8]) -> Option<u64> {
    let sent = bytes(offset, received.len());
    if sent == received {
        return None;
    }
    let place = sent.iter().zip(received).position(|(sent, received)| sent != received);
    place.map(|place| offset + place as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_matches_at_its_place_only() {
        for offset in [0, 1448, 1 << 33] {
            let segment = bytes(offset, 1448);
            assert_eq!(mismatch(offset, segment), None);
            for distance in [1, 20, 1428, 1448, 2 * 1448, 65_536] {
                assert!(mismatch(offset + distance, segment).is_some());
            }
        }
    }

    #[test]
    fn the_first_wrong_byte_is_reported() {
        let mut received = bytes(5000, CHUNK).to_vec();
        received[777] ^= 1;
        received[778] ^= 1;
        assert_eq!(mismatch(5000, &received), Some(5777));
    }
}
