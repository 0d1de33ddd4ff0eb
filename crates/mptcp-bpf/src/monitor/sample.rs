//! Samples: snapshots with rates since the previous one.

use super::{Connection, Filter, Key, Namespaces, Snapshot, Subflow};
use crate::CouplingReport;
use anabranch_cc_fixed::registry::KernelEntry;
use std::collections::HashMap;

/// All watched connections at one instant.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// The time since the first sample, in seconds.
    pub time_s: f64,
    /// Ordered by algorithm and key.
    pub connections: Vec<Watched>,
    /// Uncoupled connections, and listeners that would accept such connections, in all network namespaces.
    /// [`Watch`](super::Watch) checks once per second.
    pub coupling: CouplingReport,
}

/// A watched connection.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Its algorithm.
    pub entry: &'static KernelEntry,
    /// The connection's identity.
    pub key: Key,
    /// The name of its network namespace.
    pub netns: String,
    /// Its subflows.
    pub subflows: Vec<WatchedSubflow>,
}

/// One of its subflows.
#[derive(Clone, Debug)]
pub struct WatchedSubflow {
    /// The kernel's state of the subflow.
    pub now: Subflow,
    /// Payload acknowledged since the last sample, bits per second; `None` if the subflow is new.
    pub rate_bps: Option<f64>,
    /// The time since the last acknowledgement, in seconds.
    pub idle_s: Option<f64>,
}

impl Watched {
    /// Payload acknowledged since the last sample, bits per second.
    pub fn rate_bps(&self) -> Option<f64> {
        let rates: Vec<f64> = self.subflows.iter().filter_map(|s| s.rate_bps).collect();
        (!rates.is_empty()).then(|| rates.iter().sum())
    }

    /// The sum over its subflows.
    pub fn sum(&self, value: impl Fn(&Subflow) -> f64) -> f64 {
        self.subflows.iter().map(|s| value(&s.now)).sum()
    }
}

/// Converts snapshots to samples.
pub struct Sampler {
    pub(super) filter: Filter,
    first_us: Option<u64>,
    last_us: u64,
    /// Bytes acknowledged at the last sample, by algorithm and socket.
    acked: HashMap<(&'static str, u64), u64>,
}

impl Sampler {
    /// A sampler of the connections that the filter matches.
    pub fn new(filter: Filter) -> Self {
        Sampler { filter, first_us: None, last_us: 0, acked: HashMap::new() }
    }

    /// The next sample.
    pub fn next(&mut self, snapshot: Snapshot, names: &Namespaces) -> Sample {
        let first_us = *self.first_us.get_or_insert(snapshot.at_us);
        let now = snapshot.at_us;
        let elapsed = now.saturating_sub(self.last_us) as f64 * 1e-6;
        let before = std::mem::take(&mut self.acked);
        let mut connections = snapshot.connections;
        connections.retain(|connection| self.filter.matches(connection));
        let mut watched = |Connection { entry, key, subflows }: Connection| {
            let netns = subflows.first().map_or(String::new(), |s| names.name(s.netns));
            let of_subflow = |subflow: Subflow| {
                let socket = (entry.kernel_name, subflow.owner);
                self.acked.insert(socket, subflow.acked_bytes);
                let gained = |before: &u64| subflow.acked_bytes.saturating_sub(*before) as f64;
                let rate_bps = before.get(&socket).map(|before| gained(before) * 8.0 / elapsed);
                let idle_s = subflow.acked_at_us.map(|at| now.saturating_sub(at) as f64 * 1e-6);
                WatchedSubflow { now: subflow, rate_bps, idle_s }
            };
            Watched { entry, key, netns, subflows: subflows.into_iter().map(of_subflow).collect() }
        };
        let connections = connections.into_iter().map(&mut watched).collect();
        self.last_us = now;
        let time_s = now.saturating_sub(first_us) as f64 * 1e-6;
        Sample { time_s, connections, coupling: CouplingReport::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{lia, subflow};

    #[test]
    fn rates_between_samples() {
        let mut sampler = Sampler::new(Filter::default());
        let mut sample = |at_us, subflows| {
            let connections = vec![lia(1, subflows)];
            sampler.next(Snapshot { at_us, connections }, &Namespaces::default())
        };
        let first = sample(5_000_000, vec![subflow(7, 1, 1_000_000)]);
        assert_eq!((first.time_s, first.connections[0].rate_bps()), (0.0, None));
        assert_eq!(first.connections[0].netns, "77");
        assert_eq!(first.connections[0].subflows[0].idle_s, Some(4.999_999));
        // 500,000 bytes in 2 s; the other subflow is new, and the third one has a reused number.
        let second = sample(7_000_000, vec![subflow(7, 1, 1_500_000), subflow(8, 2, 300_000)]);
        let c = &second.connections[0];
        assert_eq!((second.time_s, c.rate_bps()), (2.0, Some(2e6)));
        assert_eq!((c.subflows[0].rate_bps, c.subflows[1].rate_bps), (Some(2e6), None));
        let third = sample(8_000_000, vec![subflow(7, 1, 10)]);
        assert_eq!(third.connections[0].rate_bps(), Some(0.0));
    }

    #[test]
    fn filters() {
        let both = vec![lia(1, vec![subflow(7, 1, 0), subflow(8, 2, 0)]), lia(2, vec![subflow(9, 3, 0)])];
        let takes = |filter: Filter| {
            let snapshot = Snapshot { at_us: 1, connections: both.clone() };
            let sample = Sampler::new(filter).next(snapshot, &Namespaces::default());
            sample.connections.iter().map(|c| c.key.to_string()).collect::<Vec<_>>()
        };
        let all = Filter::default();
        assert_eq!(takes(all.clone()), ["00000001", "00000002"]);
        assert_eq!(takes(Filter { port: Some(40_002), ..all.clone() }), ["00000001"]);
        assert_eq!(takes(Filter { port: Some(5201), ..all.clone() }).len(), 2);
        assert_eq!(takes(Filter { netns: Some(77), ..all.clone() }).len(), 2);
        assert_eq!(takes(Filter { netns: Some(78), ..all.clone() }).len(), 0);
        assert_eq!(takes(Filter { algorithms: vec!["ab_olia"], ..all.clone() }).len(), 0);
        assert_eq!(takes(Filter { algorithms: vec!["ab_olia", "ab_lia"], ..all }).len(), 2);
    }
}
