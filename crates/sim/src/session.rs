//! A run that a program steps, observes and steers.

use crate::held::{Held, SinkOf};
use crate::network::LinkNow;
use crate::simulator::Simulator;
use crate::subflow::Stage;
use crate::target::Target;
use crate::{SimError, summary};
use anabranch_cc::registry::{Entry, Kind};
use anabranch_cc::{Ack, Algorithm, Congestion, Path};
use anabranch_net::{Loss, Steering, Time};
use anabranch_record::{MemorySink, NoSamples, Summary};
use anabranch_scenario::{Application, CongestionControl, Connections, Scenario};
use std::sync::Arc;

/// A run in steps. What it does depends on the scenario, the seed and the calls alone; without changes, it is the run of
/// [`crate::run`].
pub struct Session {
    simulator: Simulator<'static>,
    /// The event target of the ends of steps.
    pause: u32,
    now: Time,
    is_over: bool,
    /// The present state of each link.
    links: Vec<Steering>,
    /// Whether a link was changed.
    is_steered: bool,
    /// For each controlled flow and subflow, what to set once it is established.
    wanted: Vec<Option<Vec<Wanted>>>,
}

#[derive(Clone, Copy, Default)]
struct Wanted {
    cwnd: Option<f64>,
    pacing_rate: Option<Option<f64>>,
}

/// A flow at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowNow {
    /// Payload bytes delivered in order so far.
    pub delivered_bytes: u64,
    /// Each of its subflows.
    pub subflows: Vec<SubflowNow>,
}

/// A subflow at an instant; counters are from the start of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubflowNow {
    /// Whether it carries data.
    pub up: bool,
    /// Congestion window, in segments; 0 unless it is up.
    pub cwnd_segments: f64,
    /// In segments per second.
    pub pacing_rate: Option<f64>,
    /// Smoothed round-trip time; 0 before the first sample.
    pub srtt_s: f64,
    /// The smallest round-trip time; infinite before the first sample.
    pub min_rtt_s: f64,
    /// Segments sent and neither acknowledged nor deemed lost.
    pub in_flight_segments: u64,
    /// Payload bytes sent, first transmissions only.
    pub sent_bytes: u64,
    /// Payload bytes delivered.
    pub delivered_bytes: u64,
    /// Segments deemed lost.
    pub lost_segments: u64,
    /// Segments retransmitted.
    pub retransmitted_segments: u64,
}

/// The algorithm of controlled flows: it leaves the window to the caller, in recovery too. A timeout sets it to one segment.
static EXTERNAL: Entry = Entry {
    name: "external",
    title: "set from outside, by a session",
    kind: Kind::Coupled,
    source: "",
    equations: &[],
    interpretations: &[],
    params: &[],
    observables: &[],
    build: |_| Box::new(External),
};

#[derive(Clone)]
struct External;

impl Algorithm for External {
    fn acked(&mut self, _: &mut [Path], _: usize, _: &Ack) {}
    fn congestion(&mut self, _: &mut [Path], _: usize, _: &Congestion) {}

    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn is_model_based(&self) -> bool {
        true
    }
}

impl Session {
    /// A session at time 0. The windows of the flows `controlled`, by their indices, are set by the caller. `sampled`: samples
    /// are kept.
    ///
    /// # Errors
    /// As [`crate::run`], and [`SimError::Flow`] of a controlled flow with a connection for each transfer.
    pub fn new(
        mut scenario: Scenario,
        seed: u64,
        controlled: &[usize],
        sampled: bool,
    ) -> Result<Session, SimError> {
        for f in controlled {
            let flow = &mut scenario.flows[*f];
            if matches!(flow.application, Application::Arrivals { connections: Connections::New, .. }) {
                let why = " opens a connection for each transfer: set `connections = \"one\"` to control it";
                return Err(SimError::Flow { flow: flow.name.clone(), why: why.into() });
            }
            flow.cc = CongestionControl { entry: &EXTERNAL, params: vec![] };
            flow.penalise = false; // the window is the caller's
            scenario.hash += "+external";
        }
        let link = |link: &anabranch_scenario::NamedLink| Steering {
            rate_bps: link.spec.rate_bps,
            delay: link.spec.delay,
            up: true,
            loss: None,
        };
        let links = scenario.links.iter().map(link).collect();
        let wanted = scenario
            .flows
            .iter()
            .enumerate()
            .map(|(f, flow)| controlled.contains(&f).then(|| vec![Wanted::default(); flow.paths.len()]));
        let wanted = wanted.collect();
        let sink = if sampled { SinkOf::Kept(Box::new(MemorySink::new())) } else { SinkOf::None(NoSamples) };
        let mut simulator = Simulator::with(Held::Shared(Arc::new(scenario)), seed, sink, None, false)?;
        let pause = simulator.add_target(Target::Pause);
        let mut session =
            Session { simulator, pause, now: Time::ZERO, is_over: false, links, is_steered: false, wanted };
        for link in 0..session.links.len() {
            if session.can_set_link(link) {
                session.simulator.net.let_steer(link);
            }
        }
        Ok(session)
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.simulator.scenario
    }

    /// The simulated time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether the scenario has ended.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// A copy with the same state, which then goes its own way; `None` if an algorithm cannot be copied.
    pub fn fork(&self) -> Option<Session> {
        Some(Session {
            simulator: self.simulator.copy()?,
            links: self.links.clone(),
            wanted: self.wanted.clone(),
            ..*self
        })
    }

