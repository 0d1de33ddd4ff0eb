//! Counters of each path: segments, ACKs, bursts and ACK ratios.

use super::standstill::{Cause, Reach};
use super::wire::Header;
use anabranch_net::DropReason;

/// A path's counters since the start of the emulator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathCounts {
    /// Data segments that the sender's host has sent, including retransmissions.
    pub segments: u64,
    /// The number of these segments that a link dropped.
    pub dropped_segments: u64,
    /// Pure acknowledgements that the receiver's host has sent.
    pub acks: u64,
    /// Standstills of the emulator after which a queue dropped data.
    pub standstill_losses: u64,
    /// The largest cost of these losses, in cycles between two reactions to congestion.
    pub standstill_cycles: f64,
}

/// The sending behaviour of the hosts of a path.
#[derive(Clone, Debug, Default)]
pub struct SendingBehaviour {
    /// Segments that the sender's host hands over as one super-packet (TSO).
    pub segments_per_burst: Tally,
    /// Segments that a pure acknowledgement newly acknowledges, counting a partly acknowledged one; 0 is a duplicate.
    pub segments_per_ack: Tally,
}

/// A histogram of small numbers.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The counts of 0, 1, 2 and so on; the last one includes all larger numbers.
    pub counts: [u64; Tally::SIZE],
}

impl Tally {
    const SIZE: usize = 65;

    /// The mean; `None` if empty.
    pub fn mean(&self) -> Option<f64> {
        let all: u64 = self.counts.iter().sum();
        let sum: u64 = self.counts.iter().zip(0..).map(|(n, number)| n * number).sum();
        (all > 0).then(|| sum as f64 / all as f64)
    }

    /// The same without zeros.
    pub fn without_zeros(&self) -> Tally {
        let mut some = self.clone();
        some.counts[0] = 0;
        some
    }

    fn add(&mut self, number: usize) {
        self.counts[number.min(Tally::SIZE - 1)] += 1;
    }
}

impl Default for Tally {
    fn default() -> Tally {
        Tally { counts: [0; Tally::SIZE] }
    }
}

/// The observed state of a path.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub counts: PathCounts,
    pub manner: SendingBehaviour,
    /// The payload of a full segment: the largest seen.
    full: usize,
    /// The last acknowledgement number of the current connection.
    acknowledged: Option<u32>,
    /// The reach of standstills on the path.
    pub reach: Reach,
    /// The number of the last counted standstill.
    standstill: u64,
}

impl Watch {
    pub fn new(reach: Reach) -> Watch {
        Watch { reach, ..Watch::default() }
    }

    /// A packet left the sender's host.
    pub fn forward(&mut self, header: &Header) {
        if header.tcp.is_some() && header.payload > 0 {
            let segments = header.segments();
            self.counts.segments += segments as u64;
            self.manner.segments_per_burst.add(segments);
            self.full = self.full.max(header.payload_of(0));
        }
    }

    /// A packet left the receiver's host.
    pub fn back(&mut self, header: &Header) {
        let Some(tcp) = header.tcp else { return };
        if tcp.opens {
            self.acknowledged = Some(tcp.ack);
        } else if header.payload == 0 && tcp.acknowledges {
            self.counts.acks += 1;
            if let Some(before) = self.acknowledged.replace(tcp.ack) {
                // A late, old one has a smaller number.
                let bytes = tcp.ack.wrapping_sub(before) as i32;
                self.manner.segments_per_ack.add((bytes.max(0) as usize).div_ceil(self.full.max(1)));
                if bytes < 0 {
                    self.acknowledged = Some(before);
                }
            }
        }
    }

    /// A link dropped a packet. `cause` is the standstill that may have caused it.
    pub fn dropped(&mut self, forward: bool, data: bool, why: DropReason, cause: Option<Cause>) {
        self.counts.dropped_segments += u64::from(forward && data);
        let by_queue = matches!(why, DropReason::Queue | DropReason::Early);
        if let Some(Cause { number, cost }) = cause.filter(|cause| cause.number > self.standstill)
            && (forward && data && by_queue)
        {
            self.counts.standstill_losses += 1;
            self.counts.standstill_cycles += cost;
            self.standstill = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::VNET_HEADER;
    use crate::emulator::wire::{ACK, tests::frame};

    const SYN: u8 = 0x02;

    /// The acknowledgements of the receiver's host up to there.
    fn answer(flags: u8, ack: u32) -> Header {
        let mut packet = frame(0, None, flags, 0);
        packet[VNET_HEADER + 28..][..4].copy_from_slice(&ack.to_be_bytes());
        Header::read(&packet).unwrap()
    }

    #[test]
    fn segments_and_acknowledgements_are_counted() {
        let mut watch = Watch::default();
        let start = u32::MAX - 1000;
        watch.back(&answer(SYN | ACK, start));
        watch.forward(&Header::read(&frame(4 * 1448 + 10, Some(1448), ACK, 0)).unwrap());
        watch.forward(&Header::read(&frame(0, None, ACK, 0)).unwrap());
        // Two segments, twice the same, the last two, and one that comes late.
        for bytes in [2 * 1448, 2 * 1448, 4 * 1448 + 10, 1448] {
            watch.back(&answer(ACK, start.wrapping_add(bytes)));
        }
        watch.dropped(true, true, DropReason::Queue, None);
        watch.dropped(true, false, DropReason::Queue, None);
        watch.dropped(false, false, DropReason::Queue, None);
        let expected = PathCounts {
            segments: 5,
            dropped_segments: 1,
            acks: 4,
            standstill_losses: 0,
            standstill_cycles: 0.0,
        };
        assert_eq!(watch.counts, expected);
        let SendingBehaviour { segments_per_burst, segments_per_ack } = &watch.manner;
        assert_eq!(segments_per_burst.counts[..7], [0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(segments_per_ack.counts[..5], [2, 0, 1, 1, 0]);
        assert_eq!(segments_per_ack.mean(), Some(5.0 / 4.0));
        // The next connection has numbers of its own.
        watch.back(&answer(SYN | ACK, 7));
        watch.back(&answer(ACK, 7 + 1448));
        assert_eq!(watch.manner.segments_per_ack.counts[1], 1);
    }

    #[test]
    fn a_standstill_after_which_a_queue_drops_data_counts_once() {
        let mut watch = Watch::default();
        let by = |number| Some(Cause { number, cost: 0.125 });
        for (forward, data, why, cause) in [
            (true, true, DropReason::Queue, None),
            (true, true, DropReason::Loss, by(1)),
            (true, true, DropReason::Down, by(1)),
            (false, false, DropReason::Queue, by(1)),
            (true, true, DropReason::Queue, by(2)),
            (true, true, DropReason::Queue, by(2)),
            (true, true, DropReason::Early, by(3)),
        ] {
            watch.dropped(forward, data, why, cause);
        }
        assert_eq!((watch.counts.standstill_losses, watch.counts.standstill_cycles), (2, 0.25));
    }
}
