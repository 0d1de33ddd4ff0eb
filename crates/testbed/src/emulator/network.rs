//! The emulated network: links and packets, on the run's clock.

use super::store::Place;
use anabranch_net::{
    Arrival, DequeueLink, DropReason, FifoLink, Link, LinkSpec, Outcome, Time, Totals, Waiting,
};
use anabranch_scenario::Path;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A packet in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    pub place: Place,
    /// Its route, and the number of stages that it has entered.
    pub route: u32,
    pub stage: u16,
    /// Its size at IP level, in bytes.
    pub size: u16,
    pub ecn_capable: bool,
    /// Whether a link marked it.
    pub marked: bool,
    /// Whether it carries payload.
    pub data: bool,
}

/// A stage of routes: a link or a pure delay.
struct Stage {
    kind: Kind,
    /// The packets that will leave it, in order of time.
    pipe: VecDeque<(Time, Packet)>,
    /// The time of its valid event; other events are void.
    armed: Time,
}

enum Kind {
    /// A link that decides outcomes at arrival.
    Prompt(Box<FifoLink>),
    /// A link that decides outcomes when packets leave the queue, and the waiting packets by ticket.
    Dequeue(Box<DequeueLink>, Vec<Option<Packet>>),
    Delay(Time),
}

/// The links and the routes over them.
pub(crate) struct Network {
    stages: Vec<Stage>,
    routes: Vec<Vec<u32>>,
    /// The events of stages; events of one instant stay in the order of planning.
    events: BinaryHeap<Reverse<(Time, u64, u32)>>,
    planned: u64,
    /// Packets that have reached the end of their routes, with the time, in order.
    pub arrived: VecDeque<(Time, Packet)>,
    /// Packets that a link dropped, with the reason.
    pub dropped: Vec<(Packet, DropReason)>,
    /// The number of links, which are the first stages.
    pub links: usize,
}

/// The route of the packets of one device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Route {
    /// Delay before the first link.
    pub delay: Time,
    /// The links, as indices.
    pub links: Vec<usize>,
}

/// The routes of a path's two devices. Without reverse links in the scenario, the way back has the delay of the forward links.
pub(crate) fn routes(links: &[LinkSpec], path: &Path) -> [Route; 2] {
    let mut back = Route { delay: Time::ZERO, links: path.return_links.clone() };
    if back.links.is_empty() {
        back.delay = path.links.iter().fold(Time::ZERO, |sum, link| sum + links[*link].delay);
    }
    [Route { delay: Time::ZERO, links: path.links.clone() }, back]
}

impl Network {
    /// Creates the network; `seed` is for the links' random processes.
    pub fn new(links: &[LinkSpec], seed: u64, routes: &[Route]) -> Network {
        let mut network = Network {
            stages: Vec::new(),
            routes: Vec::new(),
            events: BinaryHeap::new(),
            planned: 0,
            arrived: VecDeque::new(),
            dropped: Vec::new(),
            links: links.len(),
        };
        for (i, spec) in links.iter().enumerate() {
            network.add(match Link::new(spec, seed, i as u64) {
                Link::Dequeue(link) => Kind::Dequeue(link, Vec::new()),
                Link::Fifo(link) => Kind::Prompt(link),
            });
        }
        for route in routes {
            let delay = (route.delay > Time::ZERO).then(|| network.add(Kind::Delay(route.delay)));
            let links = route.links.iter().map(|link| *link as u32);
            network.routes.push(delay.into_iter().chain(links).collect());
        }
        network
    }

    fn add(&mut self, kind: Kind) -> u32 {
        self.stages.push(Stage { kind, pipe: VecDeque::new(), armed: Time::NEVER });
        self.stages.len() as u32 - 1
    }

