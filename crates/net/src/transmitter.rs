//! The transmitter of a link: sends one packet at a time, at a rate that changes at known instants, into a propagation delay.

use crate::epoch::{Epoch, epochs};
use crate::fine_time::FineTime;
use crate::jitter::JitterProcess;
use crate::opportunities::Opportunities;
use crate::steer::Unsent;
use crate::trace_steps::TraceSteps;
use crate::{Jitter, LinkSpec, Loss, Random, Time, Trace, TraceData};

/// Seeds of the random processes.
const JITTER_SEED: u64 = 0x6a69_7474_6572_2070;
const REORDER_SEED: u64 = 0x7265_6f72_6465_7220;

/// A transmitter. All changes are known in advance, so the end of a transmission is known when it begins.
// The default is only for `new`, which sets what differs from zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transmitter {
    /// At least one; with a trace's steps, one more than the last one in use.
    epochs: Vec<Epoch>,
    current: usize,
    /// The epoch in which the transmitter falls idle, at or after the current one; between them
    /// the link does not go down.
    last: usize,
    /// Its end, transmission time of a byte, and delay.
    last_end: FineTime,
    per_byte: FineTime,
    delay: Time,
    /// See [`LinkSpec::tick`].
    tick: Time,
    /// A trace that the link follows.
    trace: Option<Box<TraceState>>,
    /// Whether transmissions begin at any time, without a clock or delivery opportunities.
    at_once: bool,
    /// When the transmitter falls idle: every packet is transmitted, or the link goes down.
    pub busy_until: FineTime,
    jitter: Option<Box<Delays>>,
    /// When the latest packet without reordering delay is delivered.
    last_delivery: Time,
    /// Transmitted bits of packets that are lost, or cut short as the link goes down.
    undelivered_bits: f64,
    /// The capacity up to the beginning of the current epoch.
    capacity_bits: f64,
}

#[derive(Clone, Debug)]
enum TraceState {
    Steps(TraceSteps),
    Opportunities(Opportunities),
}

impl TraceState {
    /// `None` if the trace is empty.
    fn new(trace: &Trace, begun: &LinkSpec) -> Option<TraceState> {
        let start = trace.start.unwrap_or(Time::ZERO);
        match &trace.data {
            TraceData::Steps(steps) => (!steps.is_empty())
                .then(|| TraceState::Steps(TraceSteps::new(steps, trace.period, start, begun))),
            TraceData::Opportunities(at) => (!at.is_empty())
                .then(|| TraceState::Opportunities(Opportunities::new(at, trace.period, start))),
        }
    }
}

/// Random delays after transmission; or what a link needs that changes while it runs.
#[derive(Clone, Debug)]
struct Delays {
    /// Here, so that other links do not pay for it.
    unsent: Option<Unsent>,
    process: Option<JitterProcess>,
    jitter: Jitter,
    random: Random,
}

impl Delays {
    fn new(jitter: Jitter, seed: u64, stream: u64) -> Delays {
        let Jitter { up_to, correlation, .. } = jitter;
        let process = || JitterProcess::new(up_to, correlation, Random::new(seed ^ JITTER_SEED, stream));
        Delays {
            unsent: None,
            process: (up_to > Time::ZERO).then(process),
            jitter,
            random: Random::new(seed ^ REORDER_SEED, stream),
        }
    }
}

impl Transmitter {
    pub fn new(spec: &LinkSpec, seed: u64, stream: u64) -> Transmitter {
        let jitters = spec.jitter.up_to > Time::ZERO || spec.jitter.reorder_rate > 0.0;
        let trace = spec.trace.as_ref().and_then(|trace| TraceState::new(trace, spec));
        let by_opportunity = matches!(trace, Some(TraceState::Opportunities(_)));
        let epochs = match trace {
            Some(TraceState::Steps(_)) => Vec::new(),
            _ => epochs(spec),
        };
        let mut transmitter = Transmitter {
            epochs,
            tick: spec.tick,
            at_once: spec.tick == Time::ZERO && !by_opportunity,
            trace: trace.map(Box::new),
            jitter: jitters.then(|| Box::new(Delays::new(spec.jitter, seed, stream))),
            ..Transmitter::default()
        };
        transmitter.transmit_in(0);
        transmitter
    }

