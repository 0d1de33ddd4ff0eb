//! The event loop.

use crate::QuicError;
use crate::clock::Clock;
use crate::flow::Flow;
use crate::network::{Datagram, End, Fate, Network};
use crate::refused::check;
use anabranch_net::{Random, Time, Totals};
use anabranch_record::{
    FlowSummary, KeepGoing, Layout, LinkSample, LinkSummary, Sink, SubflowSample, Summary,
};
use anabranch_scenario::Scenario;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The jitter of receiving hosts.
const JITTER_SEED: u64 = 0x7175_6963_206a_6974;
/// Events between calls of `keep_going`.
const EVENTS: u64 = 1 << 13;
/// More events at one instant than any scenario has: virtual time stands.
const EVENTS_AT_ONCE: u64 = 10_000_000;

enum Event {
    Begin(usize),
    End(usize),
    Open(usize),
    Stop(usize),
    WarmedUp,
    Sample,
    Finish,
    Timer(usize, End),
    Wake(usize),
    Arrive(Box<Datagram>),
}

/// An event at its time, and its number.
struct At(Time, u64, Event);

impl Ord for At {
    /// The earliest is the greatest; at one time, the one that was scheduled first.
    fn cmp(&self, other: &At) -> Ordering {
        (other.0, other.1).cmp(&(self.0, self.1))
    }
}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &At) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for At {
    fn eq(&self, other: &At) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for At {}

/// A path between two ends.
struct Way {
    forward: Vec<usize>,
    back: Vec<usize>,
    /// The delay of a way back without links.
    delay: Time,
    jitter: Time,
    random: Random,
    /// When the latest datagram back left; later ones do not overtake it.
    last: Time,
    /// Datagrams dropped among those sent since the measurement began.
    dropped: u64,
}

/// Where a flow's measurement stands.
#[derive(Clone, Copy)]
struct Measured {
    from: Time,
    to: Time,
    running: bool,
    bytes: u64,
}

struct Run<'a> {
    scenario: &'a Scenario,
    seed: u64,
    now: Time,
    events: BinaryHeap<At>,
    scheduled: u64,
    network: Network,
    flows: Vec<Flow>,
    ways: Vec<Vec<Way>>,
    measured: Vec<Measured>,
    warm: Vec<Totals>,
    sink: &'a mut dyn Sink,
    wants_samples: bool,
}

/// Runs a scenario to its end, with every flow as a QUIC connection.
///
/// # Errors
/// [`QuicError`].
pub fn run(
    scenario: &Scenario,
    seed: u64,
    sink: &mut dyn Sink,
    keep_going: KeepGoing<'_>,
) -> Result<Summary, QuicError> {
    check(scenario)?;
    let mut run = Run::new(scenario, seed, sink)?;
    let (mut done, mut at_once) = (0u64, 0u64);
    while let Some(At(now, _, event)) = run.events.pop() {
        at_once = if now == run.now { at_once + 1 } else { 0 };
        run.now = now;
        if at_once > EVENTS_AT_ONCE {
            return Err(QuicError::Livelock { at: now });
        }
        if matches!(event, Event::Finish) {
            break;
        }
        run.handle(event)?;
        done += 1;
        if done.is_multiple_of(EVENTS) && !keep_going(now) {
            run.interrupt();
            return Err(QuicError::Interrupted { at: now, partial: Box::new(run.summary()) });
        }
    }
    Ok(run.summary())
}