    /// Puts a packet into its next stage at `now`. [`Network::run`] must have run up to `now`.
    pub fn enter(&mut self, now: Time, mut packet: Packet) {
        let Some(&s) = self.routes[packet.route as usize].get(usize::from(packet.stage)) else {
            return self.arrived.push_back((now, packet));
        };
        packet.stage += 1;
        let stage = &mut self.stages[s as usize];
        match &mut stage.kind {
            Kind::Delay(delay) => {
                let at = now + *delay;
                stage.put(packet, at);
            }
            Kind::Prompt(link) => match link.offer(now, packet.size.into(), packet.ecn_capable) {
                Outcome::Delivered { at, marked } => {
                    packet.marked |= marked;
                    stage.put(packet, at);
                }
                Outcome::Dropped(why) => return self.dropped.push((packet, why)),
            },
            Kind::Dequeue(link, held) => {
                // Each direction of a path is a flow, numbered as in the simulator.
                let flow = u64::from(packet.route ^ 1);
                let (wire_bytes, ecn_capable) = (u32::from(packet.size), packet.ecn_capable);
                match link.offer(now, Arrival { wire_bytes, ecn_capable, flow }) {
                    Ok(ticket) => {
                        held.resize(held.len().max(ticket as usize + 1), None);
                        held[ticket as usize] = Some(packet);
                    }
                    Err(why) => self.dropped.push((packet, why)),
                }
                stage.settle(now, &mut self.dropped);
            }
        }
        self.plan(s);
    }

    /// Moves packets, up to and including `now`.
    pub fn run(&mut self, now: Time) {
        while let Some(&Reverse((at, _, s))) = self.events.peek()
            && at <= now
        {
            self.events.pop();
            let stage = &mut self.stages[s as usize];
            if stage.armed != at {
                continue;
            }
            stage.armed = Time::NEVER;
            stage.settle(at, &mut self.dropped);
            // One at a time: another stage may have an earlier event at the same instant.
            let is_due = stage.pipe.front().is_some_and(|(due, _)| *due <= at);
            let packet = if is_due { stage.pipe.pop_front() } else { None };
            self.plan(s);
            if let Some((_, packet)) = packet {
                self.enter(at, packet);
            }
        }
    }

    /// The time of the next event.
    pub fn next(&self) -> Time {
        self.events.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at)
    }

    /// Plans the next event of a stage.
    fn plan(&mut self, s: u32) {
        let stage = &mut self.stages[s as usize];
        let at = stage.due();
        if at < stage.armed {
            stage.armed = at;
            self.planned += 1;
            self.events.push(Reverse((at, self.planned, s)));
        }
    }

    /// The counters and the queue of a link at `now`. [`Network::run`] must have run up to `now`.
    pub fn link(&mut self, i: usize, now: Time) -> (Totals, Waiting) {
        match &mut self.stages[i].kind {
            Kind::Prompt(link) => (link.totals(now), link.waiting(now)),
            Kind::Dequeue(link, _) => (link.totals(now), link.waiting(now)),
            Kind::Delay(_) => unreachable!("stage {i} is not a link"),
        }
    }
}

impl Stage {
    fn put(&mut self, packet: Packet, at: Time) {
        match self.pipe.back() {
            Some((last, _)) if *last > at => {
                // Other packets overtake held-back ones. This is rare, so a search is cheap enough.
                let place = self.pipe.partition_point(|(due, _)| *due <= at);
                self.pipe.insert(place, (at, packet));
            }
            _ => self.pipe.push_back((at, packet)),
        }
    }

    /// Takes the outcomes that a link has decided by `now`.
    fn settle(&mut self, now: Time, dropped: &mut Vec<(Packet, DropReason)>) {
        while let Kind::Dequeue(link, held) = &mut self.kind
            && let Some((ticket, outcome)) = link.next_outcome(now)
        {
            let Some(mut packet) = held[ticket as usize].take() else { continue };
            match outcome {
                Outcome::Delivered { at, marked } => {
                    packet.marked |= marked;
                    self.put(packet, at);
                }
                Outcome::Dropped(why) => dropped.push((packet, why)),
            }
        }
    }

    /// The time of its next event.
    fn due(&self) -> Time {
        let leaves = self.pipe.front().map_or(Time::NEVER, |(due, _)| *due);
        match &self.kind {
            Kind::Dequeue(link, _) => leaves.min(link.wakes_at()),
            _ => leaves,
        }
    }
}

#[cfg(test)]
mod tests;
