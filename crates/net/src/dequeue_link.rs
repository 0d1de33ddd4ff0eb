//! A link whose discipline decides when packets leave the queue.

use crate::aqm::{Departure, DequeueDiscipline};
use crate::fine_time::FineTime;
use crate::loss::{LOSS_SEED, LossProcess};
use crate::steer::{Replanned, Steering};
use crate::store::Store;
use crate::transmitter::Transmitter;
use crate::{Arrival, DropReason, LinkSpec, LossAt, Outcome, QueueLimit, Random, Time, Totals, Waiting};

/// One directed link like [`crate::FifoLink`], whose discipline decides when a packet leaves the queue.
///
/// An accepted packet gets a *ticket*, and its outcome later, from [`DequeueLink::next_outcome`]. The caller keeps the
/// packet until then, and calls when the transmitter falls idle, at [`DequeueLink::wakes_at`]. Calls must come in order
/// of time; a late call changes no outcome.
#[derive(Clone, Debug)]
pub struct DequeueLink {
    transmitter: Transmitter,
    discipline: DequeueDiscipline,
    store: Store,
    limit: QueueLimit,
    loss: LossProcess,
    totals: Totals,
}

impl DequeueLink {
    /// A link at time 0; see [`crate::Link::new`].
    pub(crate) fn new(spec: &LinkSpec, discipline: DequeueDiscipline, seed: u64, stream: u64) -> DequeueLink {
        DequeueLink {
            transmitter: Transmitter::new(spec, seed, stream),
            discipline,
            store: Store::new(),
            limit: spec.queue,
            loss: LossProcess::new(spec, Random::new(seed ^ LOSS_SEED, stream)),
            totals: Totals::default(),
        }
    }

    /// A packet arrives. Returns its ticket, which is reused once the outcome is returned.
    ///
    /// # Errors
    /// The reason, if the packet is dropped at once.
    pub fn offer(&mut self, now: Time, packet: Arrival) -> Result<u32, DropReason> {
        self.run(now);
        let wire_bytes = packet.wire_bytes;
        self.totals.offer(wire_bytes);
        if !self.transmitter.is_up() {
            return Err(self.totals.drop(DropReason::Down, wire_bytes));
        }
        if self.loss.loses_at(LossAt::Entry, now, wire_bytes) {
            return Err(self.totals.drop(DropReason::Loss, wire_bytes));
        }
        let present = FineTime::from_time(now);
        let idle = self.transmitter.free_at() <= present;
        if !idle && self.discipline.is_tail_drop() && !has_room(self.limit, self.store.waiting, wire_bytes) {
            return Err(self.totals.drop(DropReason::Queue, wire_bytes));
        }
        let ticket = self.discipline.push(&mut self.store, now, packet);
        if idle {
            self.transmitter.busy_until = self.transmitter.start(now);
            self.transmit(now);
        } else {
            self.make_room(now);
        }
        Ok(ticket)
    }

    /// The next packet whose outcome was decided by `now`, and the outcome. Call it until it returns `None`.
    pub fn next_outcome(&mut self, now: Time) -> Option<(u32, Outcome)> {
        self.run(now);
        self.store.pop_outcome()
    }

    /// When the transmitter takes the next packet; [`Time::NEVER`] if the queue is empty.
    pub fn wakes_at(&self) -> Time {
        match self.store.waiting.packets {
            0 => Time::NEVER,
            _ => self.transmitter.free_at().as_time(),
        }
    }

    /// The packets that wait.
    pub fn waiting(&mut self, now: Time) -> Waiting {
        self.run(now);
        self.store.waiting
    }

    /// The sums up to `now`.
    pub fn totals(&mut self, now: Time) -> Totals {
        self.run(now);
        let early = self.store.dropped;
        Totals {
            drops: self.totals.drops + early.packets,
            early_drops: early.packets,
            dropped_bytes: self.totals.dropped_bytes + early.bytes,
            queue_byte_seconds: self.store.byte_seconds(now),
            transmitted_bits: self.transmitter.transmitted_bits(self.totals.delivered_bytes, now),
            capacity_bits: self.transmitter.capacity_bits(now),
            ..self.totals
        }
    }

