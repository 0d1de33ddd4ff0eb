//! Records a watch, with the samples and the summary of a simulated run.

use super::meter::Meter;
use super::{Key, Sample, Watched};
use anabranch_record::{FlowLayout, FlowSummary, Layout, Sink, SubflowSample, Summary};
use std::collections::HashMap;

/// A record in progress. Each observed connection is a flow.
#[derive(Default)]
pub struct Recorder {
    layout: Layout,
    flows: HashMap<(&'static str, Key), usize>,
    /// The meters of each flow's subflows.
    meters: Vec<Vec<Meter>>,
    /// The time of the last sample, in seconds; `None` before the first.
    last_s: Option<f64>,
}

impl Recorder {
    /// An empty recorder. Begins the record of its sink.
    pub fn begin(sink: &mut dyn Sink) -> Self {
        let recorder = Recorder::default();
        sink.begin(&recorder.layout);
        recorder
    }

    /// Adds a sample and passes it to the sink.
    pub fn add(&mut self, sample: &Sample, sink: &mut dyn Sink) {
        let time_s = sample.time_s;
        let news = sample.connections.iter().filter(|c| self.add_connection(c, time_s)).count();
        if news > 0 {
            sink.extend(&self.layout);
        }
        for c in &sample.connections {
            let flow = self.flows[&key(c)];
            let meters = self.meters[flow].iter_mut().enumerate();
            for (subflow, meter) in meters {
                let Some(s) = c.subflows.iter().find(|s| s.now.owner == meter.owner) else { continue };
                meter.add(time_s, &s.now);
                let (lost_segments, retransmitted_segments) = meter.lost_and_retransmitted();
                sink.subflow(&SubflowSample {
                    time_s,
                    flow,
                    subflow,
                    cwnd_segments: s.now.cwnd,
                    ssthresh_segments: s.now.ssthresh,
                    srtt_s: s.now.srtt_s.unwrap_or(0.0),
                    in_flight_segments: s.now.in_flight_segments.into(),
                    sent_bytes: meter.sent_bytes(),
                    delivered_bytes: meter.acked_bytes(),
                    lost_segments,
                    retransmitted_segments,
                    observables: &s.now.observables,
                });
            }
        }
        self.last_s = Some(time_s);
    }

    /// Adds a connection and its subflows to the layout; returns whether one of them is new.
    fn add_connection(&mut self, c: &Watched, time_s: f64) -> bool {
        let flow = *self.flows.entry(key(c)).or_insert(self.meters.len());
        if flow == self.meters.len() {
            self.meters.push(Vec::new());
            self.layout.flows.push(FlowLayout {
                name: format!("{}-{}", c.entry.kernel_name, c.key),
                cc: c.entry.kernel_name.to_owned(),
                paths: Vec::new(),
                observables: c.entry.entry.observables.iter().map(|o| o.name).collect(),
            });
        }
        let (meters, paths) = (&mut self.meters[flow], &mut self.layout.flows[flow].paths);
        let before = meters.len();
        for s in &c.subflows {
            if meters.iter().all(|meter| meter.owner != s.now.owner) {
                meters.push(match self.last_s {
                    // Its activity before the record does not count.
                    None => Meter::from_existing(time_s, &s.now),
                    Some(last_s) => Meter::new(last_s, &s.now),
                });
                paths.push(vec![format!("{} → {}", s.now.local, s.now.remote)]);
            }
        }
        meters.len() > before
    }

    /// The number of subflows.
    pub fn subflows(&self) -> usize {
        self.meters.iter().map(Vec::len).sum()
    }

    /// The summary of the record.
    pub fn summary(&self) -> Summary {
        let flows: Vec<_> = self.layout.flows.iter().zip(&self.meters).map(flow).collect();
        Summary {
            scenario: "kernel monitor".to_owned(),
            duration_s: self.last_s.unwrap_or(0.0),
            ..Summary::of(flows, Vec::new())
        }
    }
}

fn key(c: &Watched) -> (&'static str, Key) {
    (c.entry.kernel_name, c.key)
}

fn flow((layout, meters): (&FlowLayout, &Vec<Meter>)) -> FlowSummary {
    let delivered_bytes = meters.iter().map(Meter::acked_bytes).sum();
    let from = meters.iter().map(|meter| meter.from_s).fold(f64::INFINITY, f64::min);
    let to = meters.iter().map(|meter| meter.to_s).fold(0.0, f64::max);
    // Reinjections cannot be distinguished from other data.
    FlowSummary::of(layout, delivered_bytes, to - from, meters.iter().map(Meter::measured))
}

#[cfg(test)]
mod tests {
    use super::super::{Filter, Namespaces, Sampler, Snapshot};
    use super::*;
    use crate::example::{lia, subflow};
    use anabranch_record::MemorySink;

    /// By hand: a subflow that is there at the first sample counts from there, 500,000 bytes in 2 s; one that
    /// comes with the second sample counts from its beginning, 300,000 bytes in the 1 s since the first.
    #[test]
    fn subflows_count_from_the_record_s_beginning_or_their_own() {
        let mut sampler = Sampler::new(Filter::default());
        let mut sample = |second: u64, acked: &[u64]| {
            let subflows = (1..).zip(acked).map(|(n, acked)| subflow(6 + u64::from(n), n, *acked)).collect();
            let snapshot = Snapshot { at_us: second * 1_000_000, connections: vec![lia(1, subflows)] };
            sampler.next(snapshot, &Namespaces::default())
        };
        let samples =
            [sample(5, &[1_000_000]), sample(6, &[1_200_000, 300_000]), sample(7, &[1_500_000, 300_000])];
        let mut sink = MemorySink::new();
        let mut recorder = Recorder::begin(&mut sink);
        samples.iter().for_each(|sample| recorder.add(sample, &mut sink));
        let summary = recorder.summary();
        assert_eq!((summary.duration_s, summary.jain), (2.0, Some(1.0)));
        let [flow] = &summary.flows[..] else { panic!("{} flows", summary.flows.len()) };
        assert_eq!((&*flow.name, &*flow.cc, flow.delivered_bytes), ("ab_lia-00000001", "ab_lia", 800_000));
        assert_eq!(flow.goodput_bps, Some(3.2e6));
        let goodputs: Vec<_> = flow.subflows.iter().map(|s| s.goodput_bps).collect();
        assert_eq!(goodputs, [Some(2e6), Some(1.2e6)]);
        assert_eq!(flow.subflows[1].path, ["10.0.2.1:40002 → 10.0.2.2:5201"]);
        let times: Vec<_> = sink.flows[0].subflows.iter().map(|series| series.time_s.clone()).collect();
        assert_eq!(times, [vec![0.0, 1.0, 2.0], vec![1.0, 2.0]]);
    }
}
