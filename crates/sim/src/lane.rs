//! Return paths without links: the receiving host's jitter, then a delay.
//!
//! Subflows with the same forward links and return delay share a *lane*: their ACKs enter it nearly in the order of
//! departure, so that one event serves them all. At one instant, ACKs of different subflows leave in the order in
//! which they became the first of their subflow, as if each subflow had its own pipe.

use crate::event::EventQueue;
use crate::packet::Packet;
use anabranch_net::{Fifo, Random, Time};

/// The state of a subflow on a lane: one cache line.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Host {
    /// The bound of its uniform jitter, in ns.
    jitter: f64,
    random: Random,
    /// When the latest packet leaves; later packets do not overtake it.
    last: Time,
    /// When, in the order of events, the first packet became the first.
    sequence: u64,
    /// Packets on the lane.
    waiting: u32,
    /// The lane.
    pub(crate) lane: u32,
}

impl Host {
    /// A host on lane `lane` with a jitter of up to `jitter`.
    pub(crate) fn new(lane: u32, jitter: Time, random: Random) -> Host {
        let jitter = jitter.as_nanos() as f64;
        Host { jitter, random, last: Time::ZERO, sequence: 0, waiting: 0, lane }
    }
}

/// The packets of subflows with one delay, in the order in which they leave. Only the first has an event.
#[derive(Clone)]
pub(crate) struct Lane {
    delay: Time,
    pipe: Fifo<(Time, Packet)>,
    /// When its valid event is due, and its place among the events of that instant.
    armed: (Time, u64),
}

impl Lane {
    pub(crate) fn new(delay: Time) -> Lane {
        Lane { delay, pipe: Fifo::default(), armed: (Time::NEVER, 0) }
    }

    /// A packet of `host` enters. `target` is the event target of the lane.
    #[inline]
    pub(crate) fn enter(&mut self, packet: &Packet, host: &mut Host, target: u32, events: &mut EventQueue) {
        let mut at = events.now() + self.delay;
        if host.jitter > 0.0 {
            at += Time::from_nanos_f64(host.random.uniform() * host.jitter);
        }
        at = at.max(host.last);
        host.last = at;
        if host.waiting == 0 {
            host.sequence = events.next_sequence();
        }
        host.waiting += 1;

        if self.pipe.insert((at, *packet), |(later, _)| *later > at) == 0 {
            self.armed = (at, host.sequence);
            events.schedule_as(at, host.sequence, target);
        }
    }

    /// Handles the head event, which is of this lane: takes it from the queue, and the packet from the lane. False if the event was
    /// void.
    #[inline]
    pub(crate) fn step(
        &mut self,
        hosts: &mut [Host],
        target: u32,
        events: &mut EventQueue,
        packet: &mut Packet,
    ) -> bool {
        if self.armed != (events.now(), events.head_sequence()) {
            events.finish();
            return false;
        }
        *packet = self.pipe.front().expect("an armed lane holds a packet").1;
        self.pipe.drop_front();
        let host = &mut hosts[packet.subflow as usize];
        host.waiting -= 1;
        if host.waiting > 0 {
            host.sequence = events.next_sequence();
        }
        let Some((at, mut next)) = self.pipe.front().map(|(at, packet)| (*at, packet.subflow)) else {
            self.armed = (Time::NEVER, 0);
            events.finish();
            return true;
        };
        if self.pipe.second().is_some_and(|(second, _)| *second == at) {
            next = self.first_of_equals(hosts, at);
        }
        self.armed = (at, hosts[next as usize].sequence);
        events.repeat_as(at, self.armed.1, target);
        true
    }

    /// Orders the packets that leave next, at `at`: puts the right one first, and returns its subflow. Packets of one subflow share a
    /// sequence number here and stay in order.
    #[cold]
    fn first_of_equals(&mut self, hosts: &[Host], at: Time) -> u32 {
        let equals = self.pipe.iter().take_while(|(t, _)| *t == at).enumerate();
        let first = equals.min_by_key(|(_, (_, packet))| hosts[packet.subflow as usize].sequence);
        if let Some((place, _)) = first {
            self.pipe.move_to_front(place);
        }
        self.pipe.front().map_or(0, |(_, packet)| packet.subflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    const LANE: u32 = 100;
    const ENTRY: u32 = 101;

    /// Packets enter ((delay in ns, host)) and leave; which, in order, and when.
    fn lane(entries: &[(u64, u32)], delay: Time) -> Vec<(u64, u32)> {
        let mut events = EventQueue::default();
        events.set_pipes(LANE + 1);
        let mut hosts: Vec<_> =
            (0..4).map(|h| Host::new(0, Time::from_nanos(6), Random::new(1, h))).collect();
        let mut lane = Lane::new(delay);
        let (mut entries, mut left) = (entries.iter(), Vec::new());
        events.schedule(Time::ZERO, ENTRY);
        let mut host = 0;
        let mut packet = Packet::new(Kind::Ack, 0, 0, 52, Time::ZERO);
        while let Some((now, target)) = events.advance() {
            if target == LANE {
                if lane.step(&mut hosts, LANE, &mut events, &mut packet) {
                    left.push((now.as_nanos(), packet.subflow));
                }
                continue;
            }
            events.finish();
            let packet = Packet::new(Kind::Ack, host, 0, 52, now);
            lane.enter(&packet, &mut hosts[host as usize], LANE, &mut events);
            if let Some((gap, next)) = entries.next() {
                host = *next;
                events.schedule(now + Time::from_nanos(*gap), ENTRY);
            }
        }
        left
    }

    /// The same with a pipe, and an event, of each host's own.
    fn pipes(entries: &[(u64, u32)], delay: Time) -> Vec<(u64, u32)> {
        let mut events = EventQueue::default();
        let mut randoms: Vec<_> = (0..4).map(|h| Random::new(1, h)).collect();
        let mut pipes = vec![VecDeque::<Time>::new(); 4];
        let (mut entries, mut left) = (entries.iter(), Vec::new());
        events.schedule(Time::ZERO, ENTRY);
        let mut host = 0u32;
        while let Some((now, target)) = events.advance() {
            if let Some(pipe) = pipes.get_mut(target as usize) {
                pipe.pop_front();
                left.push((now.as_nanos(), target));
                match pipe.front() {
                    Some(next) => events.repeat(*next, target),
                    None => events.finish(),
                }
                continue;
            }
            events.finish();
            let jitter = Time::from_nanos((randoms[host as usize].uniform() * 6.0) as u64);
            let pipe = &mut pipes[host as usize];
            let at = (now + delay + jitter).max(pipe.back().copied().unwrap_or(Time::ZERO));
            pipe.push_back(at);
            if pipe.len() == 1 {
                events.schedule(at, host);
            }
            if let Some((gap, next)) = entries.next() {
                host = *next;
                events.schedule(now + Time::from_nanos(*gap), ENTRY);
            }
        }
        left
    }

    proptest! {
        /// With jitter as large as the gaps, and many packets at one instant.
        #[test]
        fn a_lane_is_many_pipes(
            entries in prop::collection::vec((0u64..4, 0u32..4), 0..200),
            delay in 0u64..30,
        ) {
            let delay = Time::from_nanos(delay);
            prop_assert_eq!(lane(&entries, delay), pipes(&entries, delay));
        }
    }
}
