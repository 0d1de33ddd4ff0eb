//! Reinjections: which subflows carry each chunk, and the queue of chunks to reinject.

use crate::packet::Chunk;
use crate::ring::Ring;
use std::collections::VecDeque;

/// The queue entry of a chunk that has left the queue.
const VOID: u64 = u64::MAX;

/// An unacknowledged chunk. Flat, so that it takes 12 bytes: there is one per chunk in flight.
#[derive(Clone, Copy, Debug, Default)]
struct Outstanding {
    offset: u32,
    /// The subflows that carried it, one bit each.
    on: u32,
    len: u16,
    /// Whether it waits for reinjection.
    queued: bool,
    /// Whether it has left a send queue: see [`Reinjections::send_on`].
    sent: bool,
}

const _: () = assert!(size_of::<Outstanding>() == 12);

/// The unacknowledged chunks of a connection with several subflows.
///
/// A chunk is in the queue at most once. Each subflow has a position in the queue, before which no chunk is left for it, as
/// it never repeats a chunk that it has carried. So each subflow passes each chunk once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reinjections {
    outstanding: Ring<Outstanding>,
    /// Chunks to retransmit on another subflow; [`VOID`] where one was. One that was acknowledged is void, too.
    queue: VecDeque<u64>,
    /// Entries that have left the front of the queue.
    gone: u64,
    /// The position of each subflow, counted from the first entry ever.
    places: Box<[u64]>,
    /// Entries visited so far.
    #[cfg(test)]
    looked_at: u64,
}

impl Reinjections {
    pub(crate) fn new(subflows: usize) -> Reinjections {
        Reinjections { places: vec![0; subflows].into(), ..Reinjections::default() }
    }

    /// Whether the queue has entries, including void ones.
    #[inline]
    pub(crate) fn is_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    fn is_outstanding(&self, n: u64) -> bool {
        (self.outstanding.start()..self.outstanding.end()).contains(&n)
    }

    /// Adds the next chunk, sent on `subflow`.
    #[inline]
    pub(crate) fn push(&mut self, chunk: Chunk, subflow: usize) {
        let Chunk { offset, len } = chunk;
        self.outstanding.push(Outstanding { offset, on: 1 << subflow, len, queued: false, sent: false });
    }

    /// All chunks before `next` are acknowledged.
    #[inline]
    pub(crate) fn forget_before(&mut self, next: u64) {
        self.outstanding.forget_before(next);
    }

    /// The subflows that carried chunk `n`, one bit each.
    pub(crate) fn carriers(&self, n: u64) -> u32 {
        if self.is_outstanding(n) { self.outstanding.get(n).on } else { 0 }
    }

    /// Marks chunk `n` as sent on `subflow` and returns it, if it is outstanding and `subflow` has not sent it.
    pub(crate) fn repeat_on(&mut self, n: u64, subflow: usize) -> Option<Chunk> {
        if self.carriers(n) & 1 << subflow == 0 { self.carry_on(n, subflow) } else { None }
    }

    /// Marks chunk `n` as carried by `subflow` and returns it, if it is outstanding.
    #[inline]
    pub(crate) fn carry_on(&mut self, n: u64, subflow: usize) -> Option<Chunk> {
        if !self.is_outstanding(n) {
            return None;
        }
        let outstanding = self.outstanding.get_mut(n);
        outstanding.on |= 1 << subflow;
        Some(Chunk { offset: outstanding.offset, len: outstanding.len })
    }

    /// Marks chunk `n` as sent from the queue of `subflow` and returns it, if outstanding, and whether it had left a queue before.
    #[inline]
    pub(crate) fn send_on(&mut self, n: u64, subflow: usize) -> Option<(Chunk, bool)> {
        let chunk = self.carry_on(n, subflow)?;
        let sent_before = std::mem::replace(&mut self.outstanding.get_mut(n).sent, true);
        Some((chunk, sent_before))
    }

    /// Queues chunk `n` for any subflow that has not carried it.
    pub(crate) fn enqueue(&mut self, n: u64) {
        if self.is_outstanding(n) && !self.outstanding.get(n).queued {
            self.outstanding.get_mut(n).queued = true;
            self.queue.push_back(n);
        }
    }

    /// Takes the first queued chunk that `subflow` has not carried.
    #[inline]
    pub(crate) fn next_on(&mut self, subflow: usize) -> Option<(u64, Chunk)> {
        if self.is_queued() { self.next_queued_on(subflow) } else { None }
    }

