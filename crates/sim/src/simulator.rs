//! The event loop: builds a scenario's network and connections, and runs them.

use crate::application::Application;
use crate::cancel::CancelCheck;
use crate::connection::{Connection, TARGETS_PER_SUBFLOW, ahead};
use crate::connection_meter::ConnectionMeter;
use crate::dss::Dss;
use crate::endpoints::{Endpoints, Hosted};
use crate::event::EventQueue;
use crate::held::{Held, SinkOf};
use crate::lone_runs::LoneRuns;
use crate::network::Network;
use crate::packet::{Kind, Packet};
use crate::pool::{Transfer, TransferPool};
use crate::sampler::Sampler;
use crate::subflow::Subflow;
use crate::tap::{Observations, SeenPacket, Tap};
use crate::target::Target;
use crate::{End, SimError};
use anabranch_cc::Group;
use anabranch_net::{Random, Time, Totals};
use anabranch_record::{KeepGoing, NoSamples, Sink};
use anabranch_scenario::{Application as Spec, MAX_HOPS, Scenario};

const JITTER_SEED: u64 = 0x686f_7374_206a_6974;

/// More events at one instant indicate an endless loop.
const EVENTS_AT_ONCE: u32 = 100_000_000;

pub(crate) struct Simulator<'a> {
    pub(crate) scenario: Held<'a>,
    pub(crate) seed: u64,
    pub(crate) net: Network,
    /// The packet that moves.
    packet: Packet,
    /// Connections of the flows, then connections of transfers that open their own.
    pub(crate) connections: Vec<Connection>,
    pub(crate) measured: Vec<ConnectionMeter>,
    /// For each flow whose transfers open their own connections.
    pub(crate) pools: Vec<Option<Box<TransferPool>>>,
    /// A flow and its algorithm, before its first path: the last that was made.
    fresh: Option<(usize, Group)>,
    /// The transfer of each of their connections.
    pub(crate) transfers: Vec<Transfer>,
    /// The lone runs for the ideal times of its transfers; `None`: it is one, and ends with its first transfer.
    pub(crate) lone_runs: Option<LoneRuns>,
    /// The end of the run, once decided.
    pub(crate) end: Option<End>,
    /// Sums of each link at the end of the warm-up.
    pub(crate) warm: Vec<Totals>,
    /// Connection and index in it of each subflow of the network.
    pub(crate) owners: Vec<(u32, u32)>,
    /// The event targets after those of hops.
    pub(crate) targets: Vec<Target>,
    hop_targets: u32,
    sampler: Sampler,
    pub(crate) sink: SinkOf<'a>,
    pub(crate) tap: Option<&'a mut dyn Tap>,
    pub(crate) hosted: Option<Hosted<'a>>,
}

impl<'a> Simulator<'a> {
    pub(crate) fn new(scenario: &'a Scenario, seed: u64, sink: &'a mut dyn Sink) -> Result<Self, SimError> {
        Simulator::with(Held::Lent(scenario), seed, SinkOf::Lent(sink), None, true)
    }

    /// The flows that they host are left to `endpoints`. `ahead`: whether receivers may be [ahead of time](ahead), as nobody observes packets
    /// or changes links without a plan; beside `endpoints` they are not.
    pub(crate) fn with(
        held: Held<'a>,
        seed: u64,
        mut sink: SinkOf<'a>,
        endpoints: Option<&'a mut dyn Endpoints>,
        ahead: bool,
    ) -> Result<Self, SimError> {
        let own = held.clone();
        let scenario = &*own;
        check(scenario, |f| endpoints.as_ref().is_some_and(|endpoints| endpoints.hosts(f)))?;
        let mut net = Network::new(scenario.links.iter().map(|link| &link.spec), seed);
        net.may_be_ahead = ahead && endpoints.is_none();
        net.expect(scenario.flows.iter().map(|flow| flow.paths.len()).sum());
        let mut owners = Vec::new();
        let of_flow = |f| subflows_of(scenario, seed, (f, f), &mut net, &mut owners);
        let subflows: Vec<_> = (0..scenario.flows.len()).map(of_flow).collect();
        let hop_targets = net.hop_targets();
        let sampler = Sampler::new(scenario, sink.get());
        let mut simulator = Simulator {
            scenario: held,
            seed,
            net,
            packet: Packet::new(Kind::Data, 0, 0, 0, Time::ZERO),
            connections: Vec::with_capacity(scenario.flows.len()),
            measured: Vec::with_capacity(scenario.flows.len()),
            pools: (0..scenario.flows.len()).map(|f| TransferPool::of(scenario, seed, f)).collect(),
            fresh: None,
            transfers: Vec::new(),
            lone_runs: Some(LoneRuns::default()),
            end: None,
            warm: vec![Totals::default(); scenario.links.len()],
            // Those of connections, and the beginnings of flows and of their measurement.
            targets: Vec::with_capacity(
                TARGETS_PER_SUBFLOW as usize * owners.len() + 3 * (scenario.flows.len() + 1),
            ),
            owners,
            hop_targets,
            sampler,
            sink,
            tap: None,
            hosted: None,
        };
        for (f, of_flow) in subflows.into_iter().enumerate() {
            simulator.add_connection(f, of_flow, scenario.flows[f].application.clone())?;
        }
        simulator.schedule_plan();
        if let Some(endpoints) = endpoints {
            simulator.attach(endpoints);
        }
        match simulator.targets() {
            n if n > EventQueue::MAX_TARGETS => Err(SimError::TooLarge { targets: n }),
            _ => Ok(simulator),
        }
    }

