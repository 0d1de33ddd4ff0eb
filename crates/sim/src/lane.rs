//! Return paths without links: the receiving host's jitter, then a delay.
//!
//! Subflows with the same forward links and return delay share a *lane*: their ACKs enter it nearly in the order of
//! departure, so that one event serves them all. At one instant, ACKs leave in the order of their subflows.
//!
//! Receivers ahead of time ([`crate::connection::ahead`]) send ACKs before their time. Others would pass many of these: a delayed ACK whose timer
//! expires, or one of a receiver that is not ahead. Such an ACK is a *straggler*, and waits in a heap beside the pipe.

use crate::event::EventQueue;
use crate::packet::Packet;
use anabranch_net::{Fifo, Random, Time};
use slab::Slab;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The state of a subflow on a lane: one cache line.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Host {
    /// The bound of its uniform jitter, in ns.
    jitter: f64,
    random: Random,
    /// When the latest packet leaves; later packets do not overtake it.
    last: Time,
    pub(crate) lane: u32,
    /// The number of links behind the lane.
    pub(crate) links: u16,
}

impl Host {
    /// With a jitter of up to `jitter`.
    pub(crate) fn new(lane: u32, links: u16, jitter: Time, random: Random) -> Host {
        let jitter = jitter.as_nanos() as f64;
        Host { jitter, random, last: Time::ZERO, lane, links }
    }
}

/// The packets of subflows with one delay, in the order in which they leave. Only the first has an event.
// The default is only for `new`, which sets what differs from zero.
#[derive(Clone, Default)]
pub(crate) struct Lane {
    /// Its event target.
    target: u32,
    delay: Time,
    /// The largest jitter of its hosts: packets that enter in order pass others by no more.
    jitter: Time,
    pipe: Fifo<(Time, Packet)>,
    /// When stragglers leave, their subflows and their keys.
    stragglers: BinaryHeap<Reverse<(Time, u32, usize)>>,
    straggling: Slab<Packet>,
    /// When its valid event is due; events at other times are void.
    armed: Time,
    /// The number of stragglers so far.
    #[cfg(test)]
    pub(crate) straggled: u64,
}

impl Lane {
    pub(crate) fn new(target: u32, delay: Time) -> Lane {
        Lane { target, delay, armed: Time::NEVER, ..Lane::default() }
    }

    /// With a jitter of up to `jitter`.
    pub(crate) fn add_host(&mut self, jitter: Time) {
        self.jitter = self.jitter.max(jitter);
    }

    /// A packet of `host` enters at `at`.
    #[inline]
    pub(crate) fn enter(&mut self, packet: &Packet, at: Time, host: &mut Host, events: &mut EventQueue) {
        let mut at = at + self.delay;
        if host.jitter > 0.0 {
            at += Time::from_nanos_f64(host.random.uniform() * host.jitter);
        }
        let keeps_order = at > host.last;
        at = at.max(host.last);
        host.last = at;
        match self.pipe.back() {
            Some((last, _)) if *last >= at => self.enter_before(packet, at, keeps_order),
            _ => self.pipe.push((at, *packet)),
        }
        events.arm(&mut self.armed, at, self.target);
    }

    /// A packet enters that does not leave after the last one.
    #[inline(never)]
    fn enter_before(&mut self, packet: &Packet, at: Time, keeps_order: bool) {
        if keeps_order && self.pipe.back().is_some_and(|(last, _)| *last > at + self.jitter) {
            self.straggle(packet, at);
        } else {
            let place = (at, packet.subflow);
            self.pipe.insert((at, *packet), |(at, packet)| (*at, packet.subflow) > place);
        }
    }

    fn straggle(&mut self, packet: &Packet, at: Time) {
        let key = self.straggling.insert(*packet);
        self.stragglers.push(Reverse((at, packet.subflow, key)));
        #[cfg(test)]
        (self.straggled += 1);
    }

    /// Handles the head event, which is of this lane: takes it from the queue, and the packet from the lane. False if the event was
    /// void.
    #[inline]
    pub(crate) fn step(&mut self, events: &mut EventQueue, packet: &mut Packet) -> bool {
        if self.armed != events.now() {
            events.finish();
            return false;
        }
        if self.stragglers.is_empty() || !self.take_straggler(packet) {
            *packet = self.pipe.front().expect("an armed lane holds a packet").1;
            self.pipe.drop_front();
        }
        self.armed = self.pipe.front().map_or(Time::NEVER, |(at, _)| *at);
        if let Some(Reverse((at, ..))) = self.stragglers.peek() {
            self.armed = self.armed.min(*at);
        }
        if self.armed < Time::NEVER {
            events.repeat_pipe(self.armed, self.target);
        } else {
            events.finish();
        }
        true
    }

