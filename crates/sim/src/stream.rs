//! The byte stream of a connection: chunks at the sender, reassembly at the receiver (RFC 8684 §3.3).

use crate::packet::{Chunk, widen};
use crate::reinjections::Reinjections;
use crate::tso::{self, Buffer};
use std::collections::VecDeque;

/// The sender's stream: data of the application, cut into chunks, until the DATA_ACK.
#[derive(Clone, Debug, Default)]
pub(crate) struct SendStream {
    /// First unacknowledged chunk, and the next chunk to cut.
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    /// Offsets of these.
    pub(crate) acked_bytes: u64,
    pub(crate) cut_bytes: u64,
    /// The offset at which the buffers begin.
    buffers_from: u64,
    /// Bytes written by the application; [`u64::MAX`] if endless.
    written: u64,
    /// The receive window ends at this offset.
    edge: u64,
    /// State for reinjections, with several subflows.
    repeats: Option<Box<Reinjections>>,
    /// Largest chunk, in bytes.
    pub(crate) mss: u16,
    /// Whether the application writes no more.
    pub(crate) closed: bool,
}

impl SendStream {
    /// `window` is the receive window, in bytes.
    pub(crate) fn new(mss: u16, window: u64, subflows: usize) -> SendStream {
        let repeats = (subflows > 1).then(|| Box::new(Reinjections::new(subflows)));
        SendStream { edge: window, repeats, mss, ..SendStream::default() }
    }

    /// Bytes written and not cut into chunks.
    #[inline]
    pub(crate) fn unsent(&self) -> u64 {
        self.written - self.cut_bytes
    }

    /// The first unsent buffer of a TCP connection (`tcp_sendmsg_locked`): buffers begin where writing resumed with no unsent
    /// data. Moving bytes from one into the previous one moves the end of neither.
    pub(crate) fn first_buffer(&self) -> Buffer {
        let size = tso::buffer_size(u64::from(self.mss), self.window());
        let unsent = self.unsent();
        let bytes = (size - (self.cut_bytes - self.buffers_from) % size).min(unsent);
        Buffer { bytes, movable: (unsent - bytes).min(size), is_last: unsent == bytes }
    }

    /// The receive window, in bytes from the first unacknowledged one.
    pub(crate) fn window(&self) -> u64 {
        self.edge - self.acked_bytes
    }

    /// Whether chunks may be reinjected on another subflow.
    #[inline]
    pub(crate) fn can_reinject(&self) -> bool {
        self.has_reinjections() || self.is_window_blocked()
    }

    /// Whether chunks may wait to be reinjected.
    #[inline]
    pub(crate) fn has_reinjections(&self) -> bool {
        self.repeats.as_ref().is_some_and(|repeats| repeats.is_queued())
    }

    /// The application writes up to this offset.
    pub(crate) fn write_up_to(&mut self, offset: u64) {
        debug_assert!(offset >= self.cut_bytes && !self.closed);
        if self.unsent() == 0 {
            self.buffers_from = self.cut_bytes;
        }
        self.written = offset;
    }

    /// The application drops its unsent data and pauses.
    pub(crate) fn pause(&mut self) {
        self.written = self.cut_bytes;
    }

    /// Bytes of the receive window beyond the sent ones.
    pub(crate) fn receivable(&self) -> u64 {
        self.edge.saturating_sub(self.cut_bytes)
    }

    /// Whether the stream is closed and all data is sent.
    pub(crate) fn is_sent(&self) -> bool {
        self.closed && self.unsent() == 0
    }

    /// Whether all sent data is acknowledged.
    pub(crate) fn is_acked(&self) -> bool {
        self.una == self.nxt
    }

    /// Whether only the receive window prevents another chunk.
    #[inline]
    pub(crate) fn is_window_blocked(&self) -> bool {
        let len = self.unsent().min(u64::from(self.mss));
        len > 0 && self.cut_bytes + len > self.edge && !self.is_acked()
    }

    #[inline]
    pub(crate) fn can_cut(&self) -> bool {
        self.unsent() > 0 && !self.is_window_blocked()
    }

    /// Cuts the next chunk for `subflow`. `None` if no data is left or the window is full; with no
    /// outstanding data one chunk may probe a closed window.
    #[inline]
    pub(crate) fn cut(&mut self, subflow: usize) -> Option<(u64, Chunk)> {
        let len = self.unsent().min(u64::from(self.mss)) as u16;
        if len == 0 || self.is_window_blocked() {
            return None;
        }
        Some(self.push(len, subflow))
    }