    /// The number of sources of events.
    pub(crate) fn targets(&self) -> usize {
        self.hop_targets as usize + self.targets.len()
    }

    /// A copy with the same state, without a capture; `None` if an algorithm cannot be copied, or its sink.
    pub(crate) fn copy(&self) -> Option<Self> {
        if !self.connections.iter().all(|c| c.cc.is_copyable()) {
            return None;
        }
        let sink = match &self.sink {
            SinkOf::Lent(_) => return None,
            SinkOf::Kept(samples) => SinkOf::Kept(samples.clone()),
            SinkOf::None(_) => SinkOf::None(NoSamples),
        };
        Some(Simulator {
            scenario: self.scenario.clone(),
            net: self.net.clone(),
            connections: self.connections.clone(),
            measured: self.measured.clone(),
            pools: self.pools.clone(),
            fresh: self.fresh.clone(),
            transfers: self.transfers.clone(),
            lone_runs: self.lone_runs.clone(),
            warm: self.warm.clone(),
            owners: self.owners.clone(),
            targets: self.targets.clone(),
            sampler: self.sampler.clone(),
            sink,
            tap: None,
            hosted: None,
            ..*self
        })
    }

    /// Adds a target of events; returns what the queue has of it.
    pub(crate) fn add_target(&mut self, target: Target) -> u32 {
        self.targets.push(target);
        self.targets() as u32 - 1
    }

    /// Attaches a capture.
    pub(crate) fn listen(&mut self, tap: &'a mut dyn Tap) {
        self.net.observations = Some(Box::new(Observations { links: tap.wants_links(), seen: Vec::new() }));
        self.tap = Some(tap);
    }

    /// The scenario changes a subflow.
    fn change(&mut self, c: usize, k: usize, now: Time) {
        let event = self.scenario.flows[c].events[k];
        self.show();
        if let Some(tap) = &mut self.tap {
            tap.change(now, c, event.path, event.action);
        }
        self.connections[c].on_subflow_event(event.path, event.action, &mut self.net);
    }

    /// Passes new observations to the capture.
    #[cold]
    pub(crate) fn show(&mut self) {
        let (Some(observations), Some(tap)) = (&mut self.net.observations, &mut self.tap) else { return };
        for observation in observations.seen.drain(..) {
            let seen = SeenPacket::new(self.owners[observation.packet.subflow as usize], &observation);
            match &observation.content {
                Some(content) => tap.datagram(&seen, content),
                None => tap.packet(&seen),
            }
        }
    }

    /// The algorithm of flow `f`. Copies share what an algorithm never changes, so that many flows take less memory.
    pub(crate) fn group(&mut self, f: usize) -> Result<Group, SimError> {
        let flow = &self.scenario.flows[f];
        if let Some((last, group)) = &self.fresh {
            let last = &self.scenario.flows[*last].cc;
            if std::ptr::eq(last.entry, flow.cc.entry) && last.params == flow.cc.params {
                return Ok(group.clone());
            }
        }
        let group = flow.cc.entry.group(&flow.cc.params).map_err(|source| SimError::Parameters {
            flow: flow.name.clone(),
            cc: flow.cc.entry.name,
            source,
        })?;
        self.fresh = group.is_copyable().then(|| (f, group.clone()));
        Ok(group)
    }

