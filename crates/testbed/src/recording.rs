//! Stores samples until the run ends, as the sink may be slow.

use crate::emulator::{SeenPacket, Snapshot};
use crate::meter::State;
use crate::traffic::Completed;
use anabranch_net::Time;
use anabranch_record::{CompletionSample, Histogram, Layout, LinkSample, PacketSample, Sink, SubflowSample};
use anabranch_scenario::Scenario;

/// Everything that a sink receives, and the completed responses.
pub(crate) struct Recording {
    wanted: bool,
    layout: Layout,
    warmup: Time,
    subflows: Vec<(f64, usize, usize, State)>,
    links: Vec<(f64, Snapshot)>,
    completed: Vec<(usize, Completed)>,
    observables: Vec<usize>,
    /// The flow and the path of each path, counted over all flows.
    paths: Vec<(usize, usize)>,
    packets: Vec<SeenPacket>,
}

impl Recording {
    pub fn new(scenario: &Scenario, wanted: bool) -> Self {
        Recording {
            wanted,
            layout: Layout::of(scenario),
            warmup: scenario.warmup,
            subflows: vec![],
            links: vec![],
            completed: vec![],
            observables: scenario.flows.iter().map(|flow| flow.cc.entry.observables.len()).collect(),
            paths: (scenario.flows.iter().enumerate())
                .flat_map(|(f, flow)| (0..flow.paths.len()).map(move |path| (f, path)))
                .collect(),
            packets: vec![],
        }
    }

    pub fn wants_samples(&self) -> bool {
        self.wanted
    }

    pub fn subflows(&mut self, now: Time, flow: usize, states: &[Option<State>]) {
        let known = states.iter().enumerate().filter_map(|(s, state)| Some((s, state.clone()?)));
        self.subflows.extend(known.map(|(s, state)| (now.as_secs_f64(), flow, s, state)));
    }

    pub fn links(&mut self, now: Time, snapshot: &Snapshot) {
        self.links.push((now.as_secs_f64(), snapshot.clone()));
    }

    pub fn completions(&mut self, flow: usize, completed: Vec<Completed>) {
        self.completed.extend(completed.into_iter().map(|one| (flow, one)));
    }

    /// All packets at the senders' hosts.
    pub fn packets(&mut self, packets: Vec<SeenPacket>) {
        self.packets = packets;
    }

    /// The completion times of a flow's responses after the warm-up, and their sum in seconds.
    pub fn completion_times(&self, flow: usize) -> (Histogram, f64) {
        let (mut times, mut sum) = (Histogram::default(), 0.0);
        let own = self.completed.iter().filter(|(f, one)| *f == flow && one.at >= self.warmup);
        for (_, one) in own {
            times.record(one.took.as_nanos());
            sum += one.took.as_secs_f64();
        }
        (times, sum)
    }

    /// Writes all samples to a sink in order of time.
    pub fn replay(&self, sink: &mut dyn Sink) {
        for SeenPacket { at, path, length, headers } in &self.packets {
            let (flow, path) = self.paths[*path];
            sink.packet(&PacketSample { at: *at, flow, path, length: *length, headers });
        }
        if !self.wanted {
            return;
        }
        sink.begin(&self.layout);
        let mut subflows = self.subflows.iter().peekable();
        let mut completed: Vec<&(usize, Completed)> = self.completed.iter().collect();
        completed.sort_by_key(|(flow, one)| (one.at, *flow));
        let mut completed = completed.into_iter().peekable();
        for (time_s, snapshot) in &self.links {
            while let Some((at, flow, subflow, state)) = subflows.next_if(|(at, ..)| at <= time_s) {
                self.replay_subflow(*at, *flow, *subflow, state, sink);
            }
            for (link, (totals, waiting)) in snapshot.links.iter().enumerate() {
                sink.link(&LinkSample {
                    time_s: *time_s,
                    link,
                    queue_bytes: waiting.bytes,
                    queue_packets: waiting.packets,
                    drops: totals.drops,
                    marks: totals.marked,
                    losses: totals.losses,
                });
            }
            while let Some((flow, one)) = completed.next_if(|(_, one)| one.at.as_secs_f64() <= *time_s) {
                replay_completion(*flow, one, sink);
            }
        }
        completed.for_each(|(flow, one)| replay_completion(*flow, one, sink));
    }

    fn replay_subflow(&self, time_s: f64, flow: usize, subflow: usize, state: &State, sink: &mut dyn Sink) {
        let mut observables = state.observables.clone();
        observables.resize(self.observables[flow], f64::NAN);
        sink.subflow(&SubflowSample {
            time_s,
            flow,
            subflow,
            cwnd_segments: state.cwnd,
            ssthresh_segments: state.ssthresh,
            srtt_s: state.srtt_s,
            in_flight_segments: state.in_flight,
            sent_bytes: state.sent_bytes,
            delivered_bytes: state.counters.acked_bytes,
            // The kernel does not count segments deemed lost; it retransmits them.
            lost_segments: state.counters.retransmitted,
            retransmitted_segments: state.counters.retransmitted,
            observables: &observables,
        });
    }
}

fn replay_completion(flow: usize, one: &Completed, sink: &mut dyn Sink) {
    sink.completion(&CompletionSample {
        time_s: one.at.as_secs_f64(),
        flow,
        bytes: one.bytes,
        completion_s: one.took.as_secs_f64(),
        slowdown: f64::NAN,
        times_alone: f64::NAN,
    });
}
