//! A link at work.

use crate::epoch::{Epoch, epochs};
use crate::fine::Fine;
use crate::loss::LossProcess;
use crate::queue::Queue;
use crate::{Drop, Fate, Jitter, LinkSpec, Random, Time, Totals, Waiting};

/// The random processes of links have seeds of their own, apart from those of their users.
const LOSS_SEED: u64 = 0x6c6f_7373_2070_726f;
const JITTER_SEED: u64 = 0x6a69_7474_6572_2070;

/// One directed link at work: loss on entry, a drop-tail queue, a transmitter, a propagation delay.
///
/// The queue is FIFO and all changes are known beforehand, so the fate of a packet is decided when
/// it arrives. What changes at an instant does so before what arrives at it, and what leaves the
/// queue at an instant has left before. Calls must come in order of time.
#[derive(Clone, Debug)]
pub struct Link {
    epochs: Vec<Epoch>,
    /// The epoch of the latest call, and its end.
    current: usize,
    current_end: Time,
    /// The epoch in which the transmitter falls idle, at or after the current one; between them
    /// the link does not go down.
    last: usize,
    /// Its end, transmission time of a byte, and delay.
    last_end: Fine,
    per_byte: Fine,
    delay: Time,
    /// When the transmitter falls idle: all that was accepted is transmitted, or the link goes down.
    busy_until: Fine,
    queue: Queue,
    ecn_threshold_bytes: u64,
    loss: LossProcess,
    jitter: Option<(Jitter, Random)>,
    /// When the latest packet that was not held back is delivered.
    last_delivery: Time,
    /// All sums but the integrals.
    totals: Totals,
    /// Bits transmitted of packets that the link's going down cut short.
    cut_bits: f64,
    /// The capacity up to the beginning of the current epoch.
    capacity_bits: f64,
}

impl Link {
    /// A link at time 0. `seed` and `stream` choose its random numbers: links of one run have one
    /// seed and a stream each.
    pub fn new(spec: &LinkSpec, seed: u64, stream: u64) -> Link {
        let jitters = spec.jitter.up_to > Time::ZERO || spec.jitter.reorder_rate > 0.0;
        let mut link = Link {
            epochs: epochs(spec),
            current: 0,
            current_end: Time::ZERO,
            last: 0,
            last_end: Fine::ZERO,
            per_byte: Fine::ZERO,
            delay: Time::ZERO,
            busy_until: Fine::ZERO,
            queue: Queue::new(spec.queue),
            ecn_threshold_bytes: spec.ecn_threshold_bytes.unwrap_or(u64::MAX),
            loss: LossProcess::new(spec.loss, Random::new(seed ^ LOSS_SEED, stream)),
            jitter: jitters.then(|| (spec.jitter, Random::new(seed ^ JITTER_SEED, stream))),
            last_delivery: Time::ZERO,
            totals: Totals::default(),
            cut_bits: 0.0,
            capacity_bits: 0.0,
        };
        link.current_end = link.epochs[0].end;
        link.transmit_in(0);
        link
    }

    /// A packet of `wire_bytes` > 0 arrives.
    #[inline]
    pub fn offer(&mut self, now: Time, wire_bytes: u32, ecn_capable: bool) -> Fate {
        self.advance(now);
        self.totals.offered += 1;
        self.totals.offered_bytes += u64::from(wire_bytes);
        if !self.epochs[self.current].is_up() {
            return self.lose(Drop::Down, wire_bytes);
        }
        if self.loss.loses() {
            return self.lose(Drop::Loss, wire_bytes);
        }

        let marked = ecn_capable && self.queue.bytes() >= self.ecn_threshold_bytes;
        let mut start = Fine::from_time(now);
        if self.busy_until > start {
            if !self.queue.has_room(wire_bytes) {
                self.totals.drops += 1;
                self.totals.dropped_bytes += u64::from(wire_bytes);
                return Fate::Dropped(Drop::Queue);
            }
            start = self.busy_until;
            self.queue.push(now, start, wire_bytes);
        }
        self.busy_until = start.plus(self.per_byte.times(wire_bytes));
        if self.busy_until > self.last_end && !self.transmit_across_changes(wire_bytes) {
            return self.lose(Drop::Down, wire_bytes);
        }

        self.totals.delivered += 1;
        self.totals.delivered_bytes += u64::from(wire_bytes);
        self.totals.marked += u64::from(marked);
        Fate::Delivered { at: self.delivery(), marked }
    }

