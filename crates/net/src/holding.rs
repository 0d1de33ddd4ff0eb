//! A link that decides about packets as they leave its queue.

use crate::aqm::{AtDeparture, Departure};
use crate::fine::Fine;
use crate::loss::{LOSS_SEED, LossProcess};
use crate::store::Store;
use crate::transmitter::Transmitter;
use crate::{DropReason, Fate, LinkSpec, QueueLimit, Random, Time, Totals, Waiting};

/// One directed link like [`crate::FifoLink`], with a discipline that decides when a packet leaves the queue.
///
/// A packet that is accepted gets a *ticket*, and its fate later, from [`HoldingLink::settle`]: whoever drives the link
/// keeps the packet until then, and calls when the transmitter falls idle, which [`HoldingLink::wakes_at`] tells. Calls
/// must come in order of time; one that comes late changes no fate.
#[derive(Clone, Debug)]
pub struct HoldingLink {
    transmitter: Transmitter,
    discipline: AtDeparture,
    store: Store,
    limit: QueueLimit,
    loss: LossProcess,
    totals: Totals,
}

/// A packet that arrives at a [`HoldingLink`].
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its size, positive.
    pub wire_bytes: u32,
    /// Whether it can be marked (RFC 3168).
    pub ecn_capable: bool,
    /// The flow it belongs to: any number that its other packets share.
    pub flow: u64,
}

impl HoldingLink {
    /// A link at time 0; see [`crate::Link::new`].
    pub(crate) fn new(spec: &LinkSpec, discipline: AtDeparture, seed: u64, stream: u64) -> HoldingLink {
        HoldingLink {
            transmitter: Transmitter::new(spec, seed, stream),
            discipline,
            store: Store::new(),
            limit: spec.queue,
            loss: LossProcess::new(spec, Random::new(seed ^ LOSS_SEED, stream)),
            totals: Totals::default(),
        }
    }

    /// A packet arrives: its ticket, free for another packet once its fate is told.
    ///
    /// # Errors
    /// Why the packet is dropped at once.
    pub fn offer(&mut self, now: Time, packet: Arrival) -> Result<u32, DropReason> {
        self.run(now);
        let wire_bytes = packet.wire_bytes;
        self.totals.offer(wire_bytes);
        if !self.transmitter.is_up() {
            return Err(self.totals.drop(DropReason::Down, wire_bytes));
        }
        if self.loss.takes_on_entry(now) {
            return Err(self.totals.drop(DropReason::Loss, wire_bytes));
        }
        let present = Fine::from_time(now);
        let idle = self.transmitter.free_at() <= present;
        if !idle && self.discipline.is_tail_drop() && !has_room(self.limit, self.store.waiting(), wire_bytes)
        {
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

    /// The next packet whose fate was decided by `now`, and the fate. To be called until there is none.
    pub fn settle(&mut self, now: Time) -> Option<(u32, Fate)> {
        self.run(now);
        self.store.tell()
    }

    /// When the transmitter takes the next packet; [`Time::NEVER`] while none waits.
    pub fn wakes_at(&self) -> Time {
        match self.store.waiting().packets {
            0 => Time::NEVER,
            _ => self.transmitter.free_at().as_time(),
        }
    }

    /// The packets that wait.
    pub fn waiting(&mut self, now: Time) -> Waiting {
        self.run(now);
        self.store.waiting()
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

    /// Time passes: whatever the transmitter could take by `now` it has taken.
    fn run(&mut self, now: Time) {
        let present = Fine::from_time(now);
        while self.store.waiting().packets > 0 && self.transmitter.free_at() <= present {
            let at = self.transmitter.free_at();
            self.enter_epochs(at.whole());
            if self.transmitter.is_up() {
                self.transmit(at.as_time());
            } else {
                self.flush(at.as_time());
            }
        }
        self.enter_epochs(now);
        self.transmitter.pass(now);
    }

    /// Takes the next packet at `now` and transmits it from when the transmitter is free.
    fn transmit(&mut self, now: Time) {
        let departure = self.discipline.dequeue(&mut self.store, now);
        let Some(Departure { ticket, size, marked }) = departure else { return };
        let fate = if !self.transmitter.transmit(self.transmitter.busy_until, size) {
            Fate::Dropped(self.totals.drop(DropReason::Down, size))
        } else if self.loss.takes_on_exit(self.transmitter.busy_until.as_time()) {
            self.transmitter.note_lost(size);
            Fate::Dropped(self.totals.drop(DropReason::Loss, size))
        } else {
            self.totals.deliver(size, marked);
            Fate::Delivered { at: self.transmitter.delivery(now), marked }
        };
        self.store.decide(ticket, fate);
    }

    /// The link is down: what waits is lost.
    fn flush(&mut self, now: Time) {
        while let Some((ticket, size)) = self.discipline.take(&mut self.store, now) {
            let why = self.totals.drop(DropReason::Down, size);
            self.store.decide(ticket, Fate::Dropped(why));
        }
    }

    /// Flow queues have one limit together: the longest one gives way (RFC 8290 §4.1).
    fn make_room(&mut self, now: Time) {
        while !has_room(self.limit, self.store.waiting(), 0) {
            let Some((ticket, size)) = self.discipline.take(&mut self.store, now) else { break };
            self.store.decide(ticket, Fate::Dropped(self.totals.drop(DropReason::Queue, size)));
        }
    }

    /// Enters the epoch of `now`.
    fn enter_epochs(&mut self, now: Time) {
        while now >= self.transmitter.epoch_end() && self.transmitter.epoch_end() < Time::NEVER {
            let start = self.transmitter.epoch_end();
            if let Some(loss) = self.transmitter.enter_next_epoch() {
                self.loss.change(loss, start);
            }
        }
    }
}

/// Whether a queue may hold a packet of `size` bytes more; one of none: whether it holds no more than it may.
fn has_room(limit: QueueLimit, waiting: Waiting, size: u32) -> bool {
    match limit {
        QueueLimit::Packets(most) => waiting.packets + u64::from(size > 0) <= most,
        QueueLimit::Bytes(most) => waiting.bytes.saturating_add(size.into()) <= most,
    }
}

#[cfg(test)]
mod tests;
