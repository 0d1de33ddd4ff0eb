//! A link that decides the outcome of packets at arrival.

use crate::aqm::{EnqueueDiscipline, QueueView, Verdict};
use crate::fine_time::FineTime;
use crate::loss::{LOSS_SEED, LossProcess};
use crate::queue::Queue;
use crate::steer::{Replanned, Steering};
use crate::transmitter::Transmitter;
use crate::{DropReason, LinkSpec, LossAt, Outcome, Random, Time, Totals, Waiting};

/// One running directed link: a queue, a transmitter, a propagation delay, and loss before or after them.
///
/// The queue is FIFO and all changes are known in advance, so the outcome of a packet is decided at arrival. At one
/// instant, packets first leave the queue, then the link changes, then packets arrive. Calls must come in order of time.
#[derive(Clone, Debug)]
pub struct FifoLink {
    transmitter: Transmitter,
    queue: Queue,
    /// The discipline, if it is more than drop-tail.
    discipline: Option<Box<EnqueueDiscipline>>,
    loss: LossProcess,
    /// When the epoch ends or the discipline's update is due.
    due: Time,
    /// Whether it is now up, with drop-tail, and without losses, clock, opportunities and jitter.
    plain: bool,
    /// What was delivered, dropped and lost.
    totals: Totals,
}

impl FifoLink {
    /// A link at time 0; see [`crate::Link::new`].
    pub(crate) fn new(
        spec: &LinkSpec,
        discipline: Option<EnqueueDiscipline>,
        seed: u64,
        stream: u64,
    ) -> FifoLink {
        let mut link = FifoLink {
            transmitter: Transmitter::new(spec, seed, stream),
            queue: Queue::new(spec.queue),
            discipline: discipline.map(Box::new),
            loss: LossProcess::new(spec, Random::new(seed ^ LOSS_SEED, stream)),
            due: Time::ZERO,
            plain: false,
            totals: Totals::default(),
        };
        link.settle();
        link
    }

    /// A packet of `wire_bytes` > 0 arrives.
    #[inline(always)] // mostly it is the call of `take_plain`, whose result fits into registers
    pub fn offer(&mut self, now: Time, wire_bytes: u32, ecn_capable: bool) -> Outcome {
        if now >= self.due || !self.plain {
            return self.take(now, wire_bytes, ecn_capable);
        }
        match self.take_plain(now, wire_bytes) {
            (at, None) => Outcome::Delivered { at, marked: false },
            (_, Some(why)) => Outcome::Dropped(why),
        }
    }

    /// [`FifoLink::take`] of a link without what most links do not have: when the packet is delivered, or why not. It calls others only at
    /// its ends, so that its variables need no stack. Packets that left the queue are removed when they seem to fill it.
    #[inline(never)]
    fn take_plain(&mut self, now: Time, wire_bytes: u32) -> (Time, Option<DropReason>) {
        let (mut start, free_at) = (FineTime::from_time(now), self.transmitter.busy_until);
        let waits = free_at > start;
        if waits {
            if !self.queue.has_room(wire_bytes) || !self.queue.has_place() {
                return self.take_behind_departures(now, wire_bytes);
            }
            start = free_at;
        }
        if !self.transmitter.transmit_at_this_rate(start, wire_bytes) {
            return self.take_rarely(now, wire_bytes);
        }
        self.totals.deliver(wire_bytes, false);
        let at = self.transmitter.plain_delivery();
        if waits {
            self.queue.push_in_place(now, free_at, wire_bytes);
        }
        (at, None)
    }

    #[inline(never)]
    fn take_behind_departures(&mut self, now: Time, wire_bytes: u32) -> (Time, Option<DropReason>) {
        if !self.queue.has_departures(now) {
            return self.take_rarely(now, wire_bytes);
        }
        self.queue.advance(now);
        self.take_plain(now, wire_bytes)
    }

    #[cold]
    #[inline(never)]
    fn take_rarely(&mut self, now: Time, wire_bytes: u32) -> (Time, Option<DropReason>) {
        match self.take(now, wire_bytes, false) {
            Outcome::Delivered { at, .. } => (at, None),
            Outcome::Dropped(why) => (Time::NEVER, Some(why)),
        }
    }

