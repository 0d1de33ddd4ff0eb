//! What is watched as a record: the samples and the summary that a simulated run leaves.

use crate::directory::Directory;
use crate::failure::Failure;
use crate::kernel_monitor::meter::Meter;
use crate::kernel_monitor::sample::{Sample, Watched};
use anabranch_mptcp_bpf::Key;
use anabranch_record::{FlowLayout, FlowSummary, Layout, SubflowSample, Summary, jain};
use std::collections::HashMap;
use std::path::PathBuf;

/// A record under way. Each connection that was seen is a flow.
pub struct Recorder {
    directory: Directory,
    layout: Layout,
    flows: HashMap<(&'static str, Key), usize>,
    /// For each flow those of its subflows.
    meters: Vec<Vec<Meter>>,
    /// When the last sample was taken; `None` before the first.
    last_s: Option<f64>,
}

impl Recorder {
    /// Into a directory, with columns for these observables.
    pub fn new(directory: Directory, observables: Vec<&'static str>) -> Self {
        let mut directory = directory.with_observables(observables);
        let layout = Layout { flows: Vec::new(), links: Vec::new() };
        directory.sink().begin(&layout);
        Recorder { directory, layout, flows: HashMap::new(), meters: Vec::new(), last_s: None }
    }

    /// Adds a sample.
    pub fn add(&mut self, sample: &Sample) {
        let time_s = sample.time_s;
        let news = sample.connections.iter().filter(|c| self.admit(c, time_s)).count();
        if news > 0 {
            self.directory.sink().extend(&self.layout);
        }
        for c in &sample.connections {
            let flow = self.flows[&key(c)];
            let meters = self.meters[flow].iter_mut().enumerate();
            for (subflow, meter) in meters {
                let Some(s) = c.subflows.iter().find(|s| s.now.owner == meter.owner) else { continue };
                meter.add(time_s, &s.now);
                self.directory.sink().subflow(&SubflowSample {
                    time_s,
                    flow,
                    subflow,
                    cwnd_segments: s.now.cwnd,
                    ssthresh_segments: s.now.ssthresh,
                    srtt_s: s.now.srtt_s.unwrap_or(0.0),
                    in_flight_segments: s.now.in_flight_segments.into(),
                    sent_bytes: meter.sent_bytes(),
                    delivered_bytes: meter.acked_bytes(),
                    lost_segments: meter.counts().lost,
                    retransmitted_segments: meter.counts().retransmitted,
                    observables: &s.now.observables,
                });
            }
        }
        self.last_s = Some(time_s);
    }

    /// Takes a connection and its subflows into the layout; whether one of them is new.
    fn admit(&mut self, c: &Watched, time_s: f64) -> bool {
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
                    // It may have been there for long: what it did before does not count.
                    None => Meter::amid(time_s, &s.now),
                    Some(last_s) => Meter::new(last_s, &s.now),
                });
                paths.push(vec![format!("{} → {}", s.now.local, s.now.remote)]);
            }
        }
        meters.len() > before
    }

    /// Completes it; the files that are there now.
    pub fn finish(self) -> Result<Vec<PathBuf>, Failure> {
        let flows: Vec<_> = self.layout.flows.iter().zip(&self.meters).map(flow).collect();
        let goodputs: Vec<f64> = flows.iter().filter_map(|flow| flow.goodput_bps).collect();
        let summary = Summary {
            scenario: "kernel monitor".to_owned(),
            scenario_hash: String::new(),
            seed: 0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            duration_s: self.last_s.unwrap_or(0.0),
            warmup_s: 0.0,
            partial_until_s: None,
            jain: jain(&goodputs),
            flows,
            links: Vec::new(),
        };
        self.directory.finish(&summary, None)
    }
}

fn key(c: &Watched) -> (&'static str, Key) {
    (c.entry.kernel_name, c.key)
}

fn flow((layout, meters): (&FlowLayout, &Vec<Meter>)) -> FlowSummary {
    let subflows = meters.iter().zip(&layout.paths);
    let subflows: Vec<_> =
        subflows.map(|(meter, path)| meter.summary(path.clone(), &layout.observables)).collect();
    let delivered_bytes = meters.iter().map(Meter::acked_bytes).sum();
    let from = meters.iter().map(Meter::began_s).fold(f64::INFINITY, f64::min);
    let to = meters.iter().map(Meter::ended_s).fold(0.0, f64::max);
    FlowSummary {
        name: layout.name.clone(),
        cc: layout.cc.clone(),
        goodput_bps: (to > from).then(|| delivered_bytes as f64 * 8.0 / (to - from)),
        delivered_bytes,
        retransmitted_segments: subflows.iter().map(|s| s.retransmitted_segments).sum(),
        // Reinjections are not told apart from other data.
        reinjected_segments: 0,
        completion: None,
        subflows,
    }
}
