//! Samples over time, for a sink and for means of observables and of the smoothed RTT.

use crate::connection::Connection;
use crate::connection_meter::ConnectionMeter;
use crate::endpoints::Hosted;
use crate::network::{LinkNow, Network};
use crate::pool::TransferPool;
use crate::sender::Counters;
use crate::subflow::Stage;
use anabranch_net::Time;
use anabranch_record::{Layout, LinkSample, Sink, SubflowSample};
use anabranch_scenario::Scenario;
use std::collections::BTreeMap;

/// Sums over open connections.
#[derive(Clone, Default)]
struct Sums {
    cwnd: f64,
    in_flight: u64,
    /// Sum of smoothed RTTs, and their number.
    rtts: (f64, u64),
    counters: Counters,
    lost: u64,
}

#[derive(Clone)]
pub(crate) struct Sampler {
    wanted: bool,
    links: usize,
    /// For each path of the flows whose transfers open connections of their own, the sums over the open ones.
    sums: BTreeMap<usize, Vec<Sums>>,
    /// A buffer for the observables of one subflow.
    values: Vec<f64>,
}

impl Sampler {
    pub(crate) fn new(scenario: &Scenario, sink: &mut dyn Sink) -> Sampler {
        let wanted = sink.wants_samples();
        if wanted {
            sink.begin(&Layout::of(scenario));
        }
        Sampler { wanted, links: scenario.links.len(), sums: BTreeMap::new(), values: Vec::new() }
    }

    /// Adds the connection of a transfer of flow `flow` to the next sample.
    pub(crate) fn add(&mut self, flow: usize, connection: &mut Connection, running: bool) {
        let all = self.sums.entry(flow).or_default();
        all.resize(connection.subflows.len(), Sums::default());
        for (subflow, sums) in connection.subflows.iter_mut().zip(all) {
            sums.counters = sums.counters.and(&subflow.tx.counters);
            sums.lost += subflow.tx.board.deemed_lost;
            if !matches!(subflow.stage, Stage::Up | Stage::Closing) {
                continue;
            }
            let row = subflow.tx.row;
            if running {
                self.values.resize(subflow.meter.observables(), f64::NAN);
                connection.cc.observe(row, &mut self.values);
                subflow.meter.observe(subflow.tx.rtt.smoothed, &self.values);
            }
            sums.cwnd += connection.cc.path(row).cwnd;
            sums.in_flight += subflow.tx.board.in_flight();
            sums.rtts = (sums.rtts.0 + subflow.tx.rtt.smoothed_s(), sums.rtts.1 + 1);
        }
    }

    /// The sample of flow `flow`, whose transfers have their own connections: sums over open ones, their mean RTT, and
    /// counters of all.
    fn take_sums(&mut self, time_s: f64, flow: usize, over: &Connection, sink: &mut dyn Sink) {
        self.values.clear();
        let sums = self.sums.remove(&flow).unwrap_or_default();
        let sums = sums.into_iter().chain(std::iter::repeat_with(Sums::default));
        for (index, (subflow, sums)) in over.subflows.iter().zip(sums).enumerate() {
            self.values.resize(subflow.meter.observables(), f64::NAN);
            let counters = subflow.tx.counters.and(&sums.counters);
            sink.subflow(&SubflowSample {
                time_s,
                flow,
                subflow: index,
                cwnd_segments: sums.cwnd,
                ssthresh_segments: f64::INFINITY,
                srtt_s: if sums.rtts.1 > 0 { sums.rtts.0 / sums.rtts.1 as f64 } else { 0.0 },
                in_flight_segments: sums.in_flight,
                sent_bytes: counters.sent_bytes,
                delivered_bytes: counters.delivered_bytes,
                lost_segments: subflow.tx.board.deemed_lost + sums.lost,
                retransmitted_segments: counters.resent,
                observables: &self.values,
            });
        }
    }

    /// Takes a sample of the flows, which have these measurements, and pools where transfers have their own connections.
    pub(crate) fn take(
        &mut self,
        now: Time,
        connections: &mut [Connection],
        measured: &[ConnectionMeter],
        pools: &[Option<Box<TransferPool>>],
        mut hosted: Option<&mut Hosted<'_>>,
        sink: &mut dyn Sink,
    ) {
        let time_s = now.as_secs_f64();
        for (flow, connection) in connections.iter_mut().enumerate() {
            if pools[flow].is_some() {
                if self.wanted {
                    self.take_sums(time_s, flow, connection, sink);
                }
                continue;
            }
            if let Some(endpoints) = hosted.as_mut().and_then(|hosted| hosted.get_mut(flow)) {
                endpoints.sample(flow, now, if self.wanted { Some(sink) } else { None });
                continue;
            }
            let values = &mut self.values;
            for (index, subflow) in connection.subflows.iter_mut().enumerate() {
                if !matches!(subflow.stage, Stage::Up | Stage::Closing) {
                    continue;
                }
                let row = subflow.tx.row;
                values.resize(subflow.meter.observables(), f64::NAN);
                connection.cc.observe(row, values);
                if measured[flow].running {
                    subflow.meter.observe(subflow.tx.rtt.smoothed, values);
                }
                if self.wanted {
                    let (path, counters) = (connection.cc.path(row), subflow.tx.counters);
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
                        lost_segments: subflow.tx.board.deemed_lost,
                        retransmitted_segments: counters.resent,
                        observables: values,
                    });
                }
            }
        }
    }

    pub(crate) fn take_links(&self, now: Time, net: &mut Network, sink: &mut dyn Sink) {
        if !self.wanted {
            return;
        }
        let time_s = now.as_secs_f64();
        for link in 0..self.links {
            let LinkNow { waiting, totals } = net.link(link);
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