impl<'a> Run<'a> {
    fn new(scenario: &'a Scenario, seed: u64, sink: &'a mut dyn Sink) -> Result<Run<'a>, QuicError> {
        let clock = Clock::new();
        let flows = scenario.flows.iter().enumerate().map(|(f, flow)| Flow::new(f, flow, seed, clock));
        let flows = flows.collect::<Result<_, _>>()?;
        let wants_samples = sink.wants_samples();
        if wants_samples {
            sink.begin(&Layout::of(scenario));
        }
        let measured = scenario.flows.iter().map(|flow| Measured {
            from: scenario.warmup.max(flow.start),
            to: flow.stop.min(scenario.duration),
            running: false,
            bytes: 0,
        });
        let mut run = Run {
            scenario,
            seed,
            now: Time::ZERO,
            events: BinaryHeap::new(),
            scheduled: 0,
            network: Network::new(scenario.links.iter().map(|link| &link.spec), seed),
            flows,
            ways: ways(scenario, seed),
            measured: measured.collect(),
            warm: vec![Totals::default(); scenario.links.len()],
            sink,
            wants_samples,
        };
        for f in 0..scenario.flows.len() {
            let Measured { from, to, .. } = run.measured[f];
            if from < to {
                run.at(from, Event::Begin(f));
                run.at(to, Event::End(f));
            }
        }
        run.at(scenario.warmup, Event::WarmedUp);
        run.at(scenario.duration, Event::Finish);
        run.at(Time::ZERO, Event::Sample);
        for (f, start) in scenario.opening_times(seed).into_iter().enumerate() {
            let stop = scenario.flows[f].stop;
            if start < stop {
                run.at(start, Event::Open(f));
                run.at(stop, Event::Stop(f));
            }
        }
        Ok(run)
    }

    fn at(&mut self, time: Time, event: Event) {
        self.events.push(At(time, self.scheduled, event));
        self.scheduled += 1;
    }

    fn handle(&mut self, event: Event) -> Result<(), QuicError> {
        let (now, mut out) = (self.now, Vec::new());
        match event {
            Event::Begin(f) => self.begin(f),
            Event::End(f) => self.end(f),
            Event::WarmedUp => self.warm = self.network.totals(now),
            Event::Sample => {
                self.sample();
                self.at(now + self.scenario.record.interval, Event::Sample);
            }
            Event::Open(f) => {
                self.flows[f].open(now, &mut out)?;
                self.after(f, out);
            }
            Event::Stop(f) => {
                self.flows[f].stop(now, &mut out)?;
                self.after(f, out);
            }
            Event::Timer(f, end) => {
                self.flows[f].timer(now, end, &mut out)?;
                self.after(f, out);
            }
            Event::Wake(link) => {
                if self.network.wakes(now, link) {
                    let mut fates = Vec::new();
                    self.network.collect(now, link, &mut fates);
                    self.follow(link, fates);
                }
            }
            Event::Arrive(datagram) => {
                let (f, way) = (datagram.flow, &self.ways[datagram.flow][datagram.path]);
                let route = if datagram.to == End::Server { &way.forward } else { &way.back };
                match route.get(datagram.hop).copied() {
                    Some(link) => {
                        let mut fates = Vec::new();
                        self.network.offer(now, link, *datagram, &mut fates);
                        self.follow(link, fates);
                    }
                    None => {
                        self.flows[f].receive(now, *datagram, &mut out)?;
                        self.after(f, out);
                        if self.flows[f].is_complete {
                            self.end(f);
                        }
                    }
                }
            }
            Event::Finish => (),
        }
        Ok(())
    }

    /// Sends what flow `f` gave, and schedules its timers.
    fn after(&mut self, f: usize, out: Vec<Datagram>) {
        for datagram in out {
            let way = &mut self.ways[f][datagram.path];
            let leaves = match datagram.to {
                End::Server => self.now,
                End::Client => {
                    let jitter = Time::from_nanos_f64(way.random.uniform() * way.jitter.as_nanos_f64());
                    way.last = (self.now + jitter + way.delay).max(way.last);
                    way.last
                }
            };
            self.at(leaves, Event::Arrive(Box::new(datagram)));
        }
        for end in [End::Client, End::Server] {
            if let Some(at) = self.flows[f].next_timer(self.now, end) {
                self.at(at, Event::Timer(f, end));
            }
        }
    }

    /// Moves datagrams on whose fate on `link` is decided.
    fn follow(&mut self, link: usize, fates: Vec<Fate>) {
        for fate in fates {
            match fate {
                Fate::Arrives(at, datagram) => self.at(at, Event::Arrive(Box::new(datagram))),
                Fate::Dropped(datagram) => {
                    let is_measured = datagram.sent_at >= self.measured[datagram.flow].from;
                    if datagram.to == End::Server && is_measured && self.measured[datagram.flow].running {
                        self.ways[datagram.flow][datagram.path].dropped += 1;
                    }
                }
            }
        }
        if let Some(at) = self.network.next_wake(link) {
            self.at(at, Event::Wake(link));
        }
    }

    fn begin(&mut self, f: usize) {
        let (flow, measured) = (&self.flows[f], &mut self.measured[f]);
        measured.bytes = flow.delivered;
        measured.running = true;
        flow.controlled.lock().observer().begin(self.now);
        if flow.is_complete {
            self.end(f); // it had ended before
        }
    }

    fn end(&mut self, f: usize) {
        let (flow, measured) = (&self.flows[f], &mut self.measured[f]);
        if measured.running {
            measured.running = false;
            measured.to = self.now;
            measured.bytes = flow.delivered - measured.bytes;
            flow.controlled.lock().observer().end(self.now);
        }
    }

    /// Ends all measurements now, also those that have not begun.
    fn interrupt(&mut self) {
        for f in 0..self.flows.len() {
            self.end(f);
            self.measured[f].to = self.measured[f].to.min(self.now);
        }
        if self.now < self.scenario.warmup {
            self.warm = self.network.totals(self.now);
        }
    }

    fn sample(&mut self) {
        let time_s = self.now.as_secs_f64();
        for (f, flow) in self.flows.iter().enumerate() {
            let mut values = vec![f64::NAN; self.scenario.flows[f].cc.entry.observables.len()];
            let mut state = flow.controlled.lock();
            let open = state.paths().map(|(r, path)| {
                let in_flight = (path.in_flight() as f64 / path.mtu()).ceil() as u64;
                (r, path.id(), path.srtt(), in_flight)
            });
            for (r, subflow, srtt_s, in_flight_segments) in open.collect::<Vec<_>>() {
                state.group().observe(r, &mut values);
                let row = *state.group().path(r);
                let meter = &mut state.observer().paths[subflow];
                meter.observe(srtt_s, &values);
                if self.wants_samples {
                    let counters = &meter.counters;
                    self.sink.subflow(&SubflowSample {
                        time_s,
                        flow: f,
                        subflow,
                        cwnd_segments: row.cwnd,
                        ssthresh_segments: row.ssthresh,
                        srtt_s,
                        in_flight_segments,
                        sent_bytes: counters.sent_bytes,
                        delivered_bytes: counters.delivered_bytes,
                        lost_segments: counters.deemed_lost,
                        retransmitted_segments: counters.deemed_lost,
                        observables: &values,
                    });
                }
            }
        }
        if self.wants_samples {
            let (totals, waiting) = (self.network.totals(self.now), self.network.waiting(self.now));
            for (link, (totals, waiting)) in totals.iter().zip(&waiting).enumerate() {
                self.sink.link(&LinkSample {
                    time_s,
                    link,
                    queue_bytes: waiting.bytes,
                    queue_packets: waiting.packets,
                    drops: totals.drops,
                    marks: totals.marked,
                    losses: totals.losses,
                });
            }
        }
    }

    fn summary(&mut self) -> Summary {
        let layouts = Layout::of(self.scenario).flows;
        let mut flows = Vec::new();
        for (f, layout) in layouts.iter().enumerate() {
            let measured = self.measured[f];
            let seconds = measured.to.since(measured.from).as_secs_f64();
            let mut state = self.flows[f].controlled.lock();
            let meters = &state.observer().paths;
            let unopened = crate::meter::PathMeter::new(layout.observables.len());
            let path =
                |(p, way): (usize, &Way)| meters.get(p).unwrap_or(&unopened).measured(seconds, way.dropped);
            let paths = self.ways[f].iter().enumerate().map(path);
            flows.push(FlowSummary::of(layout, measured.bytes, seconds, paths));
        }
        let seconds = self.now.since(self.scenario.warmup).as_secs_f64();
        let totals = self.network.totals(self.now);
        let links = self.scenario.links.iter().zip(totals).zip(&self.warm);
        let links =
            links.map(|((link, totals), warm)| LinkSummary::of(&link.name, &totals.since(warm), seconds));
        Summary::of_run(self.scenario, self.seed, self.now, flows, links.collect())
    }
}

fn ways(scenario: &Scenario, seed: u64) -> Vec<Vec<Way>> {
    let mut stream = 0;
    let mut way = |f: usize, p: usize| {
        let path = &scenario.flows[f].paths[p];
        let delay = |links: &[usize]| {
            links.iter().fold(Time::ZERO, |sum, link| sum + scenario.links[*link].spec.delay)
        };
        stream += 1;
        Way {
            forward: path.links.clone(),
            back: path.return_links.clone(),
            delay: if path.return_links.is_empty() { delay(&path.links) } else { Time::ZERO },
            jitter: scenario.host_jitter(f, p),
            random: Random::new(seed ^ JITTER_SEED, stream),
            last: Time::ZERO,
            dropped: 0,
        }
    };
    let flows = scenario.flows.iter().enumerate();
    flows.map(|(f, flow)| (0..flow.paths.len()).map(|p| way(f, p)).collect()).collect()
}