    /// Runs until `until`, at most to the end of the scenario. Returns false if `keep_going` did, which is called now and then:
    /// the session then stands between two steps, at the time of its last event.
    pub fn advance(&mut self, until: Time, keep_going: &mut dyn FnMut() -> bool) -> Result<bool, SimError> {
        let until = until.min(self.simulator.scenario.duration);
        if self.is_over || until <= self.now {
            return Ok(true);
        }
        let net = &mut self.simulator.net;
        net.events.schedule(until, self.pause);
        let pause = self.pause;
        let mut events = 0u32;
        loop {
            let is_end = self.simulator.net.events.peek() == Some((until, pause));
            match self.simulator.step(&mut |_| true)? {
                None => {
                    self.is_over = true;
                    self.now = self.simulator.scenario.duration;
                    break;
                }
                Some(now) => self.now = now,
            }
            if is_end {
                break;
            }
            events += 1;
            if events & 0xffff == 0 && !keep_going() {
                return Ok(false);
            }
        }
        for f in 0..self.wanted.len() {
            self.set_wanted(f);
        }
        Ok(true)
    }

    fn set_wanted(&mut self, f: usize) {
        let Simulator { connections, net, .. } = &mut self.simulator;
        for (s, wanted) in self.wanted[f].iter_mut().flatten().enumerate() {
            let Wanted { cwnd, pacing_rate } = *wanted;
            if (cwnd.is_some() || pacing_rate.is_some()) && connections[f].steer(s, cwnd, pacing_rate, net) {
                *wanted = Wanted::default();
            }
        }
    }

    /// Sets the window, in segments, of a subflow of a controlled flow: at once if it is established, else after the step in
    /// which it is.
    pub fn set_cwnd(&mut self, f: usize, s: usize, segments: f64) {
        if let Some(wanted) = &mut self.wanted[f] {
            wanted[s].cwnd = Some(segments);
            self.set_wanted(f);
        }
    }

    /// The same of the pacing rate, in segments per second; `None` sends as the window opens.
    pub fn set_pacing_rate(&mut self, f: usize, s: usize, rate: Option<f64>) {
        if let Some(wanted) = &mut self.wanted[f] {
            wanted[s].pacing_rate = Some(rate);
            self.set_wanted(f);
        }
    }

    /// Whether a link can be changed: it has no trace, no planned changes, no clock and no reordering.
    pub fn can_set_link(&self, link: usize) -> bool {
        let spec = &self.simulator.scenario.links[link].spec;
        let reorders = spec.jitter.reorder_rate > 0.0;
        spec.trace.is_none() && spec.changes.is_empty() && spec.tick == Time::ZERO && !reorders
    }

    /// Changes a link now; `None` leaves a property. What is set while it is down holds when it is up again.
    pub fn set_link(
        &mut self,
        link: usize,
        rate_bps: Option<f64>,
        delay: Option<Time>,
        loss: Option<Loss>,
        up: Option<bool>,
    ) {
        self.is_steered = true;
        let state = &mut self.links[link];
        *state = Steering {
            rate_bps: rate_bps.unwrap_or(state.rate_bps),
            delay: delay.unwrap_or(state.delay),
            up: up.unwrap_or(state.up),
            loss,
        };
        self.simulator.net.steer(link, &self.links[link]);
    }

    /// The flows.
    pub fn flows(&self) -> Vec<FlowNow> {
        let flows = &self.simulator.connections[..self.simulator.scenario.flows.len()];
        let flow = |c: &crate::connection::Connection| FlowNow {
            delivered_bytes: c.incoming.stream.bytes,
            subflows: c.subflows.iter().map(|subflow| now(c, subflow)).collect(),
        };
        flows.iter().map(flow).collect()
    }

    /// The links.
    pub fn links(&mut self) -> Vec<LinkNow> {
        (0..self.links.len()).map(|i| self.simulator.net.link(i)).collect()
    }

    /// Ends the session: the record up to now, and the samples.
    pub fn finish(mut self) -> (Summary, MemorySink) {
        let now = self.now;
        self.simulator.finish(now);
        let mut summary = summary::summarise(&mut self.simulator, now);
        if self.is_steered {
            summary.scenario_hash += "+steered"; // another run than the scenario's
        }
        let samples = match self.simulator.sink {
            SinkOf::Kept(samples) => *samples,
            _ => MemorySink::new(),
        };
        (summary, samples)
    }
}

fn now(connection: &crate::connection::Connection, subflow: &crate::subflow::Subflow) -> SubflowNow {
    let up = matches!(subflow.stage, Stage::Up | Stage::Closing);
    let path = up.then(|| connection.cc.path(subflow.tx.row));
    let counters = subflow.tx.counters;
    SubflowNow {
        up,
        cwnd_segments: path.map_or(0.0, |path| path.cwnd),
        pacing_rate: path.and_then(|path| path.pacing_rate),
        srtt_s: subflow.tx.rtt.smoothed_s(),
        min_rtt_s: path.map_or(f64::INFINITY, |path| path.min_rtt),
        in_flight_segments: subflow.tx.board.in_flight(),
        sent_bytes: counters.sent_bytes,
        delivered_bytes: counters.delivered_bytes,
        lost_segments: subflow.tx.board.deemed_lost,
        retransmitted_segments: counters.resent,
    }
}