    /// The fate of a packet that arrives.
    #[inline(never)]
    fn take(&mut self, now: Time, wire_bytes: u32, ecn_capable: bool) -> Outcome {
        self.advance(now);
        if !self.transmitter.is_up() {
            return Outcome::Dropped(self.drop(DropReason::Down, wire_bytes));
        }
        if self.loss.loses_at(LossAt::Entry, now, wire_bytes) {
            return Outcome::Dropped(self.drop(DropReason::Loss, wire_bytes));
        }

        let mut marked = false;
        if self.discipline.is_some() {
            match self.enter(now, ecn_capable) {
                Verdict::Accept => (),
                Verdict::Mark => marked = true,
                Verdict::Drop => return Outcome::Dropped(self.drop(DropReason::Early, wire_bytes)),
            }
        }
        let (mut start, free_at) = self.transmitter.start_and_free_at(now);
        if free_at > FineTime::from_time(now) {
            if !self.queue.has_room(wire_bytes) {
                return Outcome::Dropped(self.drop(DropReason::Queue, wire_bytes));
            }
            start = self.transmitter.busy_until;
            self.queue.push(now, free_at, wire_bytes);
            if self.transmitter.is_down_at_tick(free_at) {
                return Outcome::Dropped(self.drop(DropReason::Down, wire_bytes));
            }
        }
        if !self.transmitter.transmit(start, wire_bytes) {
            return Outcome::Dropped(self.drop(DropReason::Down, wire_bytes));
        }
        if self.loss.loses_at(LossAt::Exit, self.transmitter.busy_until.as_time(), wire_bytes) {
            self.transmitter.note_lost(wire_bytes);
            return Outcome::Dropped(self.drop(DropReason::Loss, wire_bytes));
        }

        self.totals.deliver(wire_bytes, marked);
        Outcome::Delivered { at: self.transmitter.delivery(now), marked }
    }

    /// The discipline's verdict on a packet that arrives.
    #[inline(never)]
    fn enter(&mut self, now: Time, ecn_capable: bool) -> Verdict {
        let Some(discipline) = self.discipline.as_deref_mut() else { return Verdict::Accept };
        discipline.arrive(&view(&self.queue, &self.transmitter, now, ecn_capable))
    }

    /// The packets that wait.
    pub fn waiting(&mut self, now: Time) -> Waiting {
        self.advance(now);
        self.queue.waiting()
    }

    /// The sums up to `now`.
    pub fn totals(&mut self, now: Time) -> Totals {
        self.advance(now);
        let Totals { delivered, delivered_bytes, drops, dropped_bytes, losses, lost_bytes, .. } = self.totals;
        Totals {
            offered: delivered + drops + losses,
            offered_bytes: delivered_bytes + dropped_bytes + lost_bytes,
            queue_byte_seconds: self.queue.byte_seconds(now),
            transmitted_bits: self.transmitter.transmitted_bits(self.totals.delivered_bytes, now),
            capacity_bits: self.transmitter.capacity_bits(now),
            ..self.totals
        }
    }

    /// Lets the link be changed by [`FifoLink::steer`]. Before the first packet.
    pub fn let_steer(&mut self) {
        self.transmitter.keep_unsent();
        self.settle();
    }

    /// Changes now. The caller corrects the deliveries of the latest packets, and reports which are lost ([`FifoLink::lose`]). Only
    /// for links without a trace, a clock, reordering and planned changes, after [`FifoLink::let_steer`].
    pub fn steer(&mut self, now: Time, to: &Steering) -> Replanned {
        self.advance(now);
        let replanned = self.transmitter.steer(now, to);
        self.queue.replan(now, |at| replanned.departure(at));
        if let Some(loss) = to.loss {
            self.loss.change(loss, now);
        }
        self.settle();
        replanned
    }

    /// A packet is lost as the link goes down.
    pub fn lose(&mut self, wire_bytes: u32) {
        self.transmitter.lose(&mut self.totals, wire_bytes);
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        if now >= self.due {
            self.catch_up(now);
        }
        self.queue.advance(now);
    }

    /// Enters epochs and makes updates that are due by `now`, in order.
    #[cold]
    #[inline(never)]
    fn catch_up(&mut self, now: Time) {
        while now >= self.due && self.due < Time::NEVER {
            let due = self.due;
            self.queue.advance(due);
            if due == self.transmitter.epoch_end()
                && let Some(loss) = self.transmitter.enter_next_epoch()
            {
                self.loss.change(loss, due);
            }
            if let Some(discipline) = self.discipline.as_deref_mut().map(EnqueueDiscipline::rule)
                && due == discipline.next_update()
            {
                let view = view(&self.queue, &self.transmitter, due, false);
                let same_until = self.transmitter.epoch_end().min(self.queue.next_departure());
                discipline.update(&view, now, same_until);
            }
            self.settle();
        }
    }

    /// After a change: sets when the next end of an epoch or update is due, and whether the link is plain.
    fn settle(&mut self) {
        let update = self.discipline.as_deref_mut().map_or(Time::NEVER, |rule| rule.rule().next_update());
        self.due = update.min(self.transmitter.epoch_end());
        self.plain = self.discipline.is_none() && self.loss.is_none() && self.transmitter.is_plain();
    }

    #[inline]
    fn drop(&mut self, why: DropReason, wire_bytes: u32) -> DropReason {
        if matches!(why, DropReason::Queue | DropReason::Early)
            && let Some(discipline) = self.discipline.as_deref_mut()
        {
            discipline.rule().dropped();
        }
        self.totals.drop(why, wire_bytes)
    }
}

#[inline]
fn view(queue: &Queue, transmitter: &Transmitter, now: Time, ecn_capable: bool) -> QueueView {
    let idle = FineTime::from_time(now).minus(transmitter.idle_since());
    QueueView { waiting: queue.waiting(), idle, rate_bps: transmitter.rate_bps(), ecn_capable }
}

#[cfg(test)]
mod managed_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tick_tests;
