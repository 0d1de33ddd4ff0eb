//! What the receivers of all subflows of a connection have in common: its stream, and how they acknowledge.

use crate::dss::Dss;
use crate::packet::{Chunk, widen};
use crate::stream::{Corrupt, ReceiveStream};
use anabranch_net::{Fifo, Time};
use anabranch_scenario::Tcp;

#[derive(Clone)]
pub(crate) struct Incoming {
    pub(crate) stream: ReceiveStream,
    pub(crate) dss: Dss,
    /// SACK blocks that fit into an ACK.
    pub(crate) sack_blocks: u8,
    /// Whether segments join the stream late: see [`crate::connection::ahead`].
    pub(crate) joins_late: bool,
    /// The advertised window, in units of its scale.
    pub(crate) window: u16,
    /// Segments per ACK, and the longest delay of one: copies beside what else a segment needs.
    pub(crate) delayed_ack: u16,
    pub(crate) delayed_ack_timeout: Time,
    /// What was delivered when, if a lone receiver is ahead of time, at least since the last arrival before now.
    history: Fifo<Delivered>,
    /// The stream is corrupt.
    pub(crate) corrupt: Option<Box<Corrupt>>,
}

/// What is delivered after an arrival, modulo 2³²: fewer bytes are in flight, as a window has at most 2³⁰.
#[derive(Clone, Copy, Debug)]
struct Delivered {
    at: Time,
    bytes: u32,
    first_bytes: u32,
}

/// A segment that a receiver took ahead of time, and that has not joined the stream.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
pub(crate) struct Early {
    pub(crate) at: Time,
    /// The number of its chunk, modulo 2³².
    pub(crate) n: u32,
    offset: u32,
    len: u16,
}

impl Early {
    #[inline]
    pub(crate) fn new(at: Time, n: u32, chunk: Chunk) -> Early {
        Early { at, n, offset: chunk.offset, len: chunk.len }
    }

    #[inline]
    pub(crate) fn chunk(self) -> Chunk {
        Chunk { offset: self.offset, len: self.len }
    }
}

impl Incoming {
    pub(crate) fn new(tcp: &Tcp, dss: Dss, window: u16, joins_late: bool) -> Incoming {
        Incoming {
            stream: ReceiveStream::new(),
            dss,
            sack_blocks: dss.sack_blocks(),
            joins_late,
            window,
            delayed_ack: tcp.delayed_ack,
            delayed_ack_timeout: tcp.delayed_ack_timeout,
            history: Fifo::default(),
            corrupt: None,
        }
    }

    /// Adds the chunk of number `n` modulo 2³² to the stream. Returns its bytes, 0 if it is not the first copy.
    #[inline]
    pub(crate) fn take(&mut self, n: u32, chunk: Chunk) -> u64 {
        let is_first = self.stream.take_next(n, chunk) || self.take_any(n, chunk);
        if is_first { chunk.len.into() } else { 0 }
    }

    #[inline(never)]
    fn take_any(&mut self, n: u32, chunk: Chunk) -> bool {
        let taken = self.stream.take(widen(self.stream.next(), n), chunk);
        taken.unwrap_or_else(|corrupt| {
            self.corrupt = Some(corrupt.into());
            false
        })
    }

    /// What an ACK says of the stream: the next chunk and its offset.
    #[inline]
    pub(crate) fn delivered(&self) -> (u32, u32) {
        (self.stream.next() as u32, self.stream.bytes() as u32)
    }

    /// Records what is delivered after the arrival at `at`; `first_bytes` are first copies.
    #[inline]
    pub(crate) fn record(&mut self, at: Time, first_bytes: u64, now: Time) {
        while self.history.is_full() && self.history.second().is_some_and(|second| second.at < now) {
            self.history.drop_front();
        }
        let (bytes, first_bytes) = (self.stream.bytes() as u32, first_bytes as u32);
        self.history.push(Delivered { at, bytes, first_bytes });
    }

    /// The bytes delivered before `now`, and the first copies, of which the last record has `first_bytes`; `None` without records.
    pub(crate) fn recorded(&self, first_bytes: u64, now: Time) -> Option<(u64, u64)> {
        let last = self.history.iter().take_while(|delivered| delivered.at < now).last();
        let (bytes, first) = last.map_or((0, 0), |last| (last.bytes, last.first_bytes));
        (!self.history.is_empty()).then(|| (widen(self.stream.bytes(), bytes), widen(first_bytes, first)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// At each time since the last record, what a plain list says, also where bytes pass 2³².
        #[test]
        fn records_are_those_of_a_list(steps in prop::collection::vec((0u64..4, 0u64..30, any::<bool>()), 1..300)) {
            let mut incoming = Incoming::new(&Tcp::default(), Dss::new(false, false), 0, false);
            let from = u64::from(u32::MAX) - 5000;
            incoming.stream = ReceiveStream::at(from);
            let (mut now, mut last, mut first_bytes, mut list) = (0, 0, from, vec![(0, from, from)]);
            incoming.record(Time::ZERO, from, Time::ZERO);
            for (n, (gap, ahead, is_next)) in steps.into_iter().enumerate() {
                now += gap;
                last = (now + ahead).max(last + 1);
                // A chunk behind a hole is a first copy that is not delivered.
                let chunk = Chunk { offset: incoming.stream.bytes() as u32, len: 100 };
                let number = incoming.stream.next() as u32 + if is_next { 0 } else { 1000 + 2 * n as u32 };
                first_bytes += incoming.take(number, chunk);
                let at = Time::from_nanos(last);
                incoming.record(at, first_bytes, Time::from_nanos(now));
                list.push((last, incoming.stream.bytes(), first_bytes));
                for later in now.max(1)..=last + 1 {
                    let want = list.iter().rfind(|(at, ..)| *at < later).map(|(_, bytes, first)| (*bytes, *first));
                    prop_assert_eq!(incoming.recorded(first_bytes, Time::from_nanos(later)), want);
                }
            }
        }
    }
}