    /// Adds a connection of flow `f`.
    pub(crate) fn add_connection(
        &mut self,
        f: usize,
        subflows: Vec<Subflow>,
        application: Spec,
    ) -> Result<(), SimError> {
        let scenario = self.scenario.clone();
        let flow = &scenario.flows[f];
        let first = self.targets() as u32;
        let c = self.connections.len() as u32;
        for (s, subflow) in subflows.iter().enumerate() {
            self.targets.extend([Target::Timer(c, s as u32), Target::Ack(subflow.id)]);
            debug_assert_eq!(TARGETS_PER_SUBFLOW, 2);
        }
        self.targets.push(Target::Application(c));
        let random = self.scenario.application_random(self.seed, f);
        let application = Application::new(application, random);
        let mut connection = Connection::new(subflows, self.group(f)?, application, flow, first);
        let (from, to) = (self.scenario.warmup.max(flow.start), flow.stop.min(self.scenario.duration));
        if from < to && connection.has_lone_receiver_ahead() {
            connection.incoming.mark([from, to]);
        }
        self.connections.push(connection);
        self.measured.push(ConnectionMeter { from, to, ..ConnectionMeter::default() });
        Ok(())
    }

    pub(crate) fn at(&mut self, time: Time, target: Target) {
        let index = self.add_target(target);
        self.net.events.schedule(time, index);
    }

    /// Schedules all planned events. At one instant, measurement begins before flows start and
    /// ends before they stop, and the run ends before any unplanned event.
    fn schedule_plan(&mut self) {
        let scenario = self.scenario.clone();
        for f in 0..scenario.flows.len() {
            let ConnectionMeter { from, to, .. } = self.measured[f];
            if from < to {
                self.at(from, Target::Begin(f as u32));
                if to < scenario.duration {
                    self.at(to, Target::End(f as u32)); // else with the run
                }
            }
        }
        self.at(scenario.warmup, Target::WarmedUp);
        self.at(scenario.duration, Target::Finish);
        self.at(Time::ZERO, Target::Sample);
        for (f, start) in scenario.opening_times(self.seed).into_iter().enumerate() {
            let flow = &scenario.flows[f];
            if start < flow.stop {
                self.at(start, Target::Open(f as u32));
                if flow.stop < scenario.duration {
                    self.at(flow.stop, Target::Stop(f as u32));
                }
                for (k, event) in flow.events.iter().enumerate() {
                    self.at(event.at, Target::Change(f as u32, k as u32));
                }
            }
        }
    }

    /// Runs until the end or until `keep_going` returns false, and ends every measurement. Returns that time.
    pub(crate) fn run(&mut self, keep_going: KeepGoing<'_>) -> Result<(End, Time), SimError> {
        let (mut look, mut at_once, mut last) = (CancelCheck::new(), 0u32, Time::ZERO);
        while let Some(now) = self.step(keep_going)? {
            if look.is_clock_due() || self.end.is_some() {
                at_once = if now == last { at_once + CancelCheck::EVENTS } else { 0 };
                last = now;
                if at_once > EVENTS_AT_ONCE {
                    return Err(SimError::Livelock { at: now });
                }
                self.show();
                if self.end.is_none() && look.is_due() && !keep_going(now) {
                    self.end = Some(End::Cancelled(now));
                }
                if let Some(end) = self.end {
                    self.finish(now);
                    return Ok((end, now));
                }
            }
        }
        self.show();
        self.finish(self.scenario.duration);
        Ok((End::Reached, self.scenario.duration))
    }

    /// Handles one event and returns its time; `None` at the end of the run. Lone runs call `keep_going`.
    #[inline]
    pub(crate) fn step(&mut self, keep_going: KeepGoing<'_>) -> Result<Option<Time>, SimError> {
        let Some((now, index)) = self.net.events.advance() else { return Ok(None) };
        if index < self.hop_targets {
            let packet = &mut self.packet;
            if let Some(at) = self.net.step(index, packet) {
                if let Some(observations) = &mut self.net.observations {
                    observations.arrives(now, packet, (&self.net.sacks, &self.net.datagrams));
                }
                let (c, s) = self.owners[packet.subflow as usize];
                let connection = &mut self.connections[c as usize];
                connection.on_packet(s as usize, packet, at, &mut self.net);
                self.net.sacks.release(packet);
                if connection.needs_attention {
                    self.attend(c as usize, keep_going)?;
                }
            }
            return Ok(Some(now));
        }
        self.net.events.finish();
        let target = self.targets[(index - self.hop_targets) as usize];
        match target {
            Target::Finish => {
                for f in 0..self.scenario.flows.len() {
                    self.end(f, now);
                }
                return Ok(None);
            }
            Target::Pause => (),
            Target::Ack(subflow) => {
                if self.net.delayed_acks.is_due(subflow, index, &mut self.net.events) {
                    let (c, s) = self.owners[subflow as usize];
                    self.connections[c as usize].send_ack(s as usize, &mut self.net);
                }
            }
            Target::Arrival(f) => self.on_arrival(f as usize, index, now)?,
            _ => {
                let is_handled = self.hosted.is_some() && self.handle_hosted(target, keep_going)?;
                if !is_handled {
                    self.act(target, index, now);
                }
            }
        }
        Ok(Some(now))
    }

