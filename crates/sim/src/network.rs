//! The network: links, and pipes of packets in flight.

use crate::delayed_acks::DelayedAcks;
use crate::drops::DropCounts;
use crate::event::EventQueue;
use crate::hop::{DequeueStage, Hop, Stage};
use crate::lane::{Host, Lane};
use crate::packet::{Kind, Packet, flag};
use crate::routes::Routes;
use crate::sack_blocks::SackBlocks;
use crate::tap::Observations;
use anabranch_net::{Arrival, Fifo, Link, LinkSpec, Outcome, Random, Steering, Time, Totals, Waiting};
use slab::Slab;
use std::collections::BTreeMap;

/// A link at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkNow {
    /// What waits.
    pub waiting: Waiting,
    /// The sums from the start of the run.
    pub totals: Totals,
}

/// The links, the routes over them, and the event queue that drives them.
#[derive(Clone, Default)]
pub(crate) struct Network {
    pub(crate) events: EventQueue,
    hops: Vec<Hop>,
    /// The starts of return paths. As hops and event targets they are numbered after `hops`.
    lanes: Vec<Lane>,
    /// The lane by forward links and return delay.
    lane_of: BTreeMap<(Vec<usize>, Time), u32>,
    /// The receiving host of each subflow.
    hosts: Vec<Host>,
    pub(crate) routes: Routes,
    /// SACK blocks of ACKs in flight.
    pub(crate) sacks: SackBlocks,
    /// The content of hosted flows' datagrams in flight.
    pub(crate) datagrams: Slab<Vec<u8>>,
    pub(crate) drops: DropCounts,
    pub(crate) delayed_acks: DelayedAcks,
    /// Whether receivers may be ahead of time.
    pub(crate) may_be_ahead: bool,
    /// Observed packets, with a capture.
    pub(crate) observations: Option<Box<Observations>>,
    /// Segments that receivers have taken early, by subflow.
    #[cfg(test)]
    pub(crate) early: BTreeMap<u32, u64>,
}

