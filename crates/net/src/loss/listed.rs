//! Exact losses, by the packets' numbers.

use super::{Loss, Model, State};
use crate::model_spec::{Packets, model_spec};
use crate::{Random, Time};

model_spec! {
    /// Exactly the packets with these numbers are lost.
    "listed" "listed" Listed {
        /// The packets' numbers, ascending. The first packet that arrives at the link is 1; a retransmission has its own number.
        packets: Packets as Packets,
        /// Packets of at most this size pass uncounted. Default: 80 B, the longest headers of IPv4 and TCP, so only data counts.
        larger_than: u64 as Bytes(1, 65_535) => 80,
    }
}

impl Model for Listed {
    #[inline]
    fn loses(&self, State { count, .. }: &mut State, _: Time, _: &mut Random) -> bool {
        *count += 1;
        self.packets.contains(*count)
    }

    fn skips(&self, wire_bytes: u32) -> bool {
        u64::from(wire_bytes) <= self.larger_than
    }

    /// In the long run, the list is over.
    fn mean_rate(&self) -> f64 {
        0.0
    }
}

impl Loss {
    /// The data packets with these numbers are lost; `None` if the numbers do not ascend from 1 on, or are none or too many.
    pub fn listed(numbers: &[u32]) -> Option<Loss> {
        Packets::new(numbers).map(|packets| Loss::Listed(Listed { packets, larger_than: 80 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossAt;
    use crate::loss::tests::{losses, process};

    #[test]
    fn it_is_exact() {
        assert_eq!(losses(Loss::listed(&[1, 4, 5]).unwrap(), 11), [1, 4, 5]);
        assert_eq!(losses(Loss::listed(&[20]).unwrap(), 11), [0; 0]);
        for bad in [&[][..], &[0], &[3, 2], &[2, 2], &[1; 17]] {
            assert_eq!(Loss::listed(bad), None, "{bad:?}");
        }
        let most: Vec<u32> = (1..=16).collect();
        assert_eq!(losses(Loss::listed(&most).unwrap(), 20).len(), 16);
    }

    #[test]
    fn small_packets_do_not_count() {
        let lost = |loss: Loss| {
            let mut process = process(loss);
            [60, 80, 81, 52, 1500, 1500].map(|size| process.loses_at(LossAt::Entry, Time::ZERO, size))
        };
        let second = Packets::new(&[2]).unwrap();
        assert_eq!(lost(Loss::listed(&[2]).unwrap()), [false, false, false, false, true, false]);
        let all = Loss::Listed(Listed { packets: second, larger_than: 1 });
        assert_eq!(lost(all), [false, true, false, false, false, false]);
    }
}