    /// The DATA_FIN: a chunk without payload.
    pub(crate) fn cut_fin(&mut self, subflow: usize) -> (u64, Chunk) {
        self.push(0, subflow)
    }

    #[inline]
    fn push(&mut self, len: u16, subflow: usize) -> (u64, Chunk) {
        let chunk = Chunk { offset: self.cut_bytes as u32, len };
        self.cut_bytes += u64::from(len);
        if let Some(repeats) = &mut self.repeats {
            repeats.push(chunk, subflow);
        }
        self.nxt += 1;
        (self.nxt - 1, chunk)
    }

    /// Marks chunk `n` as sent on `subflow` and returns it, if it is outstanding and `subflow` has not sent it.
    pub(crate) fn repeat_on(&mut self, n: u64, subflow: usize) -> Option<Chunk> {
        self.repeats.as_mut()?.repeat_on(n, subflow)
    }

    /// Marks chunk `n` as carried by `subflow` and returns it, if it is outstanding.
    #[inline]
    pub(crate) fn carry_on(&mut self, n: u64, subflow: usize) -> Option<Chunk> {
        self.repeats.as_mut()?.carry_on(n, subflow)
    }

    /// Marks chunk `n` as sent from the queue of `subflow` and returns it, if outstanding, and whether it was sent before.
    #[inline]
    pub(crate) fn send_on(&mut self, n: u64, subflow: usize) -> Option<(Chunk, bool)> {
        self.repeats.as_mut()?.send_on(n, subflow)
    }

    /// The subflows, one bit each, that carry the first unacknowledged chunk.
    pub(crate) fn blocking_subflows(&self) -> u32 {
        self.repeats.as_ref().map_or(0, |repeats| repeats.carriers(self.una))
    }

    /// Queues `chunks` of one subflow, numbers modulo 2³², for other subflows.
    pub(crate) fn reinject(&mut self, chunks: impl Iterator<Item = u32>) {
        if let Some(repeats) = &mut self.repeats {
            chunks.for_each(|chunk| repeats.enqueue(widen(self.una, chunk)));
        }
    }

    #[inline]
    pub(crate) fn next_reinjection(&mut self, subflow: usize) -> Option<(u64, Chunk)> {
        self.repeats.as_mut()?.next_on(subflow)
    }

    /// `subflow` left the connection, so its copies of outstanding chunks are lost.
    pub(crate) fn forget_subflow(&mut self, subflow: usize) {
        if let Some(repeats) = &mut self.repeats {
            repeats.forget_subflow(subflow);
        }
    }

    /// Handles a DATA_ACK for everything before chunk `next`, which begins at `offset` (modulo 2³²), with a window of
    /// `window` bytes.
    #[inline]
    pub(crate) fn on_data_ack(&mut self, next: u64, offset: u32, window: u64) {
        if next < self.una {
            return;
        }
        self.una = next;
        self.acked_bytes = widen(self.acked_bytes, offset);
        self.edge = self.edge.max(self.acked_bytes + window);
        if let Some(repeats) = &mut self.repeats {
            repeats.forget_before(next);
        }
    }
}

/// A misplaced chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("chunk {chunk} has offset {found} instead of {expected}")]
pub struct Corrupt {
    /// The chunk.
    pub chunk: u64,
    /// Its expected offset in the stream, modulo 2³².
    pub expected: u32,
    /// Its actual offset.
    pub found: u32,
}

/// The receiver's stream: delivers every byte exactly once and in order, and checks this.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiveStream {
    /// The next chunk to deliver.
    pub(crate) next: u64,
    /// Bytes delivered to the application, in order.
    pub(crate) bytes: u64,
    /// Out-of-order chunks, in order: one run behind each hole.
    waiting: VecDeque<Run>,
}

/// Consecutive chunks, from one number up to another. Runs do not touch each other.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: u64,
    to: u64,
    /// Where it begins and ends in the stream, modulo 2³².
    begins: u32,
    ends: u32,
}

impl ReceiveStream {
    /// One that has delivered this number of bytes.
    #[cfg(test)]
    pub(crate) fn at(bytes: u64) -> ReceiveStream {
        ReceiveStream { bytes, ..ReceiveStream::default() }
    }

