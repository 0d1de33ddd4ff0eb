//! Changes of a running link that were not known in advance.

use crate::epoch::{Epoch, LinkState};
use crate::fine_time::FineTime;
use crate::transmitter::Transmitter;
use crate::{DropReason, Loss, Time};

/// The properties of a link from now on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steering {
    /// In bits per second, clamped to 4 … 10¹⁸.
    pub rate_bps: f64,
    /// Propagation delay, for packets whose transmission ends from now on.
    pub delay: Time,
    /// Whether the link is up: as it goes down, waiting packets and the one in transmission are lost.
    pub up: bool,
    /// A new loss process, if it changes.
    pub loss: Option<Loss>,
}

/// What a change means for packets whose delivery was decided before.
#[derive(Clone, Copy, Debug)]
pub struct Replanned {
    now: FineTime,
    /// When the transmitter would have fallen idle.
    idle: FineTime,
    /// The old rate ÷ the new one; `None` if the link is down.
    slower: Option<f64>,
    before: Time,
    delay: Time,
}

impl Replanned {
    /// When a packet is delivered that was to be delivered at `at`; `None` if it is lost.
    pub fn delivery(&self, at: Time) -> Option<Time> {
        let end = FineTime::from_time(at.since(self.before));
        if end <= self.now {
            return Some(at); // it propagates
        }
        let transmitted = end.min(self.idle);
        let jitter = end.minus(transmitted);
        Some(self.departure(transmitted)?.plus(jitter).as_time() + self.delay)
    }

    /// When a transmission ends or begins that was to do so at `at`.
    pub(crate) fn departure(&self, at: FineTime) -> Option<FineTime> {
        Some(self.now.plus(at.minus(self.now).scaled(self.slower?)))
    }
}

impl Transmitter {
    /// Changes at `now`. Only without a trace, a clock and planned changes.
    pub fn steer(&mut self, now: Time, to: &Steering) -> Replanned {
        let (old, new) = (self.state(), LinkState::steered(to.rate_bps, to.delay, to.up).until(Time::NEVER));
        let slower = (new.rate_bps > 0.0).then(|| old.rate_bps / new.rate_bps);
        let present = FineTime::from_time(now);
        let idle = self.busy_until.max(present);
        let replanned = Replanned { now: present, idle, slower, before: old.delay, delay: new.delay };
        self.busy_until = match replanned.departure(idle) {
            Some(idle) if self.busy_until > present => idle,
            Some(_) => self.busy_until,
            None => self.busy_until.min(present),
        };
        let unsent = old.rate_bps * idle.minus(present).as_secs_f64();
        self.restart(now, new, if slower.is_some() { 0.0 } else { unsent }, |at| {
            replanned.delivery(at).unwrap_or(now)
        });
        replanned
    }
}

/// A packet that was to be delivered is lost, since the link goes down.
pub(crate) fn lose(totals: &mut crate::Totals, wire_bytes: u32) {
    totals.delivered -= 1;
    totals.delivered_bytes -= u64::from(wire_bytes);
    totals.drop(DropReason::Down, wire_bytes);
}

/// The epoch that a change at `now` ends, and the one that it begins.
pub(crate) fn epochs(now: Time, old: Epoch, new: Epoch) -> Vec<Epoch> {
    vec![Epoch { end: now, ..old }, new]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, Link, LinkSpec, Outcome, QueueLimit};

    const CHANGE: u64 = 50;

    fn ms(n: u64) -> Time {
        Time::from_millis(n)
    }

    /// When each of a hundred packets, one every millisecond, is delivered over a link of 10 Mbit/s: with a planned change, and
    /// with the same change as steering.
    fn deliveries(to: Steering) -> [Vec<Option<Time>>; 2] {
        let spec = LinkSpec::new(10e6, ms(20), QueueLimit::Packets(1000));
        let change = Change {
            at: ms(CHANGE),
            rate_bps: Some(to.rate_bps),
            delay: Some(to.delay),
            loss: None,
            up: Some(to.up),
        };
        let mut planned =
            Link::new(&LinkSpec { changes: vec![change], ..spec.clone() }, 1, 0).fifo().unwrap();
        let mut steered = Link::new(&spec, 1, 0).fifo().unwrap();
        let (mut theirs, mut ours) = (vec![], Vec::<Option<Time>>::new());
        for i in 0..100 {
            if i == CHANGE {
                let replanned = steered.steer(ms(CHANGE), &to);
                for at in ours.iter_mut() {
                    let before = *at;
                    *at = before.and_then(|at| replanned.delivery(at));
                    if before.is_some() && at.is_none() {
                        steered.lose(1500);
                    }
                }
            }
            let at = |outcome| match outcome {
                Outcome::Delivered { at, .. } => Some(at),
                Outcome::Dropped(_) => None,
            };
            theirs.push(at(planned.offer(ms(i), 1500, false)));
            ours.push(at(steered.offer(ms(i), 1500, false)));
        }
        let (theirs_now, ours_now) = (planned.totals(ms(500)), steered.totals(ms(500)));
        assert_eq!((ours_now.delivered, ours_now.losses), (theirs_now.delivered, theirs_now.losses));
        let sums = |t: &crate::Totals| [t.transmitted_bits, t.capacity_bits, t.queue_byte_seconds];
        for (theirs, ours) in sums(&theirs_now).into_iter().zip(sums(&ours_now)) {
            assert!((theirs - ours).abs() <= 1e-6 * theirs, "{to:?}: {ours} instead of {theirs}");
        }
        [theirs, ours]
    }

    /// A change now is the change that was planned for now: for packets that propagate, are in transmission, wait and arrive.
    #[test]
    fn as_if_it_were_planned() {
        let to = |rate_bps, delay, up| Steering { rate_bps, delay: ms(delay), up, loss: None };
        for to in [
            to(5e6, 20, true),
            to(40e6, 20, true),
            to(10e6, 35, true),
            to(3e6, 30, true),
            to(10e6, 20, false),
        ] {
            let [theirs, ours] = deliveries(to);
            for (i, (theirs, ours)) in theirs.iter().zip(&ours).enumerate() {
                let near = |a: Time, b: Time| a.since(b).as_nanos().max(b.since(a).as_nanos()) <= 2;
                let same = match (theirs, ours) {
                    (Some(theirs), Some(ours)) => near(*theirs, *ours),
                    (theirs, ours) => theirs == ours,
                };
                assert!(same, "{to:?}, packet {i}: {ours:?} instead of {theirs:?}");
            }
        }
    }
}