    /// Whether the link is up.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.epochs[self.current].is_up()
    }

    /// Whether it now delivers each packet a fixed delay after its transmission, which may begin at any time.
    pub fn is_plain(&self) -> bool {
        self.at_once && self.jitter.is_none() && self.is_up()
    }

    /// The rate, in bits per second; 0 while down.
    pub fn rate_bps(&self) -> f64 {
        self.epochs[self.current].rate_bps
    }

    /// When the current epoch ends; [`Time::NEVER`] if it is the last.
    pub fn epoch_end(&self) -> Time {
        self.epochs[self.current].end
    }

    /// Enters the next epoch, if any; returns the loss process that begins there.
    pub fn enter_next_epoch(&mut self) -> Option<Loss> {
        if self.current + 1 < self.epochs.len() {
            self.capacity_bits += self.rate_bps() * self.age(self.epoch_end());
            if self.tick > Time::ZERO {
                // Unused time of a tick was unused at the old rate.
                self.busy_until = self.busy_until.max(FineTime::from_time(self.epoch_end()));
            }
            self.current += 1;
            if self.last < self.current {
                self.transmit_in(self.current);
            }
        }
        self.epochs[self.current].loss
    }

    /// From now on, transmissions end in that epoch.
    fn transmit_in(&mut self, epoch: usize) {
        self.last = epoch;
        if let Some(TraceState::Steps(steps)) = self.trace.as_deref_mut()
            && self.last + 1 >= self.epochs.len()
        {
            // The epoch before the current one holds the start of that.
            let over = self.current.saturating_sub(1);
            self.epochs.drain(..over);
            (self.current, self.last) = (self.current - over, self.last - over);
            steps.extend(&mut self.epochs);
        }
        let Epoch { end, per_byte, delay, .. } = self.epochs[self.last];
        (self.last_end, self.per_byte, self.delay) = (FineTime::from_time(end), per_byte, delay);
        if let Some(TraceState::Opportunities(_)) = self.trace.as_deref() {
            // Each packet's transmission then seems to outlast the epoch and takes the slow path.
            self.last_end = FineTime::ZERO;
        }
    }

    /// When the transmitter can take the next packet from the queue: when it is idle, with a clock at the following tick,
    /// unless the link goes down before.
    #[inline]
    pub fn free_at(&self) -> FineTime {
        if self.at_once {
            return self.busy_until;
        }
        self.free_at_slow_path()
    }

    /// Since when it is idle; with a clock, it serves what waits at the following tick.
    pub fn idle_since(&self) -> FineTime {
        match self.tick {
            Time::ZERO => self.busy_until,
            tick => FineTime::from_time(self.busy_until.as_time().ceil(tick)),
        }
    }

    #[inline(never)]
    fn free_at_slow_path(&self) -> FineTime {
        if let Some(TraceState::Opportunities(opportunities)) = self.trace.as_deref() {
            return FineTime::from_time(opportunities.next);
        }
        let tick = FineTime::from_time(self.busy_until.as_time().ceil(self.tick));
        if self.goes_down_next() { tick.min(self.last_end) } else { tick }
    }

    /// Whether the link goes down at the end of the last epoch in use.
    fn goes_down_next(&self) -> bool {
        self.epochs.get(self.last + 1).is_some_and(|next| !next.is_up())
    }

    /// Whether the link is down at the tick `at`, so that a packet due to leave the queue then is lost.
    #[inline]
    pub fn is_down_at_tick(&self, at: FineTime) -> bool {
        self.tick > Time::ZERO && at >= self.last_end && self.goes_down_next()
    }

    /// [`Transmitter::start`] and [`Transmitter::free_at`] in one call, for arriving packets.
    #[inline]
    pub fn start_and_free_at(&mut self, now: Time) -> (FineTime, FineTime) {
        if self.at_once {
            return (FineTime::from_time(now), self.busy_until);
        }
        (self.start_slow_path(now), self.free_at_slow_path())
    }

    /// The queue is empty at `now`: skips the opportunities up to then.
    pub fn skip_opportunities(&mut self, now: Time) {
        if let Some(TraceState::Opportunities(opportunities)) = self.trace.as_deref_mut() {
            opportunities.pass(now);
        }
    }

    /// When the transmission begins of a packet that finds the transmitter idle at `now`. With a clock, it begins with
    /// the current tick, or when the transmitter fell idle since the last one.
    #[inline]
    pub fn start(&mut self, now: Time) -> FineTime {
        if self.at_once {
            return FineTime::from_time(now);
        }
        self.start_slow_path(now)
    }

    #[inline(never)]
    fn start_slow_path(&mut self, now: Time) -> FineTime {
        self.skip_opportunities(now);
        if self.tick == Time::ZERO {
            return FineTime::from_time(now);
        }
        let tick = now.floor(self.tick);
        if self.busy_until.as_time().ceil(self.tick) < tick {
            FineTime::from_time(tick)
        } else {
            self.busy_until
        }
    }

    /// Transmits a packet from `start` on, at the earliest when idle. False if the link goes down first.
    #[inline]
    pub fn transmit(&mut self, start: FineTime, wire_bytes: u32) -> bool {
        self.busy_until = start.plus(self.per_byte.times(wire_bytes));
        self.busy_until <= self.last_end || self.transmit_slow_path(wire_bytes)
    }

    /// The same, if it is transmitted at the current rate alone; else nothing happens.
    #[inline]
    pub fn transmit_at_this_rate(&mut self, start: FineTime, wire_bytes: u32) -> bool {
        let end = start.plus(self.per_byte.times(wire_bytes));
        let does = end <= self.last_end;
        if does {
            self.busy_until = end;
        }
        does
    }

    /// The latest packet is not transmitted at the current rate alone.
    #[inline(never)]
    fn transmit_slow_path(&mut self, wire_bytes: u32) -> bool {
        if let Some(TraceState::Opportunities(opportunities)) = self.trace.as_deref_mut() {
            self.busy_until = FineTime::from_time(opportunities.deliver(wire_bytes));
            return true;
        }
        self.transmit_across_changes(wire_bytes)
    }

    /// The latest packet's transmission outlasts the epoch and continues at the rates of the next ones. False if the
    /// link goes down first.
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

    /// [`Transmitter::delivery`], if [`Transmitter::is_plain`].
    #[inline]
    pub fn plain_delivery(&mut self) -> Time {
        // Packets do not overtake when the delay falls.
        self.last_delivery = (self.busy_until.as_time() + self.delay).max(self.last_delivery);
        self.last_delivery
    }

    /// When the latest packet, taken from the queue at `now`, is delivered.
    #[inline]
    pub fn delivery(&mut self, now: Time) -> Time {
        let mut departure = self.busy_until.as_time();
        if self.tick > Time::ZERO {
            departure = departure.max(now).ceil(self.tick);
        }
        let mut at = departure + self.delay;
        let mut held_back = Time::ZERO;
        if let Some(delays) = &mut self.jitter {
            let jitter = delays.process.as_mut().map_or(Time::ZERO, |process| process.at(departure));
            at += jitter;
            let Jitter { reorder_rate, reorder_delay, .. } = delays.jitter;
            if reorder_rate > 0.0 && delays.random.chance(reorder_rate) {
                held_back = reorder_delay;
            }
            if let Some(unsent) = &mut delays.unsent {
                unsent.push(now, self.busy_until, at.max(self.last_delivery), jitter);
            }
        }
        // Packets do not overtake when the delay falls.
        at = at.max(self.last_delivery);
        if held_back == Time::ZERO {
            self.last_delivery = at;
        }
        at + held_back
    }

    /// Keeps, from the first call on, the deliveries that an unplanned change may alter, and returns them.
    pub(crate) fn keep_unsent(&mut self) -> &mut Unsent {
        let delays = self.jitter.get_or_insert_with(|| Box::new(Delays::new(Jitter::default(), 0, 0)));
        delays.unsent.get_or_insert_default()
    }

    pub(crate) fn state(&self) -> Epoch {
        self.epochs[self.current].clone()
    }

    /// Begins the epoch `new` at `now`, which was not planned. `unsent` bits of lost packets are never sent, and the
    /// latest packet is delivered at `last_delivery`.
    pub(crate) fn restart(&mut self, now: Time, new: Epoch, unsent: f64, last_delivery: Time) {
        self.capacity_bits += self.rate_bps() * self.age(now);
        self.epochs = vec![Epoch { end: now, ..self.state() }, new];
        self.current = 1;
        self.undelivered_bits -= unsent;
        self.last_delivery = last_delivery;
        self.transmit_in(1);
    }

    /// The latest packet is lost after transmission.
    pub fn note_lost(&mut self, wire_bytes: u32) {
        self.undelivered_bits += f64::from(wire_bytes) * 8.0;
    }

    /// Bits that have left by `now`, if the packets that are or will be delivered have `bytes` in all.
    pub fn transmitted_bits(&self, bytes: u64, now: Time) -> f64 {
        bytes as f64 * 8.0 + self.undelivered_bits - self.backlog_bits(now)
    }

    /// Bits that could have left by `now`.
    pub fn capacity_bits(&self, now: Time) -> f64 {
        if let Some(TraceState::Opportunities(opportunities)) = self.trace.as_deref() {
            return opportunities.capacity(now) * 8.0;
        }
        self.capacity_bits + self.rate_bps() * self.age(now)
    }

    /// Bits given to it that will be transmitted after `now`.
    fn backlog_bits(&self, now: Time) -> f64 {
        if let Some(TraceState::Opportunities(opportunities)) = self.trace.as_deref() {
            return opportunities.backlog(now) * 8.0;
        }
        let mut from = FineTime::from_time(now);
        let mut bits = 0.0;
        for epoch in &self.epochs[self.current..=self.last] {
            let to = self.busy_until.min(FineTime::from_time(epoch.end));
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
