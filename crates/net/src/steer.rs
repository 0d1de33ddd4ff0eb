//! Changes of a running link that were not known in advance.

use crate::epoch::LinkState;
use crate::fine_time::FineTime;
use crate::transmitter::Transmitter;
use crate::{DropReason, Loss, Time, Totals};
use std::collections::VecDeque;

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
#[derive(Clone, Debug)]
pub struct Replanned {
    /// The deliveries of the latest packets, whose transmission has not ended; `None`: lost. Earlier packets propagate, and
    /// arrive when they would have.
    pub deliveries: Vec<Option<Time>>,
    now: FineTime,
    /// The old rate ÷ the new one; `None` if the link is down.
    slower: Option<f64>,
}

impl Replanned {
    /// When a transmission ends or begins that was to do so at `at`.
    pub(crate) fn departure(&self, at: FineTime) -> Option<FineTime> {
        Some(self.now.plus(at.minus(self.now).scaled(self.slower?)))
    }
}

/// The deliveries that a change may still alter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unsent {
    /// For each packet to be delivered whose transmission had not ended at the latest call: its end, the delivery, and the random
    /// part of its delay.
    packets: VecDeque<(FineTime, Time, Time)>,
    /// When the latest packet before them is delivered.
    propagated: Time,
}

impl Unsent {
    /// A transmission ends at `end`, with delivery at `at`; `jitter` is in its delay.
    pub fn push(&mut self, now: Time, end: FineTime, at: Time, jitter: Time) {
        self.forget_sent(FineTime::from_time(now));
        self.packets.push_back((end, at, jitter));
    }

    /// Forgets the packets that propagate at `now`.
    fn forget_sent(&mut self, now: FineTime) {
        while let Some(&(end, at, _)) = self.packets.front()
            && end <= now
        {
            self.propagated = at;
            self.packets.pop_front();
        }
    }

    /// The rest is delivered `delay` after other ends, or lost. Returns the deliveries.
    fn replan(&mut self, delay: Time, departure: impl Fn(FineTime) -> Option<FineTime>) -> Vec<Option<Time>> {
        let mut last = self.propagated;
        let mut deliveries = Vec::new();
        for (end, _, jitter) in std::mem::take(&mut self.packets) {
            deliveries.push(departure(end).map(|end| {
                last = last.max(end.as_time() + delay + jitter);
                self.packets.push_back((end, last, jitter));
                last
            }));
        }
        deliveries
    }

    /// When the latest packet is delivered.
    fn last_delivery(&self) -> Time {
        self.packets.back().map_or(self.propagated, |(_, at, _)| *at)
    }
}

impl Transmitter {
    /// Changes at `now`. Only without a trace, a clock, reordering and planned changes, and after
    /// [`Transmitter::keep_unsent`] before the first packet.
    pub fn steer(&mut self, now: Time, to: &Steering) -> Replanned {
        let state = LinkState { rate_bps: to.rate_bps, delay: to.delay, up: to.up, loss: None };
        let (old, new) = (self.state(), state.until(Time::NEVER));
        let slower = (new.rate_bps > 0.0).then(|| old.rate_bps / new.rate_bps);
        let present = FineTime::from_time(now);
        let idle = self.busy_until.max(present);
        let mut replanned = Replanned { now: present, slower, deliveries: vec![] };
        let unsent = self.keep_unsent();
        unsent.forget_sent(present);
        replanned.deliveries = unsent.replan(new.delay, |end| replanned.departure(end));
        let last_delivery = unsent.last_delivery();
        self.busy_until = match replanned.departure(idle) {
            Some(idle) if self.busy_until > present => idle,
            Some(_) => self.busy_until,
            None => self.busy_until.min(present),
        };
        let unsent = old.rate_bps * idle.minus(present).as_secs_f64();
        self.restart(now, new, if slower.is_some() { 0.0 } else { unsent }, last_delivery);
        replanned
    }

