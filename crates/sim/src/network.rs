//! Where packets are: pipes of packets in flight, and the links that decide about them.

use crate::event::EventQueue;
use crate::lane::{Host, Lane};
use crate::packet::{Kind, Packet, Sack, flag};
use anabranch_net::{Arrival, Fate, FifoLink, HoldingLink, Link, LinkSpec, Random, Time, Totals, Waiting};
use std::collections::{BTreeMap, VecDeque};

/// One stage of a route.
enum Stage {
    /// A link that flows may share.
    Link(Box<FifoLink>),
    /// One whose queue decides when a packet leaves it. Its own pipe stays empty: the event of this hop is that the
    /// transmitter falls idle. What it transmits is in the pipe of another hop.
    Holding(Box<Holding>),
    /// A pipe without anything before it.
    Pipe,
}

/// A link that holds packets, and those that it holds.
struct Holding {
    link: HoldingLink,
    /// By ticket.
    packets: Vec<Option<Packet>>,
    /// The hop with the pipe.
    pipe: u32,
    /// When the event of its hop is due.
    wakes_at: Time,
}

/// A stage and the packets in flight behind it, in the order in which they will leave it. Only
/// the first has an event.
struct Hop {
    stage: Stage,
    pipe: VecDeque<(Time, Packet)>,
    /// When this hop's valid event is due; an event at another time is void.
    armed: Time,
}

impl Hop {
    /// Puts a packet into the pipe of this hop, which is `target` to the events; it leaves at `at`.
    #[inline(always)]
    fn put(&mut self, packet: Packet, at: Time, target: u32, events: &mut EventQueue) {
        match self.pipe.back() {
            Some((last, _)) if *last > at => {
                // Held back packets are overtaken: rare, so a search is cheap enough.
                let place = self.pipe.partition_point(|(t, _)| *t <= at);
                self.pipe.insert(place, (at, packet));
            }
            _ => {
                if self.pipe.len() == self.pipe.capacity() {
                    // By an eighth: in long pipes memory is packets.
                    self.pipe.reserve_exact(self.pipe.len() / 8 + 4);
                }
                self.pipe.push_back((at, packet));
            }
        }
        if at < self.armed {
            self.armed = at;
            events.schedule(at, target);
        }
    }
}

/// The links, the routes over them, and the event queue that drives them.
pub(crate) struct Network {
    pub(crate) events: EventQueue,
    hops: Vec<Hop>,
    /// Where return paths begin. Their numbers as hops and as event targets follow those of `hops`.
    lanes: Vec<Lane>,
    /// Which lane, by the links forward and the delay back.
    lane_of: BTreeMap<(Vec<usize>, Time), u32>,
    /// Of each subflow, the host that returns acknowledgements.
    hosts: Vec<Host>,
    /// Hops of each subflow, forward and return in turn; where route `i` begins, and the one behind it.
    route_hops: Vec<u32>,
    routes: Vec<u32>,
    /// SACK blocks of acknowledgements under way, and places that are free.
    sacks: Vec<Sack>,
    free_sacks: Vec<u32>,
    /// Of each subflow, the data segments that the network dropped.
    dropped: Vec<Dropped>,
    /// Of each subflow.
    delayed: Vec<Delayed>,
}

/// Counts of dropped segments.
#[derive(Clone, Copy, Debug, Default)]
struct Dropped {
    /// From the beginning.
    all: u64,
    /// Of those sent at this instant or later.
    measured: u64,
    from: Time,
}

/// A receiver's delayed acknowledgement. Most of its events find that there was one already: they need only this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delayed {
    /// Acknowledge at the latest then.
    at: Time,
    /// When the valid event is due.
    event: Time,
}

/// What came out of a hop.
pub(crate) enum Arrived {
    /// Nothing: the event was void, or the packet went on to the next hop.
    None,
    /// A packet reached the end of its route.
    Packet(Packet),
}

