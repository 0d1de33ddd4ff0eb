//! What the receivers of all subflows of a connection have in common: its stream, and how they acknowledge.

use crate::dss::Dss;
use crate::packet::{Chunk, widen};
use crate::stream::{Corrupt, ReceiveStream};
use anabranch_net::Time;
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
    /// Whether the end of a burst is acknowledged.
    pub(crate) push_acks: bool,
    /// Whether ACKs of segments behind a hole wait for more of these.
    pub(crate) compresses: bool,
    /// What a lone receiver ahead of time has delivered when its measurement begins, and when it ends.
    marks: Box<[Mark]>,
    /// How many marks this receiver has passed, and the time of the next one.
    passed: u8,
    next_mark: Time,
    pub(crate) corrupt: Option<Box<Corrupt>>,
}

/// What is delivered before a time.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Time,
    bytes: u64,
    first_bytes: u64,
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
            stream: ReceiveStream::default(),
            dss,
            sack_blocks: dss.sack_blocks(),
            joins_late,
            window,
            delayed_ack: tcp.delayed_ack,
            delayed_ack_timeout: tcp.delayed_ack_timeout,
            push_acks: tcp.push_acks,
            // A route with `quickack` acknowledges everything at once.
            compresses: tcp.sack_compression && tcp.delayed_ack > 1,
            marks: Box::default(),
            passed: 0,
            next_mark: Time::NEVER,
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
        let taken = self.stream.take(widen(self.stream.next, n), chunk);
        taken.unwrap_or_else(|corrupt| {
            self.corrupt = Some(corrupt.into());
            false
        })
    }

    /// What an ACK says of the stream: the next chunk and its offset.
    #[inline]
    pub(crate) fn delivered(&self) -> (u32, u32) {
        (self.stream.next as u32, self.stream.bytes as u32)
    }

    /// A lone receiver ahead of time is measured between these times, which are in order.
    pub(crate) fn mark(&mut self, times: [Time; 2]) {
        self.marks = times.map(|at| Mark { at, bytes: 0, first_bytes: 0 }).into();
        self.next_mark = times[0];
    }

    /// A lone receiver ahead of time comes to a segment that arrives at `at`. Before it, `first_bytes` are first copies.
    #[inline]
    pub(crate) fn pass(&mut self, at: Time, first_bytes: u64) {
        if at >= self.next_mark {
            self.pass_marks(at, first_bytes);
        }
    }

    #[cold]
    fn pass_marks(&mut self, at: Time, first_bytes: u64) {
        while at >= self.next_mark && self.next_mark < Time::NEVER {
            let mark = &mut self.marks[usize::from(self.passed)];
            (mark.bytes, mark.first_bytes) = (self.stream.bytes, first_bytes);
            self.passed += 1;
            self.next_mark = self.marks.get(usize::from(self.passed)).map_or(Time::NEVER, |mark| mark.at);
        }
    }

    /// The bytes that a lone receiver ahead of time delivers before `now`, and the first copies. It has taken `first_bytes` of these, some
    /// ahead of time. Between marks, where a run is interrupted, the exact value is unknown: `acked` takes its place, or what is at least
    /// delivered, the value at the first mark.
    pub(crate) fn delivered_before(&self, now: Time, first_bytes: u64, acked: u64) -> (u64, u64) {
        let taken = (self.stream.bytes, first_bytes);
        let mut passed =
            self.marks.iter().take(self.passed.into()).map(|mark| (mark.bytes, mark.first_bytes));
        match self.marks.iter().position(|mark| mark.at == now) {
            Some(mark) => passed.nth(mark).unwrap_or(taken),
            None => passed.next().map_or(taken, |(bytes, first)| (acked.max(bytes), acked.max(first))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What a plain list says, also where bytes pass 2³².
        #[test]
        fn marks_are_those_of_a_list(
            steps in prop::collection::vec((0u64..4, any::<bool>()), 1..100),
            begin in 0u64..100,
            length in 1u64..100,
        ) {
            let mut incoming = Incoming::new(&Tcp::default(), Dss::new(false, false), 0, false);
            let from = u64::from(u32::MAX) - 5000;
            incoming.stream = ReceiveStream::at(from);
            let marks = [begin, begin + length];
            incoming.mark(marks.map(Time::from_nanos));
            let (mut at, mut first_bytes, mut list) = (0, from, vec![]);
            for (n, (gap, is_next)) in steps.into_iter().enumerate() {
                at += gap;
                list.push((at, incoming.stream.bytes, first_bytes));
                incoming.pass(Time::from_nanos(at), first_bytes);
                // A chunk behind a hole is a first copy that is not delivered.
                let chunk = Chunk { offset: incoming.stream.bytes as u32, len: 100 };
                let number = incoming.stream.next as u32 + if is_next { 0 } else { 1000 + 2 * n as u32 };
                first_bytes += incoming.take(number, chunk);
                let acked = incoming.stream.bytes.min(from + 150);
                let first_from = |mark: u64| list.iter().find(|(at, ..)| *at >= mark).map(|(_, bytes, first)| (*bytes, *first));
                let taken = (incoming.stream.bytes, first_bytes);
                // Interrupted: what was acknowledged, but no less than at the beginning.
                let want = first_from(begin).map_or(taken, |(bytes, first)| (acked.max(bytes), acked.max(first)));
                prop_assert_eq!(incoming.delivered_before(Time::from_nanos(marks[1] + 1), first_bytes, acked), want);
                for mark in marks {
                    let want = first_from(mark).unwrap_or(taken);
                    prop_assert_eq!(incoming.delivered_before(Time::from_nanos(mark), first_bytes, acked), want);
                }
            }
        }
    }
}