    /// A packet that was to be delivered is lost, since the link goes down.
    pub fn lose(&mut self, totals: &mut Totals, wire_bytes: u32) {
        self.note_lost(wire_bytes);
        totals.delivered -= 1;
        totals.delivered_bytes -= u64::from(wire_bytes);
        totals.drop(DropReason::Down, wire_bytes);
    }
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
        steered.let_steer();
        let (mut theirs, mut ours) = (vec![], Vec::<Option<Time>>::new());
        for i in 0..100 {
            if i == CHANGE {
                let replanned = steered.steer(ms(CHANGE), &to).deliveries;
                let propagate = ours.len() - replanned.len();
                for (at, new) in ours[propagate..].iter_mut().zip(replanned) {
                    *at = new;
                    if at.is_none() {
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

    /// A packet that propagates arrives when it would have, whatever changes: a shorter delay, then an outage, and shorter again.
    #[test]
    fn what_propagates_arrives() {
        let mut link =
            Link::new(&LinkSpec::new(10e6, ms(100), QueueLimit::Packets(1000)), 1, 0).fifo().unwrap();
        link.let_steer();
        let Outcome::Delivered { at: first, .. } = link.offer(ms(0), 1500, false) else { panic!() };
        let us = |n: u64| Time::from_nanos(1000 * n);
        let to = |delay, up| Steering { rate_bps: 10e6, delay: ms(delay), up, loss: None };
        assert_eq!(link.steer(ms(10), &to(10, true)).deliveries, []);
        // This one may not overtake the first. It is sent at 11.2 ms.
        let Outcome::Delivered { at: second, .. } = link.offer(ms(10), 1500, false) else { panic!() };
        assert_eq!((first, second), (us(101_200), first));
        assert_eq!(link.steer(ms(20), &to(10, false)).deliveries, []);
        assert_eq!(link.steer(ms(30), &to(1, true)).deliveries, []);
        // Three packets take 3.6 ms. The first is sent as the delay grows, the link goes down in the second.
        let offers = [(); 3].map(|()| link.offer(ms(120), 1500, false));
        let at = |at| Outcome::Delivered { at: us(at), marked: false };
        assert_eq!(offers, [at(122_200), at(123_400), at(124_600)]);
        let later = [123_400 + 4_000, 124_600 + 4_000].map(|at| Some(us(at)));
        assert_eq!(link.steer(us(121_200), &to(5, true)).deliveries, later);
        assert_eq!(link.steer(ms(122), &to(5, false)).deliveries, [None, None]);
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

    /// With jitter, packets that wait at a change are later than without by their jitter, and in order.
    #[test]
    fn jitter_stays_in_a_change() {
        let plain = LinkSpec::new(10e6, ms(20), QueueLimit::Packets(1000));
        let jitter = crate::Jitter { up_to: ms(5), ..Default::default() };
        let [steady, jittered] = [plain.clone(), LinkSpec { jitter, ..plain }].map(|spec| {
            let mut link = Link::new(&spec, 1, 0).fifo().unwrap();
            link.let_steer();
            let offers = (0..100).map(|i| match link.offer(ms(i / 4), 1500, false) {
                Outcome::Delivered { at, .. } => at,
                Outcome::Dropped(why) => panic!("{why:?}"),
            });
            assert_eq!(offers.count(), 100);
            let to = Steering { rate_bps: 5e6, delay: ms(30), up: true, loss: None };
            link.steer(ms(40), &to).deliveries.into_iter().flatten().collect::<Vec<_>>()
        });
        assert!(steady.len() > 50 && steady.len() == jittered.len() && jittered.is_sorted());
        let later = || steady.iter().zip(&jittered).map(|(steady, jittered)| jittered.since(*steady));
        assert!(steady.iter().zip(&jittered).all(|(steady, jittered)| jittered >= steady));
        assert!(later().max() <= Some(ms(5)) && later().max() > Some(ms(2)) && later().min() < Some(ms(2)));
    }
}
