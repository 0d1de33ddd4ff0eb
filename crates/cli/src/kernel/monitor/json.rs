//! A sample as a line of JSON.

use anabranch_mptcp_bpf::{Sample, Watched, WatchedSubflow};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::net::SocketAddr;

/// The object, without a newline. What is not finite is null.
pub fn line(sample: &Sample, unix_s: f64) -> String {
    let connections = sample.connections.iter().map(connection).collect();
    let uncoupled = sample.coupling.uncoupled.iter().map(ToString::to_string).collect();
    let uncoupled_incomplete = sample.coupling.incomplete.as_deref();
    let line = Line { time_s: sample.time_s, unix_s, connections, uncoupled, uncoupled_incomplete };
    serde_json::to_string(&line).expect("a sample is plain data")
}

#[derive(Serialize)]
struct Line<'a> {
    time_s: f64,
    unix_s: f64,
    connections: Vec<Connection<'a>>,
    uncoupled: Vec<String>,
    /// Why there may be more of these.
    uncoupled_incomplete: Option<&'a str>,
}

#[derive(Serialize)]
struct Connection<'a> {
    cc: &'static str,
    connection: String,
    netns: &'a str,
    rate_bps: Option<f64>,
    subflows: Vec<Subflow<'a>>,
}

#[derive(Serialize)]
struct Subflow<'a> {
    local: SocketAddr,
    remote: SocketAddr,
    cwnd_segments: f64,
    ssthresh_segments: f64,
    srtt_s: Option<f64>,
    min_rtt_s: Option<f64>,
    rate_bps: Option<f64>,
    delivery_rate_bps: Option<f64>,
    in_flight_segments: u32,
    sent_bytes: u64,
    acked_bytes: u64,
    sent_segments: u32,
    delivered_segments: u32,
    lost_segments: u32,
    retransmitted_segments: u32,
    recoveries: u32,
    timeouts: u32,
    spurious: u32,
    mss_bytes: u32,
    idle_s: Option<f64>,
    observables: Observables<'a>,
}

/// An object, in the algorithm's order.
struct Observables<'a>(&'a Watched, &'a [f64]);

impl Serialize for Observables<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.1.len()))?;
        for (observable, value) in self.0.entry.entry.observables.iter().zip(self.1) {
            map.serialize_entry(observable.name, value)?;
        }
        map.end()
    }
}

fn connection(c: &Watched) -> Connection<'_> {
    Connection {
        cc: c.entry.kernel_name,
        connection: c.key.to_string(),
        netns: &c.netns,
        rate_bps: c.rate_bps(),
        subflows: c.subflows.iter().map(|s| subflow(c, s)).collect(),
    }
}

fn subflow<'a>(
    c: &'a Watched,
    WatchedSubflow { now: s, rate_bps, idle_s }: &'a WatchedSubflow,
) -> Subflow<'a> {
    Subflow {
        local: s.local,
        remote: s.remote,
        cwnd_segments: s.cwnd,
        ssthresh_segments: s.ssthresh,
        srtt_s: s.srtt_s,
        min_rtt_s: s.min_rtt_s,
        rate_bps: *rate_bps,
        delivery_rate_bps: s.delivery_rate_bps,
        in_flight_segments: s.in_flight_segments,
        sent_bytes: s.sent_bytes,
        acked_bytes: s.acked_bytes,
        sent_segments: s.sent_segments,
        delivered_segments: s.delivered_segments,
        lost_segments: s.lost_segments,
        retransmitted_segments: s.retransmitted_segments,
        recoveries: s.recoveries,
        timeouts: s.timeouts,
        spurious: s.spurious,
        mss_bytes: s.mss,
        idle_s: *idle_s,
        observables: Observables(c, &s.observables),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_mptcp_bpf::example::{lia, sample, subflow};
    use serde_json::{Value, json};

    #[test]
    fn one_line_with_every_value() {
        let mut sample = sample(vec![lia(0xbeef, vec![subflow(7, 1, 900)])]);
        sample.coupling.incomplete = Some("no iterator".into());
        let line = line(&sample, 1.5);
        assert!(line.starts_with(r#"{"time_s":0.0,"unix_s":1.5,"connections":[{"cc":"ab_lia""#), "{line}");
        assert!(!line.contains('\n'));
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&value["time_s"], &value["unix_s"]), (&json!(0.0), &json!(1.5)));
        let c = &value["connections"][0];
        assert_eq!(
            (&value["uncoupled"], &value["uncoupled_incomplete"]),
            (&json!([]), &json!("no iterator"))
        );
        assert_eq!((&c["cc"], &c["connection"]), (&json!("ab_lia"), &json!("beef")));
        let s = &c["subflows"][0];
        assert_eq!((&s["local"], &s["remote"]), (&json!("10.0.1.1:40001"), &json!("10.0.1.2:5201")));
        assert_eq!((&s["ssthresh_segments"], &s["rate_bps"]), (&Value::Null, &Value::Null));
        assert_eq!((&s["cwnd_segments"], &s["srtt_s"]), (&json!(11.0), &json!(0.02)));
        assert_eq!((&s["acked_bytes"], &s["timeouts"]), (&json!(900), &json!(2)));
        assert_eq!(s["observables"], json!({ "alpha": 0.75 }));
    }
}
