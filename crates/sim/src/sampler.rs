//! Samples over time, for a sink and for the means of observables.

use crate::connection::Connection;
use crate::network::Network;
use crate::subflow::Stage;
use anabranch_net::Time;
use anabranch_record::{FlowLayout, Layout, LinkSample, Sink, SubflowSample};
use anabranch_scenario::Scenario;

pub(crate) struct Sampler {
    wanted: bool,
    links: usize,
    /// Room for the observables of one subflow of each connection.
    values: Vec<Vec<f64>>,
}

impl Sampler {
    pub(crate) fn new(scenario: &Scenario, sink: &mut dyn Sink) -> Sampler {
        let wanted = sink.wants_samples();
        if wanted {
            sink.begin(&layout(scenario));
        }
        let values = scenario.flows.iter().map(|f| vec![f64::NAN; f.cc.entry.observables.len()]);
        Sampler { wanted, links: scenario.links.len(), values: values.collect() }
    }

    /// Whether anybody looks at samples.
    pub(crate) fn is_needed(&self) -> bool {
        self.wanted || self.values.iter().any(|v| !v.is_empty())
    }

    /// Takes a sample of everything. `running` tells of each connection whether it is being measured.
    pub(crate) fn take(
        &mut self,
        now: Time,
        connections: &mut [Connection],
        running: impl Fn(usize) -> bool,
        net: &mut Network,
        sink: &mut dyn Sink,
    ) {
        let time_s = now.as_secs_f64();
        for (flow, connection) in connections.iter_mut().enumerate() {
            let values = &mut self.values[flow];
            for (index, subflow) in connection.subflows.iter_mut().enumerate() {
                if !matches!(subflow.stage, Stage::Up | Stage::Closing) {
                    continue;
                }
                let row = subflow.tx.row();
                connection.cc.observe(row, values);
                if running(flow) {
                    subflow.meter.observe(values);
                }
                if self.wanted {
                    let (path, counters) = (connection.cc.path(row), subflow.counters());
                    sink.subflow(&SubflowSample {
                        time_s,
                        flow,
                        subflow: index,
                        cwnd_segments: path.cwnd,
                        ssthresh_segments: path.ssthresh,
                        srtt_s: subflow.tx.rtt.smoothed_s(),
                        in_flight_segments: subflow.tx.board.in_flight(),
                        sent_bytes: counters.sent_bytes,
                        delivered_bytes: counters.delivered_bytes,
                        lost_segments: subflow.deemed_lost(),
                        retransmitted_segments: counters.resent,
                        observables: values,
                    });
                }
            }
        }
        if !self.wanted {
            return;
        }
        for link in 0..self.links {
            let (waiting, totals) = (net.waiting(link), net.totals(link));
            sink.link(&LinkSample {
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

/// Names of the links of a path.
pub(crate) fn link_names(scenario: &Scenario, links: &[usize]) -> Vec<String> {
    links.iter().map(|l| scenario.links[*l].name.clone()).collect()
}

fn layout(scenario: &Scenario) -> Layout {
    let flows = scenario.flows.iter().map(|flow| FlowLayout {
        name: flow.name.clone(),
        cc: flow.cc.entry.name.to_owned(),
        paths: flow.paths.iter().map(|p| link_names(scenario, &p.links)).collect(),
        observables: flow.cc.entry.observables.iter().map(|o| o.name).collect(),
    });
    Layout { flows: flows.collect(), links: scenario.links.iter().map(|l| l.name.clone()).collect() }
}
