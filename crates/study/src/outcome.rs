//! One run of a simulation, with the readers for rows and figures.

pub use anabranch_scenario::base;

use crate::acknowledged::Acknowledged;
use crate::segment::Segment;
use anabranch_net::Time;
use anabranch_record::{FlowSummary, MemorySink, SubflowSummary, Summary};
use anabranch_scenario::{Flow, Scenario};
use std::sync::Arc;

/// Bits of a packet of 1500 bytes, the unit of packets across flows.
pub(crate) const PACKET_BITS: f64 = 1500.0 * 8.0;

/// Samples of less than this part of a second do not show its rate.
const LEAST_S: f64 = 0.5;

/// A run's summary, and its samples if the plan needs them.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Means and totals.
    pub summary: Summary,
    /// Samples over time; empty if not requested.
    pub samples: MemorySink,
    /// The scenario that was simulated.
    pub scenario: Arc<Scenario>,
}

/// The readers below return `None` if the flow, the subflow or the value does not exist.
impl Outcome {
    pub(crate) fn flow(&self, name: &str) -> Option<&FlowSummary> {
        self.summary.flows.iter().find(|f| f.name == name)
    }

    pub(crate) fn subflow(&self, flow: &str, r: usize) -> Option<&SubflowSummary> {
        self.flow(flow)?.subflows.get(r)
    }

    fn spec(&self, flow: &str) -> Option<&Flow> {
        self.scenario.flows.iter().find(|f| f.name == flow)
    }

    /// A flow's full segment.
    pub(crate) fn segment(&self, flow: &str) -> Option<Segment> {
        self.spec(flow).map(Segment::of)
    }

    /// Seconds over which a flow's goodput was measured.
    fn measured_s(&self, flow: &str) -> Option<f64> {
        let (spec, summary) = (self.spec(flow)?, self.flow(flow)?);
        let time = match summary.goodput_bps? {
            // A flow that had delivered all ended its measurement earlier. Times are whole nanoseconds.
            bps if bps > 0.0 => Time::from_secs_f64(summary.delivered_bytes as f64 * 8.0 / bps),
            _ => spec.stop.min(self.scenario.duration).since(self.scenario.warmup.max(spec.start)),
        };
        Some(time.as_secs_f64())
    }

    /// The rate of a subflow's segments in a capture at the sender, with headers and retransmissions, in Mbit/s at IP level; each
    /// counts as a full one.
    pub(crate) fn captured(&self, flow: &str, r: usize) -> Option<f64> {
        let packet_bits = self.segment(flow)?.packet * 8.0;
        Some(self.subflow(flow, r)?.sent_segments as f64 * packet_bits / self.measured_s(flow)? / 1e6)
    }

    /// The time-weighted mean of one of the algorithm's observables.
    pub(crate) fn observable(&self, flow: &str, r: usize, name: &str) -> Option<f64> {
        self.subflow(flow, r)?.mean_observables.iter().find(|(n, _)| n == name)?.1
    }

    /// The total payload rate of some connections in each second, in Mbit/s, from samples; in the last one up to the last sample.
    pub(crate) fn throughput(&self, flows: &[String]) -> Vec<(f64, f64)> {
        let subflows =
            self.samples.flows.iter().filter(|f| flows.contains(&f.name)).flat_map(|f| &f.subflows);
        let acknowledged = Acknowledged::of(subflows, &self.samples);
        let seconds = self.summary.duration_s as u32;
        let mbps = |s: u32| {
            let (from, to) = (f64::from(s) - 1.0, f64::from(s).min(acknowledged.until_s()));
            (to - from >= LEAST_S).then(|| (f64::from(s), acknowledged.mbps(from, to)))
        };
        (1..=seconds).filter_map(mbps).collect()
    }

    /// The mean of a subflow's sampled windows from `from_s` on, in segments.
    pub(crate) fn cwnd_from(&self, flow: &str, r: usize, from_s: f64) -> Option<f64> {
        let series = self.samples.series(flow, r)?;
        let first = series.time_s.partition_point(|t| *t < from_s);
        let late = &series.cwnd_segments[first..];
        (!late.is_empty()).then(|| late.iter().sum::<f64>() / late.len() as f64)
    }

