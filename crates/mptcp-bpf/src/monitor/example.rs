//! Connections and samples for tests.

use super::{Connection, Filter, Key, Namespaces, Sample, Sampler, Snapshot, Subflow};
use anabranch_cc_fixed::registry;

/// A subflow from 10.0.`n`.1 port 40000 + `n` to 10.0.`n`.2 port 5201.
pub fn subflow(owner: u64, n: u8, acked_bytes: u64) -> Subflow {
    Subflow {
        owner,
        netns: 77,
        local: format!("10.0.{n}.1:{}", 40_000 + u16::from(n)).parse().unwrap(),
        remote: format!("10.0.{n}.2:5201").parse().unwrap(),
        mss: 1448,
        cwnd: 10.0 + f64::from(n),
        ssthresh: f64::INFINITY,
        srtt_s: Some(0.02),
        min_rtt_s: Some(0.01),
        delivery_rate_bps: Some(5e6),
        in_flight_segments: 3,
        sent_bytes: acked_bytes + 3000,
        acked_bytes,
        sent_segments: 100,
        delivered_segments: 90,
        lost_segments: 5,
        retransmitted_segments: 4,
        recoveries: 3,
        timeouts: 2,
        spurious: 1,
        acked_at_us: Some(1),
        observables: vec![0.75],
    }
}

/// A connection that runs LIA.
pub fn lia(token: u32, subflows: Vec<Subflow>) -> Connection {
    Connection { entry: registry::find_kernel("lia").unwrap(), key: Key::Token(token), subflows }
}

/// The last of several samples, taken at 1 s, 2 s and so on.
pub fn last_sample(each: Vec<Vec<Connection>>) -> Sample {
    let mut sampler = Sampler::new(Filter::default());
    let snapshots =
        (1..).zip(each).map(|(second, connections)| Snapshot { at_us: second * 1_000_000, connections });
    snapshots.map(|snapshot| sampler.next(snapshot, &Namespaces::default())).last().expect("a sample")
}

/// The first sample.
pub fn sample(connections: Vec<Connection>) -> Sample {
    last_sample(vec![connections])
}
