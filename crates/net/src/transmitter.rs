//! The part of a link that sends: one packet at a time, at a rate that changes at known instants, into a
//! propagation delay.

use crate::course::Steps;
use crate::epoch::{Epoch, epochs};
use crate::fine::Fine;
use crate::opportunities::Opportunities;
use crate::wander::Wander;
use crate::{Course, Jitter, LinkSpec, Loss, Random, Time, Trace};

/// The random processes have seeds of their own, apart from those of their users.
const JITTER_SEED: u64 = 0x6a69_7474_6572_2070;
const REORDER_SEED: u64 = 0x7265_6f72_6465_7220;

/// A transmitter. All changes are known beforehand, so that it is known when a transmission begins when it ends.
#[derive(Clone, Debug)]
pub(crate) struct Transmitter {
    /// One at least; of a trace's steps one more than the last that is in use.
    epochs: Vec<Epoch>,
    /// The present epoch.
    current: usize,
    /// The epoch in which the transmitter falls idle, at or after the current one; between them
    /// the link does not go down.
    last: usize,
    /// Its end, transmission time of a byte, and delay.
    last_end: Fine,
    per_byte: Fine,
    delay: Time,
    /// See [`LinkSpec::tick`].
    tick: Time,
    /// A trace that the link follows.
    follows: Option<Box<Follows>>,
    /// Whether a transmission begins when it can, which is without a clock and without opportunities.
    at_once: bool,
    /// When the transmitter falls idle: all that was given to it is transmitted, or the link goes down.
    pub busy_until: Fine,
    jitter: Option<Box<Delays>>,
    /// When the latest packet that was not held back is delivered.
    last_delivery: Time,
    /// Bits transmitted of packets that are not delivered: the link's going down cut them short, or they were lost.
    undelivered_bits: f64,
    /// The capacity up to the beginning of the current epoch.
    capacity_bits: f64,
}

/// A trace at work.
#[derive(Clone, Debug)]
enum Follows {
    Steps(Steps),
    Opportunities(Opportunities),
}

impl Follows {
    /// None of a trace that has nothing in it.
    fn new(trace: &Trace, begun: &LinkSpec) -> Option<Follows> {
        let start = trace.start.unwrap_or(Time::ZERO);
        match &trace.course {
            Course::Steps(steps) if steps.is_empty() => None,
            Course::Steps(steps) => Some(Follows::Steps(Steps::new(steps, trace.period, start, begun))),
            Course::Opportunities(at) if at.is_empty() => None,
            Course::Opportunities(at) => {
                Some(Follows::Opportunities(Opportunities::new(at, trace.period, start)))
            }
        }
    }
}

/// Random delays behind the transmitter.
#[derive(Clone, Debug)]
struct Delays {
    wander: Option<Wander>,
    reorder_rate: f64,
    reorder_delay: Time,
    random: Random,
}

impl Delays {
    fn new(jitter: Jitter, seed: u64, stream: u64) -> Delays {
        let Jitter { up_to, correlation, reorder_rate, reorder_delay } = jitter;
        let wander = || Wander::new(up_to, correlation, Random::new(seed ^ JITTER_SEED, stream));
        Delays {
            wander: (up_to > Time::ZERO).then(wander),
            reorder_rate,
            reorder_delay,
            random: Random::new(seed ^ REORDER_SEED, stream),
        }
    }
}

impl Transmitter {
    pub fn new(spec: &LinkSpec, seed: u64, stream: u64) -> Transmitter {
        let jitters = spec.jitter.up_to > Time::ZERO || spec.jitter.reorder_rate > 0.0;
        let follows = spec.trace.as_ref().and_then(|trace| Follows::new(trace, spec));
        let by_opportunity = matches!(follows, Some(Follows::Opportunities(_)));
        let epochs = match follows {
            Some(Follows::Steps(_)) => Vec::new(),
            _ => epochs(spec),
        };
        let mut transmitter = Transmitter {
            epochs,
            current: 0,
            last: 0,
            last_end: Fine::ZERO,
            per_byte: Fine::ZERO,
            delay: Time::ZERO,
            tick: spec.tick,
            at_once: spec.tick == Time::ZERO && !by_opportunity,
            follows: follows.map(Box::new),
            busy_until: Fine::ZERO,
            jitter: jitters.then(|| Box::new(Delays::new(spec.jitter, seed, stream))),
            last_delivery: Time::ZERO,
            undelivered_bits: 0.0,
            capacity_bits: 0.0,
        };
        transmitter.transmit_in(0);
        transmitter
    }

