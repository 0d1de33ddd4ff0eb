//! Observes connections during a run.

use crate::TestbedError;
use crate::algorithm::Algorithms;
use crate::meter::{Counters, Meter, State};
use crate::pair::{Pair, path_of};
use crate::tcp_info::Subflow;
use crate::traffic::Connection;
use anabranch_mptcp_bpf::{Private, Subflow as Row};
use anabranch_net::Time;
use anabranch_record::SubflowSample;
use anabranch_scenario::Scenario;
use std::net::IpAddr;

/// `tcp_info.snd_ssthresh` before the first congestion (TCP_INFINITE_SSTHRESH).
const NO_SSTHRESH: u32 = 0x7fff_ffff;

pub(crate) struct Observer<'a> {
    pub flows: Vec<Flow<'a>>,
    pub sample_counts: SampleCounts,
}

/// The meter and the last state of every subflow of a flow.
pub(crate) struct Flow<'a> {
    spec: &'a anabranch_scenario::Flow,
    /// The inode of the sender's network namespace, which identifies the flow's subflows in programs.
    netns: u32,
    /// The scenario's measurement window.
    from: Time,
    to: Time,
    first: Option<Reading>,
    last: Option<Reading>,
    pub meters: Vec<Meter>,
    pub states: Vec<Option<State>>,
    /// Whether its MPTCP connection fell back to plain TCP.
    pub is_fallback: bool,
}

/// Samples of all subflows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SampleCounts {
    pub all: u64,
    /// Dropped samples with an impossible window.
    pub impossible: u64,
}

/// The receiver's counters at an instant.
#[derive(Clone, Copy, Debug)]
struct Reading {
    at: Time,
    received: u64,
    reinjected_bytes: u64,
}

impl<'a> Observer<'a> {
    /// An observer of the flows between these hosts.
    pub fn new(scenario: &'a Scenario, hosts: &[Pair]) -> Result<Self, TestbedError> {
        let flow = |(flow, pair): (&'a anabranch_scenario::Flow, &Pair)| {
            let observables = flow.cc.entry.observables.len();
            Ok(Flow {
                spec: flow,
                netns: pair.sender.inode()?,
                from: scenario.warmup.max(flow.start),
                to: flow.stop.min(scenario.duration),
                first: None,
                last: None,
                meters: flow.paths.iter().map(|_| Meter::new(observables)).collect(),
                states: vec![None; flow.paths.len()],
                is_fallback: false,
            })
        };
        let flows = scenario.flows.iter().zip(hosts).map(flow).collect::<Result<_, _>>()?;
        Ok(Observer { flows, sample_counts: SampleCounts::default() })
    }

    pub fn sample(
        &mut self,
        now: Time,
        connections: &[Connection],
        algorithms: &Algorithms,
    ) -> Result<(), TestbedError> {
        let of_program =
            |program: &Private| program.connections().into_iter().flat_map(|c| c.subflows).collect();
        let rows: Vec<Vec<Row>> = algorithms.programs.iter().map(of_program).collect();
        for (f, connection) in connections.iter().enumerate() {
            let rows = algorithms.program_index(f).map_or(&[][..], |index| &rows[index]);
            self.flows[f].sample(now, connection, rows, &mut self.sample_counts)?;
        }
        Ok(())
    }
}

impl Flow<'_> {
    /// The length of the actual measurement window, in seconds.
    pub fn seconds(&self) -> f64 {
        let at = |reading: Option<Reading>| reading.map_or(0.0, |reading| reading.at.as_secs_f64());
        (at(self.last) - at(self.first)).max(0.0)
    }

    /// Bytes that the receiver read, and bytes retransmitted on another subflow.
    pub fn bytes(&self) -> (u64, u64) {
        self.first.zip(self.last).map_or((0, 0), |(first, last)| {
            (last.received - first.received, last.reinjected_bytes.saturating_sub(first.reinjected_bytes))
        })
    }

    fn sample(
        &mut self,
        now: Time,
        connection: &Connection,
        rows: &[Row],
        counts: &mut SampleCounts,
    ) -> Result<(), TestbedError> {
        let observed = connection.sender()?;
        let multipath = observed.as_ref().and_then(|observed| observed.multipath);
        self.is_fallback |= multipath.is_some_and(|multipath| multipath.is_fallback);
        // A finished transfer is measured up to its end.
        let finished = connection.finished();
        let measured = now >= self.from
            && self.last.is_none_or(|last| last.at < self.to.min(finished.unwrap_or(Time::NEVER)));
        if measured {
            let reinjected_bytes = multipath.and_then(|m| m.reinjected_bytes).unwrap_or(0);
            let at = finished.map_or(now, |end| end.min(now));
            let reading = Reading { at, received: connection.received(), reinjected_bytes };
            self.first.get_or_insert(reading);
            self.last = Some(reading);
        }
        let subflows = observed.map(|observed| observed.subflows).unwrap_or_default();
        let own = |row: &&Row| row.netns == self.netns;
        let path = |row: &Row| match row.local.ip() {
            IpAddr::V4(address) => path_of(address),
            IpAddr::V6(_) => None,
        };
        for (p, (meter, known)) in self.meters.iter_mut().zip(&mut self.states).enumerate() {
            let subflow = subflows.iter().find(|subflow| subflow.path == p);
            let row = rows.iter().filter(own).find(|row| path(row) == Some(p));
            let fresh = known.is_none();
            let now_known = subflow.map(|subflow| state(subflow, row, self.spec.cc.entry.observables.len()));
            counts.all += u64::from(now_known.is_some());
            if now_known.as_ref().is_some_and(|state| !state.is_possible(self.spec.tcp.initial_window)) {
                counts.impossible += 1;
                continue;
            }
            *known = now_known;
            match known {
                Some(state) if measured => meter.add(now.as_secs_f64(), state.clone(), fresh),
                Some(_) => {}
                None => meter.end_subflow(),
            }
        }
        Ok(())
    }
}

/// The state of a subflow, from its socket and from its program's row, with this number of observables.
fn state(subflow: &Subflow, row: Option<&Row>, observables: usize) -> State {
    let info = &subflow.info;
    let mut values = row.map(|row| row.observables.clone()).unwrap_or_default();
    values.resize(observables, f64::NAN);
    let in_flight = (u64::from(info.unacked) + u64::from(info.retrans))
        .saturating_sub(u64::from(info.sacked) + u64::from(info.lost));
    let no_ssthresh = info.snd_ssthresh >= NO_SSTHRESH;
    let retransmitted = u64::from(info.total_retrans);
    State {
        sample: SubflowSample {
            cwnd_segments: info.snd_cwnd.into(),
            ssthresh_segments: if no_ssthresh { f64::INFINITY } else { info.snd_ssthresh.into() },
            srtt_s: f64::from(info.rtt_us) * 1e-6,
            in_flight_segments: in_flight,
            sent_bytes: info.bytes_sent.saturating_sub(info.bytes_retrans),
            delivered_bytes: info.bytes_acked,
            // The kernel does not count segments deemed lost; it retransmits them.
            lost_segments: retransmitted,
            retransmitted_segments: retransmitted,
            ..SubflowSample::default()
        },
        ca_state: info.ca_state,
        counters: Counters {
            acked_bytes: info.bytes_acked,
            sent: info.data_segs_out.into(),
            retransmitted,
            timeouts: subflow.timeouts.or(row.map(|row| row.timeouts)).map(u64::from),
            recoveries: row.map(|row| row.recoveries.into()),
            spurious: row.map(|row| row.spurious.into()),
        },
        observables: values,
    }
}