    /// What waits.
    pub fn waiting(&mut self, now: Time) -> Waiting {
        self.advance(now);
        Waiting { packets: self.queue.packets(), bytes: self.queue.bytes() }
    }

    /// The sums up to `now`.
    pub fn totals(&mut self, now: Time) -> Totals {
        self.advance(now);
        let transmitted_or_will_be = self.totals.delivered_bytes as f64 * 8.0 + self.cut_bits;
        Totals {
            queue_byte_seconds: self.queue.byte_seconds(now),
            transmitted_bits: transmitted_or_will_be - self.backlog_bits(now),
            capacity_bits: self.capacity_bits + self.epochs[self.current].rate_bps * self.age(now),
            ..self.totals
        }
    }

    /// Time passes.
    #[inline]
    fn advance(&mut self, now: Time) {
        if now >= self.current_end {
            self.change(now);
        }
        self.queue.advance(now);
    }

    /// Enters the epoch of `now`.
    #[cold]
    fn change(&mut self, now: Time) {
        while now >= self.current_end && self.current + 1 < self.epochs.len() {
            self.capacity_bits += self.epochs[self.current].rate_bps * self.age(self.current_end);
            self.current += 1;
            let epoch = &self.epochs[self.current];
            self.current_end = epoch.end;
            if let Some(loss) = epoch.loss {
                self.loss.change(loss);
            }
        }
        if self.last < self.current {
            self.transmit_in(self.current);
        }
    }

    /// From here on transmissions end in that epoch.
    fn transmit_in(&mut self, epoch: usize) {
        self.last = epoch;
        let Epoch { end, per_byte, delay, .. } = self.epochs[epoch];
        (self.last_end, self.per_byte, self.delay) = (Fine::from_time(end), per_byte, delay);
    }

    /// The latest packet's transmission would outlast the epoch: goes on at the rates of the next
    /// ones. False where the link goes down first.
    #[cold]
    fn transmit_across_changes(&mut self, wire_bytes: u32) -> bool {
        while self.busy_until > self.last_end && self.last + 1 < self.epochs.len() {
            let rest = self.busy_until.minus(self.last_end);
            let rate_bps = self.epochs[self.last].rate_bps;
            let next = &self.epochs[self.last + 1];
            if !next.is_up() {
                self.cut_bits += f64::from(wire_bytes) * 8.0 - rest.as_secs_f64() * rate_bps;
                self.busy_until = self.last_end;
                return false;
            }
            self.busy_until = self.last_end.plus(rest.scaled(rate_bps / next.rate_bps));
            self.transmit_in(self.last + 1);
        }
        true
    }

    /// When the packet is delivered whose transmission ends last.
    #[inline]
    fn delivery(&mut self) -> Time {
        let mut at = self.busy_until.as_time() + self.delay;
        let mut held_back = Time::ZERO;
        if let Some((jitter, random)) = &mut self.jitter {
            at += Time::from_nanos(random.below(jitter.up_to.as_nanos().saturating_add(1)));
            if random.chance(jitter.reorder_rate) {
                held_back = jitter.reorder_delay;
            }
        }
        // Neither jitter nor a shorter delay lets a packet overtake.
        at = at.max(self.last_delivery);
        if held_back == Time::ZERO {
            self.last_delivery = at;
        }
        at + held_back
    }

    fn lose(&mut self, why: Drop, wire_bytes: u32) -> Fate {
        self.totals.losses += 1;
        self.totals.lost_bytes += u64::from(wire_bytes);
        Fate::Dropped(why)
    }

    /// Bits that will be transmitted after `now`, of what was accepted.
    fn backlog_bits(&self, now: Time) -> f64 {
        let mut from = Fine::from_time(now);
        let mut bits = 0.0;
        for epoch in &self.epochs[self.current..=self.last] {
            let to = self.busy_until.min(Fine::from_time(epoch.end));
            bits += epoch.rate_bps * to.minus(from).as_secs_f64();
            from = from.max(to);
        }
        bits
    }

    /// Seconds from the beginning of the current epoch to `now`.
    fn age(&self, now: Time) -> f64 {
        let start = self.current.checked_sub(1).map_or(Time::ZERO, |i| self.epochs[i].end);
        now.since(start).as_secs_f64()
    }
}

#[cfg(test)]
mod tests;