    /// Whether the link is up.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.epochs[self.current].is_up()
    }

    /// The rate, in bits per second; 0 while down.
    pub fn rate_bps(&self) -> f64 {
        self.epochs[self.current].rate_bps
    }

    /// When the present epoch ends; [`Time::NEVER`] if it is the last.
    pub fn epoch_end(&self) -> Time {
        self.epochs[self.current].end
    }

    /// Enters the next epoch, if there is one; the loss process that begins there.
    pub fn enter_next_epoch(&mut self) -> Option<Loss> {
        if self.current + 1 < self.epochs.len() {
            self.capacity_bits += self.rate_bps() * self.age(self.epoch_end());
            if self.tick > Time::ZERO {
                // What was left unused of a tick was so at the old rate.
                self.busy_until = self.busy_until.max(Fine::from_time(self.epoch_end()));
            }
            self.current += 1;
            if self.last < self.current {
                self.transmit_in(self.current);
            }
        }
        self.epochs[self.current].loss
    }

    /// From here on transmissions end in that epoch.
    fn transmit_in(&mut self, epoch: usize) {
        self.last = epoch;
        if let Some(Follows::Steps(steps)) = self.follows.as_deref_mut()
            && self.last + 1 >= self.epochs.len()
        {
            // The one before the present says when that began.
            let over = self.current.saturating_sub(1);
            self.epochs.drain(..over);
            (self.current, self.last) = (self.current - over, self.last - over);
            steps.extend(&mut self.epochs);
        }
        let Epoch { end, per_byte, delay, .. } = self.epochs[self.last];
        (self.last_end, self.per_byte, self.delay) = (Fine::from_time(end), per_byte, delay);
        if let Some(Follows::Opportunities(_)) = self.follows.as_deref() {
            // So that each packet's transmission seems to outlast the epoch, and is looked at.
            self.last_end = Fine::ZERO;
        }
    }

    /// From when on a packet that arrives finds the transmitter idle, and when the one behind all that was given to it
    /// leaves the queue: when it is free, and with a clock the tick behind that, unless the link goes down before.
    #[inline]
    pub fn free_at(&self) -> Fine {
        if self.at_once {
            return self.busy_until;
        }
        self.free_with_a_clock()
    }

    #[inline(never)]
    fn free_with_a_clock(&self) -> Fine {
        if let Some(Follows::Opportunities(opportunities)) = self.follows.as_deref() {
            return Fine::from_time(opportunities.next());
        }
        let tick = Fine::from_time(self.busy_until.as_time().ceil(self.tick));
        if self.goes_down() { tick.min(self.last_end) } else { tick }
    }

    /// Whether the link goes down where the transmitter is still busy.
    fn goes_down(&self) -> bool {
        self.epochs.get(self.last + 1).is_some_and(|next| !next.is_up())
    }

    /// Whether the clock finds the link down, so that a packet that was to leave the queue `at` that instant is lost.
    #[inline]
    pub fn misses_its_tick(&self, at: Fine) -> bool {
        self.tick > Time::ZERO && at >= self.last_end && self.goes_down()
    }

    /// [`Transmitter::start`] and [`Transmitter::free_at`], for each packet that arrives.
    #[inline]
    pub fn turn(&mut self, now: Time) -> (Fine, Fine) {
        if self.at_once {
            return (Fine::from_time(now), self.busy_until);
        }
        (self.start_with_a_clock(now), self.free_with_a_clock())
    }

    /// Nothing waits at `now`: opportunities up to then pass unused.
    pub fn pass(&mut self, now: Time) {
        if let Some(Follows::Opportunities(opportunities)) = self.follows.as_deref_mut() {
            opportunities.pass(now);
        }
    }

    /// When the transmission of a packet begins that finds the transmitter idle at `now`. With a clock time passes in
    /// ticks: it begins with the present one, or where the transmitter fell idle since the last.
    #[inline]
    pub fn start(&mut self, now: Time) -> Fine {
        if self.at_once {
            return Fine::from_time(now);
        }
        self.start_with_a_clock(now)
    }

    #[inline(never)]
    fn start_with_a_clock(&mut self, now: Time) -> Fine {
        self.pass(now);
        if self.tick == Time::ZERO {
            return Fine::from_time(now);
        }
        let tick = now.floor(self.tick);
        if self.busy_until.as_time().ceil(self.tick) < tick { Fine::from_time(tick) } else { self.busy_until }
    }

    /// Transmits a packet from `start` on, at the earliest when idle. False where the link goes down first.
    #[inline]
    pub fn transmit(&mut self, start: Fine, wire_bytes: u32) -> bool {
        self.busy_until = start.plus(self.per_byte.times(wire_bytes));
        self.busy_until <= self.last_end || self.transmit_otherwise(wire_bytes)
    }

    /// Not all of the latest packet at the present rate.
    #[inline(never)]
    fn transmit_otherwise(&mut self, wire_bytes: u32) -> bool {
        if let Some(Follows::Opportunities(opportunities)) = self.follows.as_deref_mut() {
            self.busy_until = Fine::from_time(opportunities.deliver(wire_bytes));
            return true;
        }
        self.transmit_across_changes(wire_bytes)
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
                self.undelivered_bits += f64::from(wire_bytes) * 8.0 - rest.as_secs_f64() * rate_bps;
                self.busy_until = self.last_end;
                return false;
            }
            self.busy_until = self.last_end.plus(rest.scaled(rate_bps / next.rate_bps));
            self.transmit_in(self.last + 1);
        }
        true
    }

    /// When the packet is delivered whose transmission ends last, where it was taken from the queue at `now`.
    #[inline]
    pub fn delivery(&mut self, now: Time) -> Time {
        let mut departure = self.busy_until.as_time();
        if self.tick > Time::ZERO {
            departure = departure.max(now).ceil(self.tick);
        }
        let mut at = departure + self.delay;
        let mut held_back = Time::ZERO;
        if let Some(delays) = &mut self.jitter {
            at += delays.wander.as_mut().map_or(Time::ZERO, |wander| wander.at(departure));
            if delays.reorder_rate > 0.0 && delays.random.chance(delays.reorder_rate) {
                held_back = delays.reorder_delay;
            }
        }
        // A shorter delay does not let a packet overtake.
        at = at.max(self.last_delivery);
        if held_back == Time::ZERO {
            self.last_delivery = at;
        }
        at + held_back
    }

    /// The packet whose transmission ends last is lost behind the transmitter.
    pub fn note_lost(&mut self, wire_bytes: u32) {
        self.undelivered_bits += f64::from(wire_bytes) * 8.0;
    }

    /// Bits that have left by `now`, where the packets delivered, then or later, have `bytes` in all.
    pub fn transmitted_bits(&self, bytes: u64, now: Time) -> f64 {
        bytes as f64 * 8.0 + self.undelivered_bits - self.backlog_bits(now)
    }

    /// Bits that could have left by `now`.
    pub fn capacity_bits(&self, now: Time) -> f64 {
        if let Some(Follows::Opportunities(opportunities)) = self.follows.as_deref() {
            return opportunities.capacity(now) * 8.0;
        }
        self.capacity_bits + self.rate_bps() * self.age(now)
    }

    /// Bits that will be transmitted after `now`, of what was given to it.
    fn backlog_bits(&self, now: Time) -> f64 {
        if let Some(Follows::Opportunities(opportunities)) = self.follows.as_deref() {
            return opportunities.backlog(now) * 8.0;
        }
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