    fn next_queued_on(&mut self, subflow: usize) -> Option<(u64, Chunk)> {
        while self.queue.front().is_some_and(|n| !self.is_waiting(*n)) {
            #[cfg(test)]
            (self.looked_at += 1);
            self.queue.pop_front();
            self.gone += 1;
        }
        let mut place = self.places[subflow].max(self.gone);
        let mut found = None;
        while let Some(&n) = self.queue.get((place - self.gone) as usize) {
            #[cfg(test)]
            (self.looked_at += 1);
            if self.is_waiting(n)
                && let Some(chunk) = self.repeat_on(n, subflow)
            {
                self.outstanding.get_mut(n).queued = false;
                self.queue[(place - self.gone) as usize] = VOID;
                found = Some((n, chunk));
                break;
            }
            place += 1;
        }
        self.places[subflow] = place;
        found
    }

    /// Whether an entry of the queue is not void.
    fn is_waiting(&self, n: u64) -> bool {
        n != VOID && self.is_outstanding(n)
    }

    /// `subflow` left the connection: no outstanding chunk counts as carried by it.
    pub(crate) fn forget_subflow(&mut self, subflow: usize) {
        for n in self.outstanding.start()..self.outstanding.end() {
            self.outstanding.get_mut(n).on &= !(1 << subflow);
        }
        self.places[subflow] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_chunks(subflows: usize, chunks: u64, on: usize) -> Reinjections {
        let mut repeats = Reinjections::new(subflows);
        (0..chunks).for_each(|n| repeats.push(Chunk { offset: n as u32 * 1000, len: 1000 }, on));
        repeats
    }

    /// A fast path loses what it has in flight and comes back while a slow one carries that over: the fast one asks again
    /// and again for something that it has not carried. Each asks once per entry, and once more per call.
    #[test]
    fn each_subflow_passes_each_chunk_once() {
        let (chunks, asked) = (50_000, 40);
        let mut repeats = with_chunks(2, chunks, 0);
        (0..chunks).for_each(|n| repeats.enqueue(n));
        for n in 0..1000 {
            (0..asked).for_each(|_| assert_eq!(repeats.next_on(0), None));
            assert_eq!(repeats.next_on(1).map(|(n, _)| n), Some(n));
        }
        let calls = 1000 * (asked + 1);
        assert!(repeats.looked_at <= 2 * chunks + 2 * calls, "{} looked at", repeats.looked_at);
    }

    /// A chunk that timed out on one subflow after another waits once.
    #[test]
    fn a_chunk_waits_once() {
        let mut repeats = with_chunks(3, 4, 0);
        (0..3).for_each(|_| (0..4).for_each(|n| repeats.enqueue(n)));
        assert_eq!(repeats.queue.len(), 4);
        (0..4).for_each(|n| assert_eq!(repeats.next_on(1).map(|(n, _)| n), Some(n)));
        assert_eq!(repeats.next_on(2), None);
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push(usize),
        Acknowledge(u64),
        Enqueue(u64),
        Take(usize),
        Forget(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (0usize..3).prop_map(Step::Push),
            1 => (0u64..3).prop_map(Step::Acknowledge),
            3 => (0u64..20).prop_map(Step::Enqueue),
            4 => (0usize..3).prop_map(Step::Take),
            1 => (0usize..3).prop_map(Step::Forget),
        ]
    }

    proptest! {
        /// Against what it means: of the chunks that wait, the first that the subflow has not carried.
        #[test]
        fn agrees_with_a_plain_search(steps in prop::collection::vec(step(), 1..200)) {
            let mut repeats = Reinjections::new(3);
            let (mut on, mut una, mut waiting): (Vec<u32>, u64, Vec<u64>) = (vec![], 0, vec![]);
            for step in steps {
                match step {
                    Step::Push(s) => {
                        repeats.push(Chunk { offset: 7 * on.len() as u32, len: 7 }, s);
                        on.push(1 << s);
                    }
                    Step::Acknowledge(more) => {
                        una = (una + more).min(on.len() as u64);
                        repeats.forget_before(una);
                        waiting.retain(|n| *n >= una);
                    }
                    Step::Enqueue(back) => {
                        let n = (on.len() as u64).saturating_sub(back);
                        repeats.enqueue(n);
                        if (una..on.len() as u64).contains(&n) && !waiting.contains(&n) {
                            waiting.push(n);
                        }
                    }
                    Step::Take(s) => {
                        let place = waiting.iter().position(|n| on[*n as usize] & 1 << s == 0);
                        let expected = place.map(|place| {
                            let n = waiting.remove(place);
                            on[n as usize] |= 1 << s;
                            (n, Chunk { offset: 7 * n as u32, len: 7 })
                        });
                        prop_assert_eq!(repeats.next_on(s), expected);
                    }
                    Step::Forget(s) => {
                        repeats.forget_subflow(s);
                        on.iter_mut().for_each(|on| *on &= !(1 << s));
                    }
                }
            }
        }
    }
}
