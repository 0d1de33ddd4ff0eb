//! Stores samples until the run ends, as the sink may be slow.

use crate::emulator::{SeenPacket, Snapshot};
use crate::meter::State;
use crate::observe::Observer;
use crate::traffic::Completed;
use anabranch_net::Time;
use anabranch_record::{CompletionSample, Histogram, Layout, LinkSample, PacketSample, Sink, SubflowSample};
use anabranch_scenario::Scenario;

/// Of each flow, the states of its subflows.
type States = Vec<Vec<Option<State>>>;

/// Everything that a sink receives, and the completed responses.
pub(crate) struct Recording<'a> {
    scenario: &'a Scenario,
    pub wants_samples: bool,
    /// Times in seconds, with the states of subflows, and of links and paths.
    samples: Vec<(f64, States, Snapshot)>,
    /// Responses with their flows.
    pub completed: Vec<(usize, Completed)>,
    /// All packets at the senders' hosts.
    pub packets: Vec<SeenPacket>,
}

impl<'a> Recording<'a> {
    pub fn new(scenario: &'a Scenario, wants_samples: bool) -> Self {
        Recording { scenario, wants_samples, samples: vec![], completed: vec![], packets: vec![] }
    }

    pub fn sample(&mut self, now: Time, observer: &Observer<'_>, snapshot: Snapshot) {
        let states = observer.flows.iter().map(|flow| flow.states.clone()).collect();
        self.samples.push((now.as_secs_f64(), states, snapshot));
    }

    /// The completion times of a flow's responses after the warm-up, and their sum in seconds.
    pub fn completion_times(&self, flow: usize) -> (Histogram, f64) {
        let (mut times, mut sum) = (Histogram::default(), 0.0);
        let own = self.completed.iter().filter(|(f, one)| *f == flow && one.at >= self.scenario.warmup);
        for (_, one) in own {
            times.record(one.took.as_nanos());
            sum += one.took.as_secs_f64();
        }
        (times, sum)
    }

    /// Writes all samples to a sink in order of time.
    pub fn replay(&self, sink: &mut dyn Sink) {
        let flows = self.scenario.flows.iter().enumerate();
        // The packets' paths are counted over all flows.
        let paths: Vec<_> = flows.flat_map(|(f, flow)| (0..flow.paths.len()).map(move |p| (f, p))).collect();
        for SeenPacket { at, path, length, headers } in &self.packets {
            let (flow, path) = paths[*path];
            sink.packet(&PacketSample { at: *at, flow, path, length: *length, headers });
        }
        if !self.wants_samples {
            return;
        }
        sink.begin(&Layout::of(self.scenario));
        let mut completed: Vec<&(usize, Completed)> = self.completed.iter().collect();
        completed.sort_by_key(|(flow, one)| (one.at, *flow));
        let mut completed = completed.into_iter().peekable();
        for (time_s, flows, snapshot) in &self.samples {
            for (flow, states) in flows.iter().enumerate() {
                for (subflow, state) in states.iter().enumerate() {
                    let Some(State { sample, observables, .. }) = state else { continue };
                    sink.subflow(&SubflowSample { time_s: *time_s, flow, subflow, observables, ..*sample });
                }
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
}

fn replay_completion(flow: usize, one: &Completed, sink: &mut dyn Sink) {
    let (at_s, took_s) = (one.at.as_secs_f64(), one.took.as_secs_f64());
    sink.completion(&CompletionSample::response(at_s, flow, one.bytes, took_s));
}