impl Network {
    /// The hops of links come first, so that link `i` is hop `i`. `seed` is for their random processes.
    pub(crate) fn new<'a>(specs: impl Iterator<Item = &'a LinkSpec> + Clone, seed: u64) -> Network {
        let mut network = Network::default();
        let mut pipe = specs.clone().count() as u32;
        for (i, spec) in specs.clone().enumerate() {
            network.add_hop(match Link::new(spec, seed, i as u64) {
                Link::Fifo(link) => Stage::Link(link),
                Link::Dequeue(link) => {
                    pipe += 1;
                    Stage::Dequeue(Box::new(DequeueStage {
                        link: *link,
                        packets: Vec::new(),
                        pipe: pipe - 1,
                        wakes_at: Time::NEVER,
                    }))
                }
            });
        }
        (network.hops.len()..pipe as usize).for_each(|_| network.add_hop(Stage::Pipe));
        network.events.set_pipes(network.hop_targets());
        network
    }

    fn add_hop(&mut self, stage: Stage) {
        self.hops.push(Hop { stage, pipe: Fifo::default(), armed: Time::NEVER });
    }

    /// Makes room for that many subflows.
    pub(crate) fn expect(&mut self, subflows: usize) {
        self.hosts.reserve_exact(subflows);
    }

    /// Adds a subflow's routes and returns its number. The return route is a lane with `return_delay` and host jitter
    /// up to `jitter`, then `back`. `ahead`: see [`crate::connection::ahead`].
    pub(crate) fn add_subflow(
        &mut self,
        forward: &[usize],
        back: &[usize],
        return_delay: Time,
        (jitter, random): (Time, Random),
        ahead: bool,
    ) -> u32 {
        let (lanes, hops) = (&mut self.lanes, self.hops.len() as u32);
        let lane = *self.lane_of.entry((forward.to_vec(), return_delay)).or_insert_with(|| {
            let lane = lanes.len() as u32;
            lanes.push(Lane::new(hops + lane, return_delay));
            lane
        });
        let lane_hop = hops + lane;
        self.events.set_pipes(self.hop_targets());
        self.lanes[lane as usize].add_host(jitter);
        self.hosts.push(Host::new(lane, back.len() as u16, jitter, random));
        self.drops.add();
        self.delayed_acks.add();
        let hops = |links: &[usize]| links.iter().map(|link| *link as u32).collect::<Vec<_>>();
        let subflow = self.routes.add(hops(forward), std::iter::once(lane_hop).chain(hops(back)));
        self.routes.set_ahead(subflow, ahead);
        subflow
    }

    /// Whether link `i` of the scenario decides at arrival.
    pub(crate) fn decides_at_arrival(&self, i: usize) -> bool {
        matches!(self.hops[i].stage, Stage::Link(_))
    }

    /// The number of event targets of hops, which come first.
    pub(crate) fn hop_targets(&self) -> u32 {
        (self.hops.len() + self.lanes.len()) as u32
    }

    #[inline]
    pub(crate) fn now(&self) -> Time {
        self.events.now()
    }

    pub(crate) fn link(&mut self, i: usize) -> LinkNow {
        let now = self.events.now();
        let (waiting, totals) = match &mut self.hops[i].stage {
            Stage::Link(link) => (link.waiting(now), link.totals(now)),
            Stage::Dequeue(stage) => (stage.link.waiting(now), stage.link.totals(now)),
            Stage::Pipe => unreachable!("hop {i} is not a link"),
        };
        LinkNow { waiting, totals }
    }

    /// Sends a packet on its first hop.
    #[inline(never)]
    pub(crate) fn send(&mut self, mut packet: Packet) {
        if self.observations.is_some() {
            return self.send_captured(packet);
        }
        let target = self.routes.begin(&mut packet);
        self.enter(&mut packet, target, false);
    }

    /// A segment enters the only link of its path, and the receiver takes it ahead of time. Returns when it arrives, and whether the
    /// link marked it; `None` if the link dropped it. For other segments: [`Network::send`].
    #[inline(always)]
    pub(crate) fn offer(&mut self, link: u32, wire: u16, ecn_capable: bool) -> Option<(Time, bool)> {
        let now = self.events.now();
        match &mut self.hops[link as usize].stage {
            Stage::Link(link) => match link.offer(now, wire.into(), ecn_capable) {
                Outcome::Delivered { at, marked } => Some((at, marked)),
                Outcome::Dropped(_) => None,
            },
            Stage::Dequeue(_) | Stage::Pipe => unreachable!("hop {link} decides later"),
        }
    }

    /// Sends an ACK of the receiver at `at`. Return routes begin with the lane of the host.
    #[inline]
    pub(crate) fn send_ack(&mut self, mut packet: Packet, at: Time) {
        if self.observations.is_some() {
            return self.send_captured(packet);
        }
        packet.hops_left = self.hosts[packet.subflow as usize].links;
        self.enter_lane(&packet, at);
    }

    /// The same with a capture; a separate function, so that other runs pay one comparison.
    #[cold]
    #[inline(never)]
    fn send_captured(&mut self, mut packet: Packet) {
        let target = self.routes.begin(&mut packet);
        if let Some(observations) = &mut self.observations {
            observations.leaves(self.events.now(), &mut packet, (&self.sacks, &self.datagrams));
        }
        self.enter(&mut packet, target, false);
    }

    /// A packet enters a hop. If that is the last and the receiver takes the packet `ahead` of time, returns when it arrives.
    #[inline(never)]
    fn enter(&mut self, packet: &mut Packet, target: u32, ahead: bool) -> Option<Time> {
        let now = self.events.now();
        packet.hops_left -= 1;
        let Some(hop) = self.hops.get_mut(target as usize) else {
            self.enter_lane(packet, now);
            return None;
        };
        if let Some(observations) = &mut self.observations
            && !matches!(hop.stage, Stage::Pipe)
        {
            // Link `i` is hop `i`.
            observations.enters(now, target as usize, packet, (&self.sacks, &self.datagrams));
        }
        let at = match &mut hop.stage {
            Stage::Link(link) => match link.offer(now, u32::from(packet.wire), packet.has(flag::ECT)) {
                Outcome::Delivered { at, marked } => {
                    if marked {
                        packet.flags |= flag::CE;
                    }
                    if ahead && packet.hops_left == 0 {
                        return Some(at);
                    }
                    at
                }
                Outcome::Dropped(_) => {
                    self.note_drop(packet);
                    return None;
                }
            },
            Stage::Dequeue(_) => {
                self.enqueue(packet, target);
                return None;
            }
            Stage::Pipe => now,
        };
        hop.put(packet, at, target, &mut self.events);
        None
    }

    /// A packet of the receiver enters its lane at `at`.
    #[inline]
    fn enter_lane(&mut self, packet: &Packet, at: Time) {
        let host = &mut self.hosts[packet.subflow as usize];
        self.lanes[host.lane as usize].enter(packet, at, host, &mut self.events);
    }

    /// A packet arrives at a [`DequeueStage`].
    #[inline(never)]
    fn enqueue(&mut self, packet: &Packet, target: u32) {
        let now = self.events.now();
        let Stage::Dequeue(stage) = &mut self.hops[target as usize].stage else { return };
        // Each direction of a subflow is a flow, as by addresses and ports.
        let flow = u64::from(packet.subflow) << 1 | u64::from(packet.is_forward());
        let (wire_bytes, ecn_capable) = (u32::from(packet.wire), packet.has(flag::ECT));
        match stage.link.offer(now, Arrival { wire_bytes, ecn_capable, flow }) {
            Ok(ticket) => {
                let places = stage.packets.len().max(ticket as usize + 1);
                stage.packets.resize(places, None);
                stage.packets[ticket as usize] = Some(*packet);
            }
            Err(_) => self.note_drop(packet),
        }
        self.collect_outcomes(target);
    }

    /// Moves the decided packets of a [`DequeueStage`], and schedules its event when the transmitter falls idle.
    fn collect_outcomes(&mut self, target: u32) {
        let now = self.events.now();
        while let Stage::Dequeue(stage) = &mut self.hops[target as usize].stage
            && let Some((ticket, outcome)) = stage.link.next_outcome(now)
        {
            let pipe = stage.pipe;
            let Some(mut packet) = stage.packets[ticket as usize].take() else { continue };
            match outcome {
                Outcome::Delivered { at, marked } => {
                    if marked {
                        packet.flags |= flag::CE;
                    }
                    self.hops[pipe as usize].put(&packet, at, pipe, &mut self.events);
                }
                Outcome::Dropped(_) => self.note_drop(&packet),
            }
        }
        if let Stage::Dequeue(stage) = &mut self.hops[target as usize].stage {
            self.events.arm(&mut stage.wakes_at, stage.link.wakes_at(), target);
        }
    }

    /// Lets link `i` of the scenario be changed by [`Network::steer`]. Before the first packet.
    pub(crate) fn let_steer(&mut self, i: usize) {
        match &mut self.hops[i].stage {
            Stage::Link(link) => link.let_steer(),
            Stage::Dequeue(stage) => stage.link.let_steer(),
            Stage::Pipe => (),
        }
    }

    /// Changes link `i` of the scenario now, with the packets that were decided before. Only for links without a trace, a clock,
    /// reordering and planned changes.
    pub(crate) fn steer(&mut self, i: usize, to: &Steering) {
        let now = self.events.now();
        self.collect_outcomes(i as u32);
        let (replanned, pipe) = match &mut self.hops[i].stage {
            Stage::Link(link) => (link.steer(now, to), i),
            Stage::Dequeue(stage) => (stage.link.steer(now, to), stage.pipe as usize),
            Stage::Pipe => return,
        };
        let propagate = self.hops[pipe].pipe.len() - replanned.deliveries.len();
        let unsent: Vec<_> = self.hops[pipe].pipe.iter().skip(propagate).copied().collect();
        self.hops[pipe].pipe.truncate(propagate);
        for ((_, packet), at) in unsent.into_iter().zip(replanned.deliveries) {
            match at {
                Some(at) => self.hops[pipe].pipe.push((at, packet)),
                None => {
                    match &mut self.hops[i].stage {
                        Stage::Link(link) => link.lose(packet.wire.into()),
                        Stage::Dequeue(stage) => stage.link.lose(packet.wire.into()),
                        Stage::Pipe => (),
                    }
                    self.note_drop(&packet);
                }
            }
        }
        let hop = &mut self.hops[pipe];
        let first = hop.pipe.front().map_or(Time::NEVER, |(at, _)| *at);
        if first != hop.armed {
            // The event at the former time is void.
            hop.armed = first;
            if first < Time::NEVER {
                self.events.schedule(first, pipe as u32);
            }
        }
        if pipe != i {
            self.collect_outcomes(i as u32);
        }
    }

    #[inline(never)]
    pub(crate) fn note_drop(&mut self, packet: &Packet) {
        self.drops.note(packet);
        self.sacks.release(packet);
        if matches!(packet.kind, Kind::Datagram | Kind::DatagramBack) {
            self.datagrams.remove(packet.offset as usize);
        }
    }

    /// Handles a head event that moves no packet out of a pipe: a void one, or one of a [`DequeueStage`].
    #[cold]
    #[inline(never)]
    fn wake(&mut self, target: u32) {
        self.events.finish();
        if let Stage::Dequeue(stage) = &mut self.hops[target as usize].stage
            && stage.wakes_at == self.events.now()
        {
            stage.wakes_at = Time::NEVER;
            self.collect_outcomes(target);
        }
    }

    /// Handles the head event, which is of hop `target`: takes it from the queue and moves its packet. If a packet has reached the
    /// end of its route, or is certain to, returns when; it is then in `packet`.
    #[inline]
    pub(crate) fn step(&mut self, target: u32, packet: &mut Packet) -> Option<Time> {
        let moved = match (target as usize).checked_sub(self.hops.len()) {
            None => self.step_hop(target, packet),
            Some(lane) => self.lanes[lane].step(&mut self.events, packet),
        };
        if !moved {
            return None;
        }
        match self.routes.next(packet) {
            Some(next) => self.enter(packet, next, self.routes.is_ahead(packet)),
            None => Some(self.events.now()),
        }
    }

    /// The same for a hop before the lanes, up to where the packet has left it. False if the event moved none.
    #[inline]
    fn step_hop(&mut self, target: u32, packet: &mut Packet) -> bool {
        let hop = &mut self.hops[target as usize];
        if hop.armed != self.events.now() {
            self.wake(target);
            return false;
        }
        *packet = hop.pipe.front().expect("an armed hop holds a packet").1;
        hop.pipe.drop_front();
        match hop.pipe.front() {
            Some(&(next, _)) => {
                hop.armed = next;
                self.events.repeat_pipe(next, target);
            }
            None => {
                hop.armed = Time::NEVER;
                self.events.finish();
            }
        }
        true
    }

    /// Segments with payload of `subflow` in the network, for the conservation check.
    #[cfg(test)]
    pub(crate) fn in_transit(&self, subflow: u32) -> u64 {
        let is_its_data =
            |p: &&Packet| p.subflow == subflow && p.kind == crate::packet::Kind::Data && p.len > 0;
        let held = self.hops.iter().filter_map(|hop| match &hop.stage {
            Stage::Dequeue(stage) => Some(stage.packets.iter().flatten()),
            _ => None,
        });
        let piped = self.hops.iter().flat_map(|h| h.pipe.iter()).map(|(_, p)| p);
        let there = piped.filter(is_its_data).count() + held.flatten().filter(is_its_data).count();
        there as u64
    }

    /// The number of stragglers so far.
    #[cfg(test)]
    pub(crate) fn stragglers(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.straggled).sum()
    }

    /// A receiver takes a segment early.
    #[cfg(test)]
    pub(crate) fn count_early(&mut self, packet: &Packet) {
        *self.early.entry(packet.subflow).or_default() += u64::from(packet.len > 0);
    }

    /// The packet that the next event moves, and whether it then reaches the end of its route.
    #[cfg(test)]
    pub(crate) fn next_packet(&self) -> Option<(Packet, bool)> {
        let (now, target) = self.events.peek()?;
        let hop = self.hops.get(target as usize).filter(|h| h.armed == now)?;
        let (_, packet) = hop.pipe.front()?;
        Some((*packet, self.routes.next(packet).is_none()))
    }
}