    /// Takes the first straggler, if it is the packet that leaves next.
    #[inline(never)]
    fn take_straggler(&mut self, packet: &mut Packet) -> bool {
        let first = self.pipe.front().map(|(at, packet)| (*at, packet.subflow));
        let Some(straggler) = self.stragglers.peek_mut() else { return false };
        let Reverse((at, subflow, key)) = *straggler;
        // A packet of its host that leaves with it came after it.
        let is_next = first.is_none_or(|first| (at, subflow) <= first);
        if is_next {
            PeekMut::pop(straggler);
            *packet = self.straggling.remove(key);
        }
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;
    use proptest::prelude::*;

    const LANE: u32 = 100;
    const ENTRY: u32 = 101;

    /// A packet: its delay behind the one before it, in ns, its host, and by how much it enters ahead of time.
    type Entry = (u64, u32, u64);

    /// Packets enter and leave: when, from which host, and the number of each at its host, in order. Returns the number of stragglers, too.
    fn lane(entries: &[Entry], delay: Time) -> (Vec<(u64, u32, u32)>, u64) {
        let mut events = EventQueue::default();
        events.set_pipes(LANE + 1);
        let mut hosts: Vec<_> =
            (0..4).map(|h| Host::new(0, 0, Time::from_nanos(6), Random::new(1, h))).collect();
        let mut lane = Lane::new(LANE, delay);
        lane.add_host(Time::from_nanos(6));
        let (mut entries, mut left, mut counts) = (entries.iter(), Vec::new(), [0; 4]);
        let mut packet = Packet::new(Kind::Ack, 0, 0, 52, Time::ZERO);
        let mut entry = entries.next();
        if let Some((gap, ..)) = entry {
            events.schedule(Time::from_nanos(*gap), ENTRY);
        }
        while let Some((now, target)) = events.advance() {
            if target == LANE {
                if lane.step(&mut events, &mut packet) {
                    left.push((now.as_nanos(), packet.subflow, packet.seq));
                }
                continue;
            }
            events.finish();
            let Some((_, host, ahead)) = entry else { continue };
            let mut packet = Packet::new(Kind::Ack, *host, 0, 52, now);
            packet.seq = counts[*host as usize];
            counts[*host as usize] += 1;
            let at = now + Time::from_nanos(*ahead);
            lane.enter(&packet, at, &mut hosts[*host as usize], &mut events);
            entry = entries.next();
            if let Some((gap, ..)) = entry {
                events.schedule(now + Time::from_nanos(*gap), ENTRY);
            }
        }
        (left, lane.straggled)
    }

    /// When they leave by the definition, in the order of times and hosts.
    fn defined(entries: &[Entry], delay: Time) -> Vec<(u64, u32, u32)> {
        let mut randoms: Vec<_> = (0..4).map(|h| Random::new(1, h)).collect();
        let (mut now, mut last, mut counts) = (0, [0; 4], [0; 4]);
        let mut left: Vec<_> = entries
            .iter()
            .map(|(gap, host, ahead)| {
                let h = *host as usize;
                now += gap;
                let jitter = (randoms[h].uniform() * 6.0) as u64;
                last[h] = (now + ahead + delay.as_nanos() + jitter).max(last[h]);
                counts[h] += 1;
                (last[h], *host, counts[h] - 1)
            })
            .collect();
        left.sort();
        left
    }

    proptest! {
        /// With jitter as large as the gaps, and many packets at one instant, behind a delay.
        #[test]
        fn packets_leave_in_the_order_of_times_and_hosts(
            entries in prop::collection::vec((0u64..4, 0u32..4, Just(0)), 0..200),
            delay in 1u64..30,
        ) {
            let delay = Time::from_nanos(delay);
            prop_assert_eq!(lane(&entries, delay), (defined(&entries, delay), 0));
        }

        /// The same where they enter ahead of time, and some are stragglers.
        #[test]
        fn stragglers_leave_in_order(
            entries in prop::collection::vec((0u64..4, 0u32..4, 0u64..60), 100..200),
            delay in 1u64..30,
        ) {
            let delay = Time::from_nanos(delay);
            let (left, straggled) = lane(&entries, delay);
            prop_assert!(straggled > 0);
            prop_assert_eq!(left, defined(&entries, delay));
        }
    }
}