impl Network {
    /// Hops of the links come first, so that link `i` is hop `i`. `seed` is that of their random processes.
    pub(crate) fn new<'a>(specs: impl Iterator<Item = &'a LinkSpec> + Clone, seed: u64) -> Network {
        let mut network = Network {
            events: EventQueue::default(),
            hops: Vec::new(),
            lanes: Vec::new(),
            lane_of: BTreeMap::new(),
            hosts: Vec::new(),
            route_hops: Vec::new(),
            routes: vec![0],
            sacks: Vec::new(),
            free_sacks: Vec::new(),
            dropped: Vec::new(),
            delayed: Vec::new(),
        };
        let mut pipe = specs.clone().count() as u32;
        for (i, spec) in specs.clone().enumerate() {
            network.add_hop(match Link::new(spec, seed, i as u64) {
                Link::Fifo(link) => Stage::Link(link),
                Link::Holding(link) => {
                    pipe += 1;
                    Stage::Holding(Box::new(Holding {
                        link: *link,
                        packets: Vec::new(),
                        pipe: pipe - 1,
                        wakes_at: Time::NEVER,
                    }))
                }
            });
        }
        (network.hops.len()..pipe as usize).for_each(|_| network.add_hop(Stage::Pipe));
        network
    }

    fn add_hop(&mut self, stage: Stage) {
        self.hops.push(Hop { stage, pipe: VecDeque::new(), armed: Time::NEVER });
    }

    /// Adds a subflow's routes and returns its number. The return route is a lane with `return_delay` and host jitter
    /// up to `jitter`, then `back`.
    pub(crate) fn add_subflow(
        &mut self,
        forward: &[usize],
        back: &[usize],
        return_delay: Time,
        jitter: Time,
        random: Random,
    ) -> u32 {
        let lanes = &mut self.lanes;
        let lane = *self.lane_of.entry((forward.to_vec(), return_delay)).or_insert_with(|| {
            lanes.push(Lane::new(return_delay));
            lanes.len() as u32 - 1
        });
        let lane_hop = self.hops.len() as u32 + lane;
        self.hosts.push(Host::new(lane, jitter, random));
        self.route_hops.extend(forward.iter().map(|l| *l as u32));
        self.routes.push(self.route_hops.len() as u32);
        self.route_hops.extend(std::iter::once(lane_hop).chain(back.iter().map(|l| *l as u32)));
        self.routes.push(self.route_hops.len() as u32);
        self.dropped.push(Dropped::default());
        self.delayed.push(Delayed { at: Time::NEVER, event: Time::NEVER });
        self.dropped.len() as u32 - 1
    }

    /// Number of event targets that belong to hops: the first ones.
    pub(crate) fn hop_targets(&self) -> u32 {
        (self.hops.len() + self.lanes.len()) as u32
    }

    #[inline]
    pub(crate) fn now(&self) -> Time {
        self.events.now()
    }

    /// Data segments of `subflow` dropped so far.
    #[cfg(test)]
    pub(crate) fn dropped(&self, subflow: u32) -> u64 {
        self.dropped[subflow as usize].all
    }

    /// Counts drops of segments sent from now on.
    pub(crate) fn measure_drops(&mut self, subflow: u32) {
        let dropped = &mut self.dropped[subflow as usize];
        (dropped.measured, dropped.from) = (0, self.events.now());
    }

    /// Data segments of `subflow` dropped since [`Network::measure_drops`], of those sent since then.
    pub(crate) fn measured_drops(&self, subflow: u32) -> u64 {
        self.dropped[subflow as usize].measured
    }

    /// The sums of link `i` of the scenario up to now.
    pub(crate) fn totals(&mut self, i: usize) -> Totals {
        let now = self.events.now();
        match &mut self.hops[i].stage {
            Stage::Link(link) => link.totals(now),
            Stage::Holding(holding) => holding.link.totals(now),
            Stage::Pipe => unreachable!("hop {i} is not a link"),
        }
    }

    /// What waits in link `i` of the scenario.
    pub(crate) fn waiting(&mut self, i: usize) -> Waiting {
        let now = self.events.now();
        match &mut self.hops[i].stage {
            Stage::Link(link) => link.waiting(now),
            Stage::Holding(holding) => holding.link.waiting(now),
            Stage::Pipe => unreachable!("hop {i} is not a link"),
        }
    }

    /// `subflow` acknowledges within `patience`; its event is `target`.
    #[inline]
    pub(crate) fn delay_ack(&mut self, subflow: u32, patience: Time, target: u32) {
        let delayed = &mut self.delayed[subflow as usize];
        if delayed.at == Time::NEVER {
            delayed.at = self.events.now() + patience;
            if delayed.at < delayed.event {
                delayed.event = delayed.at;
                self.events.schedule(delayed.at, target);
            }
        }
    }

    /// Nothing of `subflow` waits to be acknowledged.
    #[inline]
    pub(crate) fn forget_ack(&mut self, subflow: u32) {
        self.delayed[subflow as usize].at = Time::NEVER;
    }

    /// The event of the delayed acknowledgement of `subflow`, `target`: whether it is sent now. Where it is not yet due,
    /// schedules the next event.
    #[inline]
    pub(crate) fn is_ack_due(&mut self, subflow: u32, target: u32) -> bool {
        let now = self.events.now();
        let delayed = &mut self.delayed[subflow as usize];
        if delayed.event != now {
            return false; // void
        }
        delayed.event = delayed.at;
        if delayed.at <= now {
            (delayed.at, delayed.event) = (Time::NEVER, Time::NEVER);
            return true;
        }
        if delayed.at != Time::NEVER {
            self.events.schedule(delayed.at, target);
        }
        false
    }

    /// Keeps the SACK blocks of an acknowledgement; what names them to it.
    pub(crate) fn keep_sack(&mut self, sack: Sack) -> u32 {
        match self.free_sacks.pop() {
            Some(place) => {
                self.sacks[place as usize - 1] = sack;
                place
            }
            None => {
                self.sacks.push(sack);
                self.sacks.len() as u32
            }
        }
    }

    /// The SACK blocks of an acknowledgement that has some.
    #[inline]
    pub(crate) fn sack(&self, packet: &Packet) -> Option<Sack> {
        (packet.sack != 0).then(|| self.sacks[packet.sack as usize - 1])
    }

    /// The packet is no more.
    #[inline]
    pub(crate) fn release(&mut self, packet: &Packet) {
        if packet.sack != 0 {
            self.free_sacks.push(packet.sack);
        }
    }

    /// The hop that a packet enters next, if it is not at the end of its route.
    #[inline]
    fn next_hop(&self, packet: &Packet) -> Option<u32> {
        let route = 2 * packet.subflow as usize + usize::from(!packet.is_forward());
        let at = self.routes[route] + u32::from(packet.hop);
        (at < self.routes[route + 1]).then(|| self.route_hops[at as usize])
    }

    /// Sends a packet on its next hop.
    #[inline]
    pub(crate) fn send(&mut self, packet: Packet) {
        if let Some(target) = self.next_hop(&packet) {
            self.enter(packet, target);
        }
    }

    /// A packet enters a hop.
    #[inline]
    fn enter(&mut self, mut packet: Packet, target: u32) {
        let now = self.events.now();
        packet.hop += 1;
        let Some(hop) = self.hops.get_mut(target as usize) else {
            let host = &mut self.hosts[packet.subflow as usize];
            return self.lanes[host.lane as usize].enter(packet, host, target, &mut self.events);
        };
        let at = match &mut hop.stage {
            Stage::Link(link) => match link.offer(now, u32::from(packet.wire), packet.has(flag::ECT)) {
                Fate::Delivered { at, marked } => {
                    if marked {
                        packet.flags |= flag::CE;
                    }
                    at
                }
                Fate::Dropped(_) => return self.note_drop(&packet),
            },
            Stage::Holding(_) => return self.hold(packet, target),
            Stage::Pipe => now,
        };
        hop.put(packet, at, target, &mut self.events);
    }

    /// A packet arrives at a link that holds it.
    #[inline(never)]
    fn hold(&mut self, packet: Packet, target: u32) {
        let now = self.events.now();
        let Stage::Holding(holding) = &mut self.hops[target as usize].stage else { return };
        // Each direction of a subflow is a flow: what the addresses and ports tell.
        let flow = u64::from(packet.subflow) << 1 | u64::from(packet.is_forward());
        let (wire_bytes, ecn_capable) = (u32::from(packet.wire), packet.has(flag::ECT));
        match holding.link.offer(now, Arrival { wire_bytes, ecn_capable, flow }) {
            Ok(ticket) => {
                let places = holding.packets.len().max(ticket as usize + 1);
                holding.packets.resize(places, None);
                holding.packets[ticket as usize] = Some(packet);
            }
            Err(_) => self.note_drop(&packet),
        }
        self.settle(target);
    }

    /// Moves what a link that holds packets has decided about, and lets it act again when its transmitter falls idle.
    fn settle(&mut self, target: u32) {
        let now = self.events.now();
        while let Stage::Holding(holding) = &mut self.hops[target as usize].stage
            && let Some((ticket, fate)) = holding.link.settle(now)
        {
            let pipe = holding.pipe;
            let Some(mut packet) = holding.packets[ticket as usize].take() else { continue };
            match fate {
                Fate::Delivered { at, marked } => {
                    if marked {
                        packet.flags |= flag::CE;
                    }
                    self.hops[pipe as usize].put(packet, at, pipe, &mut self.events);
                }
                Fate::Dropped(_) => self.note_drop(&packet),
            }
        }
        if let Stage::Holding(holding) = &mut self.hops[target as usize].stage {
            let at = holding.link.wakes_at();
            if at < holding.wakes_at {
                holding.wakes_at = at;
                self.events.schedule(at, target);
            }
        }
    }

    /// Counts a packet that a link dropped.
    #[inline(never)]
    fn note_drop(&mut self, packet: &Packet) {
        if packet.kind == Kind::Data {
            let dropped = &mut self.dropped[packet.subflow as usize];
            dropped.all += 1;
            dropped.measured += u64::from(packet.stamp >= dropped.from);
        }
        self.release(packet);
    }

    /// Handles a head event that moves no packet out of a pipe: a void one, or that of a link that holds packets.
    #[cold]
    #[inline(never)]
    fn wake(&mut self, target: u32) {
        self.events.finish();
        if let Stage::Holding(holding) = &mut self.hops[target as usize].stage
            && holding.wakes_at == self.events.now()
        {
            holding.wakes_at = Time::NEVER;
            self.settle(target);
        }
    }

    /// Handles the head event, which is of hop `target`: takes it from the queue, and moves its packet.
    #[inline]
    pub(crate) fn step(&mut self, target: u32) -> Arrived {
        let now = self.events.now();
        let Some(hop) = self.hops.get_mut(target as usize) else {
            let lane = &mut self.lanes[target as usize - self.hops.len()];
            let packet = lane.step(&mut self.hosts, target, &mut self.events);
            return packet.map_or(Arrived::None, |packet| self.forward(packet));
        };
        if hop.armed != now {
            self.wake(target);
            return Arrived::None;
        }
        let (_, packet) = hop.pipe.pop_front().expect("an armed hop holds a packet");
        match hop.pipe.front() {
            Some(&(next, _)) => {
                hop.armed = next;
                self.events.repeat(next, target);
            }
            None => {
                hop.armed = Time::NEVER;
                self.events.finish();
            }
        }
        self.forward(packet)
    }

    /// A packet has left a hop.
    #[inline]
    fn forward(&mut self, packet: Packet) -> Arrived {
        if let Some(next) = self.next_hop(&packet) {
            self.enter(packet, next);
            return Arrived::None;
        }
        Arrived::Packet(packet)
    }

    /// Data segments of `subflow` inside the network now: for the conservation check.
    #[cfg(test)]
    pub(crate) fn in_transit(&self, subflow: u32) -> u64 {
        let is_its_data = |p: &&Packet| p.subflow == subflow && p.kind == Kind::Data;
        let held = self.hops.iter().filter_map(|hop| match &hop.stage {
            Stage::Holding(holding) => Some(holding.packets.iter().flatten()),
            _ => None,
        });
        let piped = self.hops.iter().flat_map(|h| &h.pipe).map(|(_, p)| p);
        (piped.filter(is_its_data).count() + held.flatten().filter(is_its_data).count()) as u64
    }

    /// The packet that the next event moves, and whether it then is at the end of its route.
    #[cfg(test)]
    pub(crate) fn next_packet(&self) -> Option<(Packet, bool)> {
        let (now, target) = self.events.peek()?;
        let hop = self.hops.get(target as usize).filter(|h| h.armed == now)?;
        let (_, packet) = hop.pipe.front()?;
        Some((*packet, self.next_hop(packet).is_none()))
    }
}
