//! Samples over time, and who receives them.

use crate::{LinkSample, SubflowSample};
use anabranch_net::Time;
use anabranch_scenario::{Flow, Scenario};

/// The subjects of a run's samples; given to a [`Sink`] before the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Each connection, in the summary's order.
    pub flows: Vec<FlowLayout>,
    /// Names of the links, in the summary's order.
    pub links: Vec<String>,
}

/// One connection of a [`Layout`].
#[derive(Clone, Debug, PartialEq)]
pub struct FlowLayout {
    /// The flow's name.
    pub name: String,
    /// Its algorithm.
    pub cc: String,
    /// For each subflow the names of its links.
    pub paths: Vec<Vec<String>>,
    /// Names of the algorithm's observables, in the order of [`SubflowSample::observables`].
    pub observables: Vec<&'static str>,
}

impl Layout {
    /// Of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        Layout {
            flows: scenario.flows.iter().map(|flow| FlowLayout::of(flow, scenario)).collect(),
            links: scenario.links.iter().map(|link| link.name.clone()).collect(),
        }
    }
}

impl FlowLayout {
    /// Of a flow of a scenario.
    pub fn of(flow: &Flow, scenario: &Scenario) -> Self {
        let name = |link: &usize| scenario.links[*link].name.clone();
        FlowLayout {
            name: flow.name.clone(),
            cc: flow.cc.entry.name.to_owned(),
            paths: flow.paths.iter().map(|path| path.links.iter().map(name).collect()).collect(),
            observables: flow.cc.entry.observables.iter().map(|o| o.name).collect(),
        }
    }
}

/// A response (request/response applications) or a transfer (arrivals) that completed.
#[derive(Clone, Copy, Debug)]
pub struct CompletionSample {
    /// When its last byte arrived, in seconds.
    pub time_s: f64,
    /// Index of the flow.
    pub flow: usize,
    /// Its size.
    pub bytes: u64,
    /// Time since the request, or since the transfer arrived, in seconds.
    pub completion_s: f64,
    /// That ÷ the ideal time of such a transfer, whatever its algorithm; NaN of responses.
    pub slowdown: f64,
    /// That ÷ the time of the same transfer with the same algorithm alone in the idle network; NaN of responses.
    pub times_alone: f64,
}

impl CompletionSample {
    /// Of a response, which has no slowdown: only transfers have one.
    pub fn response(time_s: f64, flow: usize, bytes: u64, completion_s: f64) -> Self {
        let (slowdown, times_alone) = (f64::NAN, f64::NAN);
        CompletionSample { time_s, flow, bytes, completion_s, slowdown, times_alone }
    }
}

/// A packet of a sender's host on a kernel.
#[derive(Clone, Copy, Debug)]
pub struct PacketSample<'a> {
    /// When the host sent or received it.
    pub at: Time,
    /// Index of the flow.
    pub flow: usize,
    /// Index of the flow's path.
    pub path: usize,
    /// Its length from the IP header on, in bytes.
    pub length: u32,
    /// Its headers, IP's first.
    pub headers: &'a [u8],
}

/// Receives samples in order of time. The methods do nothing unless overridden.
///
/// A failed sink keeps its error for its owner: the run continues.
pub trait Sink: Send {
    /// True if it wants samples; if not, a run does not take samples.
    fn wants_samples(&self) -> bool {
        true
    }
    /// True if it wants packets; a run on a kernel then captures the headers at the senders' hosts.
    fn wants_packets(&self) -> bool {
        false
    }
    /// Receives the subjects of the samples.
    fn begin(&mut self, _: &Layout) {}
    /// Flows or subflows were appended to the layout, as when recording a capture or a kernel.
    fn extend(&mut self, _: &Layout) {}
    /// A subflow's sample.
    fn subflow(&mut self, _: &SubflowSample<'_>) {}
    /// A link's sample.
    fn link(&mut self, _: &LinkSample) {}
    /// A response or a transfer that completed.
    fn completion(&mut self, _: &CompletionSample) {}
    /// A packet, in order of time among packets.
    fn packet(&mut self, _: &PacketSample<'_>) {}
}

/// Receives the run's time at regular intervals; false ends the run.
pub type KeepGoing<'a> = &'a mut dyn FnMut(Time) -> bool;

/// Gives each sample to all of these sinks.
pub struct Sinks<'a>(pub Vec<&'a mut dyn Sink>);

impl Sink for Sinks<'_> {
    fn wants_samples(&self) -> bool {
        self.0.iter().any(|sink| sink.wants_samples())
    }

    fn wants_packets(&self) -> bool {
        self.0.iter().any(|sink| sink.wants_packets())
    }

    fn begin(&mut self, layout: &Layout) {
        self.0.iter_mut().for_each(|sink| sink.begin(layout));
    }

    fn extend(&mut self, layout: &Layout) {
        self.0.iter_mut().for_each(|sink| sink.extend(layout));
    }

    fn subflow(&mut self, sample: &SubflowSample<'_>) {
        self.0.iter_mut().for_each(|sink| sink.subflow(sample));
    }

    fn link(&mut self, sample: &LinkSample) {
        self.0.iter_mut().for_each(|sink| sink.link(sample));
    }

    fn completion(&mut self, sample: &CompletionSample) {
        self.0.iter_mut().for_each(|sink| sink.completion(sample));
    }

    fn packet(&mut self, packet: &PacketSample<'_>) {
        self.0.iter_mut().for_each(|sink| sink.packet(packet));
    }
}

/// Takes no samples.
pub struct NoSamples;

impl Sink for NoSamples {
    fn wants_samples(&self) -> bool {
        false
    }
}