    /// The time of a subflow's first loss after `from_s`, in seconds, and its window then; of its last sample without a loss.
    pub(crate) fn loss_after(&self, flow: &str, r: usize, from_s: f64) -> Option<(f64, f64)> {
        let series = self.samples.series(flow, r)?;
        let first = series.time_s.partition_point(|t| *t < from_s);
        let before = series.lost_segments.get(first)?;
        let next = series.lost_segments[first..].iter().position(|lost| lost > before);
        // The sample before has the window that the loss reduced.
        let i = next.map_or(series.time_s.len(), |n| first + n) - 1;
        Some((series.time_s[i], series.cwnd_segments[i]))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::simulator::Simulator;
    use crate::{Backend, Task};

    /// The outcome of a task, with samples.
    pub(crate) fn outcome(task: &Task) -> Outcome {
        let mut samples = MemorySink::default();
        let summary = Simulator.run(task, &mut samples, &mut |_| true).unwrap();
        Outcome { summary, samples, scenario: task.scenario("a test").unwrap() }
    }

    /// A connection on links of 10 Mbit/s: a capture sees the packets that links carry or drop; these are goodput with headers,
    /// retransmissions and packets in flight at the end.
    #[test]
    fn a_capture_sees_what_the_links_carry() {
        let text = r#"
            name = "full links"
            duration = "12 s"
            warmup = "4 s"
            links.a = { rate = "10 Mbit/s", delay = "5 ms" }
            links.b = { rate = "10 Mbit/s", delay = "5 ms" }
            flows = [{ name = "tested", cc = "uncoupled", paths = [["a"], ["b"]] }]
        "#;
        const TWO: &str = r#"flows.tested.paths=[["a"], ["b"]]"#;
        const ONE: &str = r#"flows.tested.paths=[["a"]]"#;
        for (what, paths, set, links) in [
            ("two paths", TWO, "flows.tested.tcp.mss=1448", 2.0),
            ("two paths, small segments", TWO, "flows.tested.tcp.mss=300", 2.0),
            ("one path, small segments", ONE, "flows.tested.tcp.mss=300", 1.0),
            ("from 8 s on", ONE, "flows.tested.start=8 s", 1.0),
            ("until 8 s", ONE, "flows.tested.stop=8 s", 1.0),
            ("6 MB", ONE, r#"flows.tested.application={ kind = "bulk", size = "6 MB" }"#, 1.0),
        ] {
            let run = outcome(&Task::new(text).set(paths).set(set));
            let tested = run.flow("tested").unwrap();
            let captured: f64 = (0..tested.subflows.len()).map(|r| run.captured("tested", r).unwrap()).sum();
            let delivered = captured * (1.0 - tested.loss_rate().unwrap());
            let segment = run.segment("tested").unwrap();
            let goodput = tested.goodput_bps.unwrap() / 1e6 * segment.packet / segment.payload;
            assert!(
                (delivered / goodput - 1.0).abs() < 0.02,
                "{what}: {captured}, {delivered}, goodput {goodput}"
            );
            assert!(delivered < 10.1 * links && delivered > 9.0 * links, "{what}: {delivered}");
        }
    }

    /// A full link of 10 Mbit/s carries 1448 of 1500 bytes of payload in each second, but for what a recovery holds back: whatever the
    /// interval of the samples, also in the last second, of which samples miss the end.
    #[test]
    fn throughput_at_any_interval() {
        let text = r#"
            name = "full link"
            duration = "20 s"
            links.a = { rate = "10 Mbit/s", delay = "5 ms", queue = "3 BDP" }
            flows = [{ name = "tcp", cc = "reno", paths = [["a"]] }]
        "#;
        for interval in ["100 ms", "300 ms", "700 ms", "2 s"] {
            let run = outcome(&Task::new(text).set(format!("record.interval={interval}")));
            let rates = run.throughput(&["tcp".to_owned()]);
            let until = if interval == "2 s" { 18.0 } else { 20.0 };
            assert_eq!(rates.last().map(|(s, _)| *s), Some(until), "{interval}");
            let full = 10.0 * 1448.0 / 1500.0;
            let off = rates.iter().skip(2).find(|(_, rate)| (rate / full - 1.0).abs() > 0.06);
            assert_eq!(off, None, "{interval}");
        }
    }
}