    /// Handles any other event; `index` is what the queue has of its target.
    fn act(&mut self, target: Target, index: u32, now: Time) {
        let Simulator { connections, net, .. } = self;
        match target {
            Target::Timer(c, s) => connections[c as usize].on_timer_event(s as usize, net),
            Target::Application(c) => connections[c as usize].on_application_event(net),
            Target::Open(f) if self.pools[f as usize].is_some() => self.start_arrivals(f as usize, now),
            Target::Stop(f) if self.pools[f as usize].is_some() => (), // transfers under way are finished
            Target::Open(c) => connections[c as usize].open(net),
            Target::Stop(c) => connections[c as usize].stop(net),
            Target::Change(c, k) => self.change(c as usize, k as usize, now),
            Target::Begin(c) => self.begin(c as usize, now),
            Target::End(c) => self.end(c as usize, now),
            Target::WarmedUp => {
                self.warm = (0..self.warm.len()).map(|i| self.net.link(i).totals).collect();
            }
            Target::Sample => {
                self.sample(now);
                if now < self.scenario.duration {
                    self.net.events.schedule(now + self.scenario.record_interval, index);
                }
            }
            Target::Ack(_) | Target::Arrival(_) | Target::Endpoints(_) | Target::Finish | Target::Pause => {
                unreachable!("the loop handles them")
            }
        }
    }

    fn sample(&mut self, now: Time) {
        let own = self.scenario.flows.len();
        let (flows, others) = self.connections.split_at_mut(own);
        let others = others.iter_mut().zip(&self.measured[own..]).zip(&self.transfers);
        for ((connection, measured), transfer) in others.filter(|(_, transfer)| transfer.is_open()) {
            self.sampler.add(transfer.flow as usize, connection, measured.running);
        }
        let (measured, pools) = (&self.measured, &self.pools);
        self.sampler.take(now, flows, measured, pools, self.hosted.as_mut(), self.sink.get());
        self.sampler.take_links(now, &mut self.net, self.sink.get());
    }

    /// A connection's measurement window begins.
    pub(crate) fn begin(&mut self, c: usize, now: Time) {
        if self.pools.get(c).is_some_and(Option::is_some) {
            return self.begin_transfers(c, now);
        }
        let (connection, measured) = (&mut self.connections[c], &mut self.measured[c]);
        let (bytes, first_bytes) = connection.delivered_before(now);
        measured.bytes = bytes;
        measured.reinjected = connection.reinjected;
        measured.running = connection.completed_at.is_none();
        if !measured.running {
            measured.to = measured.from; // it had ended before
        }
        for (subflow, first_bytes) in connection.subflows.iter_mut().zip(first_bytes) {
            self.net.drops.measure(subflow.id, now);
            subflow.meter.begin(now, subflow.tx.counters, first_bytes);
        }
        if let Some(endpoints) = self.hosted.as_mut().and_then(|hosted| hosted.get_mut(c)) {
            measured.bytes = endpoints.delivered(c);
            endpoints.measure(c, now, true);
        }
        if !measured.running {
            self.close_meters(c, now);
        }
    }

    /// The measurement window ends: at the flow's stop, or when all data is delivered.
    pub(crate) fn end(&mut self, c: usize, now: Time) {
        if !self.measured[c].running {
            return;
        }
        if self.pools.get(c).is_some_and(Option::is_some) {
            return self.end_transfers(c, now);
        }
        self.measured[c].running = false;
        self.measured[c].to = now;
        self.close_meters(c, now);
        if c >= self.scenario.flows.len() {
            self.absorb(self.flow_of(c), c);
        }
    }

    fn close_meters(&mut self, c: usize, now: Time) {
        let (connection, measured) = (&mut self.connections[c], &mut self.measured[c]);
        let (bytes, first_bytes) = connection.delivered_before(now);
        let delivered = match self.hosted.as_mut().and_then(|hosted| hosted.get_mut(c)) {
            Some(endpoints) => {
                endpoints.measure(c, now, false);
                endpoints.delivered(c)
            }
            None => bytes,
        };
        measured.bytes = delivered - measured.bytes;
        measured.reinjected = connection.reinjected - measured.reinjected;
        for (subflow, first_bytes) in connection.subflows.iter_mut().zip(first_bytes) {
            let dropped = self.net.drops.measured(subflow.id);
            subflow.meter.end(now, subflow.tx.counters, dropped, first_bytes);
        }
    }