    /// Lets the link be changed by [`DequeueLink::steer`]. Before the first packet.
    pub fn let_steer(&mut self) {
        self.transmitter.keep_unsent();
    }

    /// As [`crate::FifoLink::steer`]: of earlier packets only that in transmission changes. The caller has taken all outcomes.
    pub fn steer(&mut self, now: Time, to: &Steering) -> Replanned {
        self.run(now);
        let replanned = self.transmitter.steer(now, to);
        if let Some(loss) = to.loss {
            self.loss.change(loss, now);
        }
        replanned
    }

    /// A packet is lost as the link goes down.
    pub fn lose(&mut self, wire_bytes: u32) {
        self.transmitter.lose(&mut self.totals, wire_bytes);
    }

    /// Advances to `now`: the transmitter takes every packet that it can.
    fn run(&mut self, now: Time) {
        let present = FineTime::from_time(now);
        while self.store.waiting.packets > 0 && self.transmitter.free_at() <= present {
            let at = self.transmitter.free_at();
            self.enter_epochs(at.whole());
            if self.transmitter.is_up() {
                self.transmit(at.as_time());
            } else {
                self.flush(at.as_time());
            }
        }
        self.enter_epochs(now);
        self.transmitter.skip_opportunities(now);
    }

    /// Takes the next packet at `now` and transmits it once the transmitter is free.
    fn transmit(&mut self, now: Time) {
        let departure = self.discipline.dequeue(&mut self.store, now);
        let Some(Departure { ticket, size, marked }) = departure else { return };
        let outcome = if !self.transmitter.transmit(self.transmitter.busy_until, size) {
            Outcome::Dropped(self.totals.drop(DropReason::Down, size))
        } else if self.loss.loses_at(LossAt::Exit, self.transmitter.busy_until.as_time(), size) {
            self.transmitter.note_lost(size);
            Outcome::Dropped(self.totals.drop(DropReason::Loss, size))
        } else {
            self.totals.deliver(size, marked);
            Outcome::Delivered { at: self.transmitter.delivery(now), marked }
        };
        self.store.decide(ticket, outcome);
    }

    /// The link is down: the waiting packets are lost.
    fn flush(&mut self, now: Time) {
        while let Some((ticket, size)) = self.discipline.evict(&mut self.store, now) {
            let why = self.totals.drop(DropReason::Down, size);
            self.store.decide(ticket, Outcome::Dropped(why));
        }
    }

    /// Flow queues share one limit: the longest queue loses packets (RFC 8290 §4.1).
    fn make_room(&mut self, now: Time) {
        while !has_room(self.limit, self.store.waiting, 0) {
            let Some((ticket, size)) = self.discipline.evict(&mut self.store, now) else { break };
            self.store.decide(ticket, Outcome::Dropped(self.totals.drop(DropReason::Queue, size)));
        }
    }

    fn enter_epochs(&mut self, now: Time) {
        while now >= self.transmitter.epoch_end() && self.transmitter.epoch_end() < Time::NEVER {
            let start = self.transmitter.epoch_end();
            if let Some(loss) = self.transmitter.enter_next_epoch() {
                self.loss.change(loss, start);
            }
        }
    }
}

/// Whether a queue has room for `size` more bytes; with size 0, whether it is within its limit.
fn has_room(limit: QueueLimit, waiting: Waiting, size: u32) -> bool {
    match limit {
        QueueLimit::Packets(most) => waiting.packets + u64::from(size > 0) <= most,
        QueueLimit::Bytes(most) => waiting.bytes.saturating_add(size.into()) <= most,
    }
}

#[cfg(test)]
mod tests;
