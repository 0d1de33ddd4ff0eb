//! A link as slow and plain as can be: nanosecond by nanosecond, each packet served bit by bit, in
//! whole numbers. It knows neither the future nor fractions of time.

use anabranch_net::{DropReason, LinkSpec, Loss, Outcome, QueueLimit, Time, Totals, Waiting};
use std::collections::VecDeque;

/// A packet that arrives.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub at: u64,
    pub size: u32,
}

/// The link. Work is counted in bits × 10⁹, of which a nanosecond does as many as the rate.
pub struct Reference<'a> {
    spec: &'a LinkSpec,
    rate: u64,
    delay: u64,
    up: bool,
    every_nth: u64,
    since_loss: u64,
    now: u64,
    next_change: usize,
    /// The packet in transmission and its work to do.
    serving: Option<(usize, u64)>,
    /// Packets and sizes.
    queue: VecDeque<(usize, u32)>,
    last_delivery: u64,
    /// Byte-nanoseconds.
    waited: f64,
    /// In units of work.
    done: u128,
    capacity: u128,
    /// By packet; `None` while undecided.
    pub outcomes: Vec<Option<Outcome>>,
}

impl<'a> Reference<'a> {
    /// Without jitter, marks and random loss; rates must be whole numbers.
    pub fn new(spec: &'a LinkSpec) -> Self {
        let mut link = Reference {
            spec,
            rate: spec.rate_bps as u64,
            delay: spec.delay.as_nanos(),
            up: true,
            every_nth: 0,
            since_loss: 0,
            now: 0,
            next_change: 0,
            serving: None,
            queue: VecDeque::new(),
            last_delivery: 0,
            waited: 0.0,
            done: 0,
            capacity: 0,
            outcomes: Vec::new(),
        };
        link.set_loss(spec.loss);
        link
    }

    fn set_loss(&mut self, loss: Loss) {
        self.since_loss = 0;
        self.every_nth = match loss {
            Loss::None => 0,
            Loss::EveryNth(loss) => loss.n,
            _ => unimplemented!("random loss"),
        };
    }

    /// A packet arrives at its instant, not before the previous one.
    pub fn arrive(&mut self, packet: Arrival) {
        self.run_to(packet.at);
        let id = self.outcomes.len();
        self.outcomes.push(None);
        if !self.up {
            self.outcomes[id] = Some(Outcome::Dropped(DropReason::Down));
            return;
        }
        self.since_loss += 1;
        if self.since_loss == self.every_nth {
            self.since_loss = 0;
            self.outcomes[id] = Some(Outcome::Dropped(DropReason::Loss));
            return;
        }
        if self.serving.is_none() {
            self.serving = Some((id, work(packet.size)));
            return;
        }
        let waiting = self.waiting();
        let fits = match self.spec.queue {
            QueueLimit::Packets(n) => waiting.packets < n,
            QueueLimit::Bytes(n) => waiting.bytes + u64::from(packet.size) <= n,
        };
        if fits {
            self.queue.push_back((id, packet.size));
        } else {
            self.outcomes[id] = Some(Outcome::Dropped(DropReason::Queue));
        }
    }

    pub fn waiting(&self) -> Waiting {
        let bytes = self.queue.iter().map(|&(_, size)| u64::from(size)).sum();
        Waiting { packets: self.queue.len() as u64, bytes }
    }

    /// The integrals; counts are left to who has the outcomes.
    pub fn integrals(&self) -> Totals {
        Totals {
            queue_byte_seconds: self.waited * 1e-9,
            transmitted_bits: self.done as f64 * 1e-9,
            capacity_bits: self.capacity as f64 * 1e-9,
            ..Totals::default()
        }
    }

    /// Runs until nothing is under way and nothing changes any more.
    pub fn finish(&mut self) {
        while self.serving.is_some() || self.next_change < self.spec.changes.len() {
            self.run_to(self.now + 1);
        }
    }

    /// Up to `end` and the changes at it.
    pub fn run_to(&mut self, end: u64) {
        self.change();
        while self.now < end {
            self.nanosecond();
            self.now += 1;
            self.change();
        }
    }

    fn change(&mut self) {
        while let Some(change) = self.spec.changes.get(self.next_change) {
            if change.at.as_nanos() > self.now {
                break;
            }
            self.next_change += 1;
            self.rate = change.rate_bps.map_or(self.rate, |rate| rate as u64);
            self.delay = change.delay.map_or(self.delay, Time::as_nanos);
            if let Some(loss) = change.loss {
                self.set_loss(loss);
            }
            self.up = change.up.unwrap_or(self.up);
            if !self.up {
                let lost = self.serving.take().map(|(id, _)| id);
                for id in lost.into_iter().chain(self.queue.drain(..).map(|(id, _)| id)) {
                    self.outcomes[id] = Some(Outcome::Dropped(DropReason::Down));
                }
            }
        }
    }

    /// The nanosecond that begins now.
    fn nanosecond(&mut self) {
        if !self.up {
            return;
        }
        self.capacity += u128::from(self.rate);
        let mut left = self.rate;
        loop {
            if self.serving.is_none() {
                let Some((id, size)) = self.queue.pop_front() else { break };
                self.waited += f64::from(size) * (self.rate - left) as f64 / self.rate as f64;
                self.serving = Some((id, work(size)));
            }
            let Some((id, to_do)) = self.serving.take() else { break };
            if to_do > left {
                self.done += u128::from(left);
                self.serving = Some((id, to_do - left));
                break;
            }
            self.done += u128::from(to_do);
            left -= to_do;
            // Within this nanosecond, or at its end: rounded up.
            self.last_delivery = self.last_delivery.max(self.now + 1 + self.delay);
            let at = Time::from_nanos(self.last_delivery);
            self.outcomes[id] = Some(Outcome::Delivered { at, marked: false });
        }
        self.waited += self.waiting().bytes as f64;
    }
}

fn work(size: u32) -> u64 {
    u64::from(size) * 8 * 1_000_000_000
}
