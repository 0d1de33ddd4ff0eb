//! Samples in memory, by column, for figures.

use crate::{CompletionSample, Layout, LinkSample, Sink, SubflowSample};

/// Keeps every sample. Its memory grows with the run's length; for figures, not for archives.
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    /// Each connection, in the summary's order.
    pub flows: Vec<FlowSeries>,
    /// Each link, in the summary's order.
    pub links: Vec<LinkSeries>,
    /// Every response that completed, in order of time.
    pub completions: Vec<CompletionSample>,
}

/// One connection's samples.
#[derive(Clone, Debug)]
pub struct FlowSeries {
    /// The flow's name.
    pub name: String,
    /// Its algorithm.
    pub cc: String,
    /// Each of its paths.
    pub subflows: Vec<SubflowSeries>,
}

/// One subflow's samples: series of equal length, one value for each instant. Counters run from the start of
/// the run.
#[derive(Clone, Debug, Default)]
pub struct SubflowSeries {
    /// Names of the links from sender to receiver.
    pub path: Vec<String>,
    /// Simulated time, in seconds.
    pub time_s: Vec<f64>,
    /// Congestion window.
    pub cwnd_segments: Vec<f64>,
    /// Slow-start threshold; infinite before the first congestion.
    pub ssthresh_segments: Vec<f64>,
    /// Smoothed RTT; NaN before the first sample.
    pub srtt_s: Vec<f64>,
    /// Segments in flight.
    pub in_flight_segments: Vec<f64>,
    /// Payload bytes sent, first transmissions only: the relative sequence number.
    pub sent_bytes: Vec<f64>,
    /// Payload bytes acknowledged on the subflow.
    pub delivered_bytes: Vec<f64>,
    /// Segments deemed lost by the sender.
    pub lost_segments: Vec<f64>,
    /// Segments sent again.
    pub retransmitted_segments: Vec<f64>,
    /// The algorithm's inner values by name, NaN where one has none.
    pub observables: Vec<(String, Vec<f64>)>,
}

impl SubflowSeries {
    /// The observable `name`, if the algorithm has it.
    pub fn observable(&self, name: &str) -> Option<&[f64]> {
        self.observables.iter().find(|(n, _)| n == name).map(|(_, values)| values.as_slice())
    }
}

/// One link's samples: series of equal length, one value for each instant. Counters run from the start of
/// the run.
#[derive(Clone, Debug, Default)]
pub struct LinkSeries {
    /// Its name.
    pub name: String,
    /// Simulated time, in seconds.
    pub time_s: Vec<f64>,
    /// Bytes waiting.
    pub queue_bytes: Vec<f64>,
    /// Packets waiting.
    pub queue_packets: Vec<f64>,
    /// Packets that the queue dropped.
    pub drops: Vec<f64>,
    /// Packets that the link marked.
    pub marks: Vec<f64>,
    /// Packets that the loss process took, or a link that was down.
    pub losses: Vec<f64>,
}

impl MemorySink {
    /// Without samples.
    pub fn new() -> Self {
        MemorySink::default()
    }

    /// The samples of subflow `subflow` (from 0) of the flow called `flow`.
    pub fn series(&self, flow: &str, subflow: usize) -> Option<&SubflowSeries> {
        self.flows.iter().find(|f| f.name == flow)?.subflows.get(subflow)
    }

    /// The samples of the link called `name`.
    pub fn link_series(&self, name: &str) -> Option<&LinkSeries> {
        self.links.iter().find(|l| l.name == name)
    }
}

impl Sink for MemorySink {
    fn begin(&mut self, layout: &Layout) {
        let link = |name: &String| LinkSeries { name: name.clone(), ..LinkSeries::default() };
        let links = layout.links.iter().map(link).collect();
        *self = MemorySink { flows: Vec::new(), links, completions: Vec::new() };
        self.extend(layout);
    }

    fn extend(&mut self, layout: &Layout) {
        for (i, flow) in layout.flows.iter().enumerate() {
            if i == self.flows.len() {
                let (name, cc) = (flow.name.clone(), flow.cc.clone());
                self.flows.push(FlowSeries { name, cc, subflows: Vec::new() });
            }
            let subflows = &mut self.flows[i].subflows;
            for path in flow.paths.iter().skip(subflows.len()) {
                subflows.push(SubflowSeries {
                    path: path.clone(),
                    observables: flow
                        .observables
                        .iter()
                        .map(|name| ((*name).to_owned(), Vec::new()))
                        .collect(),
                    ..SubflowSeries::default()
                });
            }
        }
    }

    fn subflow(&mut self, s: &SubflowSample<'_>) {
        let series = &mut self.flows[s.flow].subflows[s.subflow];
        series.time_s.push(s.time_s);
        series.cwnd_segments.push(s.cwnd_segments);
        series.ssthresh_segments.push(s.ssthresh_segments);
        series.srtt_s.push(if s.srtt_s > 0.0 { s.srtt_s } else { f64::NAN });
        series.in_flight_segments.push(s.in_flight_segments as f64);
        series.sent_bytes.push(s.sent_bytes as f64);
        series.delivered_bytes.push(s.delivered_bytes as f64);
        series.lost_segments.push(s.lost_segments as f64);
        series.retransmitted_segments.push(s.retransmitted_segments as f64);
        for ((_, values), value) in series.observables.iter_mut().zip(s.observables) {
            values.push(*value);
        }
    }

    fn link(&mut self, s: &LinkSample) {
        let series = &mut self.links[s.link];
        series.time_s.push(s.time_s);
        series.queue_bytes.push(s.queue_bytes as f64);
        series.queue_packets.push(s.queue_packets as f64);
        series.drops.push(s.drops as f64);
        series.marks.push(s.marks as f64);
        series.losses.push(s.losses as f64);
    }

    fn completion(&mut self, s: &CompletionSample) {
        self.completions.push(*s);
    }
}