    /// Whether all received chunks are delivered.
    #[inline]
    pub(crate) fn is_in_order(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes a chunk of number `n` modulo 2³² if it is the next and none waits, as most are. Returns whether it is.
    #[inline]
    pub(crate) fn take_next(&mut self, n: u32, chunk: Chunk) -> bool {
        let is_next = n == self.next as u32 && chunk.offset == self.bytes as u32 && self.waiting.is_empty();
        if is_next {
            self.bytes += u64::from(chunk.len);
            self.next += 1;
        }
        is_next
    }

    /// Takes a chunk; returns whether it is the first copy.
    ///
    /// # Errors
    /// [`Corrupt`] if a chunk does not continue the stream: a bug in the simulator.
    #[inline]
    pub(crate) fn take(&mut self, n: u64, chunk: Chunk) -> Result<bool, Corrupt> {
        if n != self.next {
            return if n < self.next { Ok(false) } else { self.keep(n, chunk) };
        }
        continues(self.bytes as u32, n, chunk.offset)?;
        self.bytes += u64::from(chunk.len);
        self.next += 1;
        if let Some(&run) = self.waiting.front().filter(|run| run.from == self.next) {
            self.waiting.pop_front();
            continues(self.bytes as u32, run.from, run.begins)?;
            self.bytes += u64::from(run.ends.wrapping_sub(run.begins)); // at most the receive window
            self.next = run.to;
        }
        Ok(true)
    }

    /// A chunk behind a hole.
    fn keep(&mut self, n: u64, chunk: Chunk) -> Result<bool, Corrupt> {
        let ends = chunk.offset.wrapping_add(chunk.len.into());
        // Mostly it extends the last run, or begins another behind it.
        let i = match self.waiting.back() {
            Some(last) if last.from <= n => self.waiting.len() - usize::from(n <= last.to),
            _ => self.waiting.partition_point(|run| run.to < n),
        };
        let next = self.waiting.get(i + 1).copied();
        match self.waiting.get_mut(i) {
            Some(run) if (run.from..run.to).contains(&n) => return Ok(false),
            Some(run) if run.to == n => {
                continues(run.ends, n, chunk.offset)?;
                (run.to, run.ends) = (n + 1, ends);
                if let Some(next) = next.filter(|next| next.from == n + 1) {
                    continues(ends, next.from, next.begins)?;
                    (run.to, run.ends) = (next.to, next.ends);
                    self.waiting.remove(i + 1);
                }
            }
            Some(run) if run.from == n + 1 => {
                continues(ends, run.from, run.begins)?;
                (run.from, run.begins) = (n, chunk.offset);
            }
            _ => self.waiting.insert(i, Run { from: n, to: n + 1, begins: chunk.offset, ends }),
        }
        Ok(true)
    }
}

/// Checks that chunk `chunk`, which begins at `found`, continues what ends at `expected`.
#[inline]
fn continues(expected: u32, chunk: u64, found: u32) -> Result<(), Corrupt> {
    if found == expected { Ok(()) } else { Err(Corrupt { chunk, expected, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_order_with_duplicates_is_delivered_once(
            sizes in prop::collection::vec(1u64..3000, 1..40),
            order in prop::collection::vec(0usize..200, 0..200),
        ) {
            let mut out = SendStream::new(1448, 1 << 30, 1);
            let mut total = 0;
            let mut chunks = Vec::new();
            for size in &sizes {
                total += size;
                out.write_up_to(total);
                while let Some(chunk) = out.cut(0) {
                    chunks.push(chunk);
                }
            }
            let mut incoming = ReceiveStream::default();
            let mut first = 0u64;
            let all = order.iter().map(|i| i % chunks.len()).chain(0..chunks.len());
            for i in all {
                if incoming.take(chunks[i].0, chunks[i].1).unwrap() {
                    first += u64::from(chunks[i].1.len);
                }
            }
            prop_assert_eq!((incoming.bytes, first, incoming.next), (total, total, chunks.len() as u64));
        }
    }

    proptest! {
        /// After each chunk it holds what a set of numbers does, also where offsets pass 2³².
        #[test]
        fn runs_hold_what_a_set_does(order in prop::collection::vec(0u64..60, 0..150)) {
            let start = u64::from(u32::MAX) - 1500;
            let mut incoming = ReceiveStream::at(start);
            let (mut seen, mut next) = (std::collections::BTreeSet::new(), 0);
            for n in order {
                let chunk = Chunk { offset: (start + 100 * n) as u32, len: 100 };
                prop_assert_eq!(incoming.take(n, chunk), Ok(seen.insert(n)));
                while seen.contains(&next) {
                    next += 1;
                }
                prop_assert_eq!((incoming.next, incoming.bytes), (next, start + 100 * next));
                prop_assert_eq!(incoming.is_in_order(), seen.range(next..).next().is_none());
                let held: Vec<u64> = incoming.waiting.iter().flat_map(|run| run.from..run.to).collect();
                prop_assert_eq!(held, seen.range(next..).copied().collect::<Vec<_>>());
                prop_assert!(incoming.waiting.iter().zip(incoming.waiting.iter().skip(1)).all(|(a, b)| a.to < b.from));
            }
        }
    }

    /// Without a hole, and behind one: at the end of a run, before it, and where two runs meet.
    #[test]
    fn a_gap_in_the_stream_is_noticed() {
        let noticed = |kept: &[u64], (n, offset), (chunk, expected, found)| {
            let mut incoming = ReceiveStream::default();
            for n in kept {
                let chunk = Chunk { offset: 100 * *n as u32, len: 100 };
                assert_eq!(incoming.take(*n, chunk), Ok(true));
                assert_eq!(incoming.take(*n, chunk), Ok(false));
            }
            let wrong = incoming.take(n, Chunk { offset, len: 100 });
            assert_eq!(wrong, Err(Corrupt { chunk, expected, found }));
        };
        noticed(&[0], (1, 99), (1, 100, 99));
        noticed(&[5], (6, 599), (6, 600, 599));
        noticed(&[5], (4, 399), (5, 499, 500));
        noticed(&[7, 5], (6, 601), (6, 600, 601));
        noticed(&[2, 1], (0, 1), (0, 0, 1));
        let mut incoming = ReceiveStream::default();
        incoming.take(1, Chunk { offset: 100, len: 100 }).unwrap();
        let wrong = incoming.take(0, Chunk { offset: 0, len: 99 });
        assert_eq!(wrong, Err(Corrupt { chunk: 1, expected: 99, found: 100 }));
    }

    /// By hand: buffers of 45 segments of 1448 bytes, 65,160 in all, of 100,000 bytes: the second has 34,840. Data written to an
    /// empty queue begins a buffer.
    #[test]
    fn what_is_written_waits_in_buffers() {
        let mut out = SendStream::new(1448, 1 << 30, 1);
        out.write_up_to(100_000);
        assert_eq!(out.first_buffer(), Buffer { bytes: 65_160, movable: 34_840, is_last: false });
        (0..44).for_each(|_| assert!(out.cut(0).is_some()));
        assert_eq!(out.first_buffer(), Buffer { bytes: 1448, movable: 34_840, is_last: false });
        out.cut(0);
        assert_eq!(out.first_buffer(), Buffer { bytes: 34_840, movable: 0, is_last: true });
        while out.cut(0).is_some() {}
        out.write_up_to(200_000);
        assert_eq!(out.first_buffer(), Buffer { bytes: 65_160, movable: 34_840, is_last: false });
    }

    #[test]
    fn the_window_closes_and_opens() {
        let mut out = SendStream::new(1000, 2500, 1);
        out.write_up_to(u64::MAX);
        assert!(out.cut(0).is_some() && out.cut(0).is_some());
        assert!(out.cut(0).is_none() && out.is_window_blocked());
        out.on_data_ack(1, 1000, 2500);
        assert_eq!(out.cut(0).map(|(n, c)| (n, c.offset)), Some((2, 2000)));
        assert!(out.cut(0).is_none());
    }

    #[test]
    fn reinjection_goes_to_another_subflow() {
        let mut out = SendStream::new(1000, 1 << 20, 2);
        out.write_up_to(3000);
        (0..3).for_each(|_| {
            out.cut(0);
        });
        out.reinject([0, 1, 2].into_iter());
        assert_eq!(out.next_reinjection(0), None);
        out.on_data_ack(1, 1000, 1 << 20);
        assert_eq!(out.next_reinjection(1).map(|(n, _)| n), Some(1));
        assert_eq!(out.next_reinjection(1).map(|(n, _)| n), Some(2));
        assert_eq!(out.next_reinjection(1), None);
    }
}