    /// Handles rare events of connection `c`.
    #[cold]
    fn attend(&mut self, c: usize, keep_going: KeepGoing<'_>) -> Result<(), SimError> {
        let packet = self.packet;
        let (now, f) = (self.net.now(), self.flow_of(c));
        let connection = &mut self.connections[c];
        connection.needs_attention = false;
        if matches!(packet.kind, Kind::Datagram | Kind::DatagramBack) {
            return self.deliver(&packet, keep_going);
        }
        if let Some(corrupt) = connection.incoming.corrupt.as_deref() {
            let flow = self.scenario.flows[f].name.clone();
            return Err(SimError::Corrupt { flow, at: now, corrupt: *corrupt });
        }
        if c >= self.scenario.flows.len() {
            return self.attend_transfer(c, keep_going);
        }
        for done in std::mem::take(&mut connection.completed) {
            match self.scenario.flows[f].application {
                Spec::Arrivals { .. } => self.note_transfer(f, done, keep_going)?,
                _ => self.note_response(f, done),
            }
        }
        if self.connections[c].completed_at.is_some() {
            self.end(c, now);
        }
        Ok(())
    }

    /// Ends every measurement at `now`, the end of the run.
    pub(crate) fn finish(&mut self, now: Time) {
        for c in 0..self.connections.len() {
            self.end(c, now);
            self.measured[c].to = self.measured[c].to.min(now);
        }
        self.count_incomplete_transfers();
        if now < self.scenario.warmup {
            self.warm = (0..self.warm.len()).map(|i| self.net.link(i).totals).collect();
        }
    }
}

/// The subflows of connection `c` of flow `f`, in the network.
pub(crate) fn subflows_of(
    scenario: &Scenario,
    seed: u64,
    (f, c): (usize, usize),
    net: &mut Network,
    owners: &mut Vec<(u32, u32)>,
) -> Vec<Subflow> {
    let flow = &scenario.flows[f];
    let observables = flow.cc.entry.observables.len();
    let ahead = net.may_be_ahead && ahead::is_certain(flow, scenario, net);
    let mut subflows = Vec::with_capacity(flow.paths.len());
    for (p, path) in flow.paths.iter().enumerate() {
        let delay =
            |links: &[usize]| links.iter().fold(Time::ZERO, |sum, l| sum + scenario.links[*l].spec.delay);
        let back = if path.return_links.is_empty() { delay(&path.links) } else { Time::ZERO };
        let random = Random::new(seed ^ JITTER_SEED, owners.len() as u64);
        let jitter = scenario.host_jitter(f, p);
        let id = net.add_subflow(&path.links, &path.return_links, back, (jitter, random), ahead);
        let mut subflow = Subflow::new(id, path.backup, flow.tcp.min_rto, observables);
        subflow.wanted = flow.joins_at_start(p);
        subflow.ahead = ahead;
        subflow.offers_ahead = ahead && path.links.len() == 1;
        subflow.last_link = path.links.last().map_or(0, |link| *link as u32);
        subflows.push(subflow);
        owners.push((c as u32, p as u32));
    }
    subflows
}

/// Checks the limits of the simulator. `hosted`: whether the end points of a flow are its own.
fn check(scenario: &Scenario, hosted: impl Fn(usize) -> bool) -> Result<(), SimError> {
    for (f, flow) in scenario.flows.iter().enumerate() {
        let cannot = |why| Err(SimError::Flow { flow: flow.name.clone(), why });
        if flow.cc.is_of_stack() && !hosted(f) {
            let cc = flow.cc.entry.name;
            return cannot(format!(
                ": {cc} is a controller of a QUIC stack, and this flow is not QUIC: \
                 use `--backend noq` without `transport = \"tcp\"`, or another `cc`"
            ));
        }
        let (paths, most) = (flow.paths.len(), flow.cc.max_paths());
        if paths > most {
            return cannot(format!(" has {paths} paths, the limit of its algorithm is {most}"));
        }
        let hops = flow.paths.iter().map(|p| p.links.len().max(p.return_links.len() + 1)).max();
        if hops > Some(MAX_HOPS + 1) {
            return cannot(" has a path with more than 65534 links".into());
        }
        let (mss, dss) = (flow.tcp.mss, Dss::new(paths > 1, flow.tcp.long_dss));
        if mss <= dss.mapping || mss > u16::MAX - 200 {
            return cannot(format!(": the mss of {mss} bytes is out of range, it must be from 21 to 65335"));
        }
    }
    Ok(())
}
