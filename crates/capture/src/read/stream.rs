//! The data stream of an MPTCP connection in one direction: which subflow sent which bytes, and what is acknowledged.

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
    /// Unacknowledged ranges by start: end and subflow.
    owners: BTreeMap<u64, (u64, usize)>,
    /// Bytes sent before on another subflow.
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

    /// Bytes delivered.
    pub(super) fn delivered(&self) -> u64 {
        self.acknowledged.min(self.next)
    }

    /// A subflow sends its bytes `start..end`, which lie in a mapping that begins at its byte `mapped`.
    pub(super) fn on_sent(
        &mut self,
        mapping: Mapping,
        mapped: u64,
        (start, end): (u64, u64),
        subflow: usize,
    ) {
        let base = *self.base.get_or_insert(mapping.data.value);
        let end = end.min(mapped + u64::from(mapping.len));
        if start < mapped || start >= end {
            return; // the mapping covers other bytes
        }
        let from = self.place(base, mapping.data).wrapping_add(start - mapped);
        let Some(to) = from.checked_add(end - start).filter(|to| *to < 1 << 62) else { return };
        self.carry(from, to, subflow);
    }

    /// The same where places in the stream are known.
    fn carry(&mut self, from: u64, to: u64, subflow: usize) {
        self.next = self.next.max(to);
        // Some subflow had sent everything that was acknowledged.
        let mut at = from;
        if at < self.acknowledged {
            self.reinjected += to.min(self.acknowledged) - at;
            at = to.min(self.acknowledged);
        }
        while at < to {
            let around = self.owners.range(..=at).next_back().filter(|(_, (end, _))| *end > at);
            let (until, owner) = match around {
                Some((_, &(end, owner))) => (end.min(to), Some(owner)),
                None => (self.owners.range(at..to).next().map_or(to, |(start, _)| *start), None),
            };
            match owner {
                Some(owner) if owner != subflow => self.reinjected += until - at,
                Some(_) => (),
                None => self.own(at, until, subflow),
            }
            at = until;
        }
    }

    /// New bytes of a subflow, joined with those before them where these are its own.
    fn own(&mut self, from: u64, to: u64, subflow: usize) {
        match self.owners.range_mut(..from).next_back() {
            Some((_, (end, owner))) if *end == from && *owner == subflow => *end = to,
            _ => _ = self.owners.insert(from, (to, subflow)),
        }
    }

    /// The receiver acknowledges.
    pub(super) fn on_acknowledged(&mut self, number: Number) {
        let Some(base) = self.base else { return };
        let place = self.place(base, number);
        // A DATA_FIN is one byte behind the last.
        if place > self.next + 1 || place <= self.acknowledged {
            return;
        }
        self.acknowledged = place;
        while let Some(first) = self.owners.first_entry().filter(|first| first.get().0 <= place) {
            first.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_subflow_had_sent_is_reinjected() {
        let mut stream = Stream { base: Some(1000), ..Stream::default() };
        stream.carry(0, 300, 0);
        stream.carry(300, 500, 1);
        stream.carry(0, 100, 0); // retransmitted on the same subflow
        assert_eq!(stream.reinjected, 0);
        stream.carry(200, 400, 1); // 100 of them are its own
        assert_eq!(stream.reinjected, 100);
        stream.carry(450, 600, 0); // 50 of the other's, 100 new
        assert_eq!((stream.reinjected, stream.next), (150, 600));
        stream.on_acknowledged(Number { value: 1500, long: true });
        assert_eq!(stream.delivered(), 500);
        stream.carry(550, 600, 1);
        assert_eq!(stream.reinjected, 200);
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
        stream.on_sent(mapping(base), 0, (0, 200), 0);
        stream.on_sent(mapping(base + 200), 0, (0, 200), 0);
        assert_eq!(stream.next, 400);
        stream.on_acknowledged(Number { value: (base + 401) & 0xffff_ffff, long: false });
        assert_eq!(stream.delivered(), 400); // 401 is behind the DATA_FIN
    }
}
