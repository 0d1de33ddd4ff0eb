//! The data stream of an MPTCP connection in one direction: which bytes were sent, and which are acknowledged.

use super::mptcp::{Mapping, Number};
use crate::near::near;
use std::collections::BTreeMap;

/// A stream. Offsets are bytes since the first one.
#[derive(Default)]
pub(super) struct Stream {
    /// The data sequence number of offset 0, once it is known.
    pub(super) base: Option<u64>,
    /// Behind the last byte that was sent.
    pub(super) next: u64,
    /// Acknowledged up to this offset; a DATA_FIN counts as a byte.
    acknowledged: u64,
    /// Ranges that were sent and are not acknowledged as a whole: the end by start.
    sent: BTreeMap<u64, u64>,
    /// Bytes that the connection had sent before, other than retransmissions on a subflow.
    pub(super) reinjected: u64,
}

impl Stream {
    fn place(&self, base: u64, number: Number) -> u64 {
        if number.long {
            return number.value.wrapping_sub(base);
        }
        near(self.next, (number.value as u32).wrapping_sub(base as u32))
    }

    /// The offset of a mapping; `None` if it is impossible.
    pub(super) fn begin(&self, mapping: Mapping) -> Option<u64> {
        Some(self.place(self.base?, mapping.data)).filter(|place| *place < 1 << 62)
    }

    pub(super) fn delivered(&self) -> u64 {
        self.acknowledged.min(self.next)
    }

    /// A subflow sends its bytes `start..end`, which lie in a mapping that begins at its byte `mapped`. `again`: as a retransmission.
    pub(super) fn on_sent(&mut self, mapping: Mapping, mapped: u64, (start, end): (u64, u64), again: bool) {
        let base = *self.base.get_or_insert(mapping.data.value);
        let end = end.min(mapped + u64::from(mapping.len));
        if start < mapped || start >= end {
            return; // the mapping covers other bytes
        }
        let from = self.place(base, mapping.data).wrapping_add(start - mapped);
        let Some(to) = from.checked_add(end - start).filter(|to| *to < 1 << 62) else { return };
        let known = self.carry(from, to);
        self.reinjected += if again { 0 } else { known };
    }

    /// Adds bytes of the stream; returns how many of them were sent before.
    fn carry(&mut self, from: u64, to: u64) -> u64 {
        self.next = self.next.max(to);
        let new = from.max(self.acknowledged);
        if new >= to {
            return to - from;
        }
        let (mut known, mut whole) = (new - from, (new, to));
        while let Some((&start, &end)) = self.sent.range(..=to).next_back()
            && end >= new
        {
            known += end.min(to).saturating_sub(start.max(new));
            whole = (whole.0.min(start), whole.1.max(end));
            self.sent.remove(&start);
        }
        self.sent.insert(whole.0, whole.1);
        known
    }

    pub(super) fn on_acknowledged(&mut self, number: Number) {
        let Some(base) = self.base else { return };
        let place = self.place(base, number);
        // A DATA_FIN is one byte behind the last.
        if place > self.next + 1 || place <= self.acknowledged {
            return;
        }
        self.acknowledged = place;
        while let Some(first) = self.sent.first_entry().filter(|first| *first.get() <= place) {
            first.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_sent_before_are_known() {
        let mut stream = Stream { base: Some(1000), ..Stream::default() };
        assert_eq!([(0, 300), (400, 500), (0, 100)].map(|(from, to)| stream.carry(from, to)), [0, 0, 100]);
        assert_eq!(stream.carry(200, 450), 150);
        assert_eq!((stream.carry(450, 600), stream.next, stream.sent.len()), (50, 600, 1));
        stream.on_acknowledged(Number { value: 1500, long: true });
        assert_eq!(stream.delivered(), 500);
        assert_eq!(
            [(550, 600), (400, 700), (100, 200)].map(|(from, to)| stream.carry(from, to)),
            [50, 200, 100]
        );
        stream.on_acknowledged(Number { value: 1700, long: true });
        assert_eq!((stream.sent.len(), stream.carry(650, 750), stream.carry(900, 950)), (0, 50, 0));
    }

    #[test]
    fn numbers_of_32_bits_go_on_beyond_them() {
        let base = u64::from(u32::MAX) - 99;
        let mut stream = Stream { base: Some(base), ..Stream::default() };
        let mapping = |data: u64| Mapping {
            data: Number { value: data & 0xffff_ffff, long: false },
            subflow: 1,
            len: 200,
        };
        stream.on_sent(mapping(base), 0, (0, 200), false);
        stream.on_sent(mapping(base + 200), 0, (0, 200), false);
        assert_eq!(stream.next, 400);
        stream.on_acknowledged(Number { value: (base + 401) & 0xffff_ffff, long: false });
        assert_eq!(stream.delivered(), 400); // 401 is behind the DATA_FIN
    }
}
