//! A sample as a line of JSON.

use anabranch::kernel::{Sample, Watched, WatchedSubflow};
use serde_json::{Value, json};

/// The object, without a newline. Values that are not finite become null.
pub fn line(sample: &Sample, unix_s: f64) -> String {
    let line = json!({
        "time_s": sample.time_s,
        "unix_s": unix_s,
        "connections": sample.connections.iter().map(connection).collect::<Value>(),
        "uncoupled": sample.coupling.uncoupled,
        // Why the list may be incomplete.
        "uncoupled_incomplete": sample.coupling.incomplete,
    });
    line.to_string()
}

fn connection(c: &Watched) -> Value {
    json!({
        "cc": c.entry.kernel_name,
        "connection": c.key.to_string(),
        "netns": c.netns,
        "rate_bps": c.rate_bps(),
        "subflows": c.subflows.iter().map(|s| subflow(c, s)).collect::<Value>(),
    })
}

fn subflow(c: &Watched, WatchedSubflow { now: s, rate_bps, idle_s }: &WatchedSubflow) -> Value {
    let observables = c.entry.entry.observables.iter().zip(&s.observables);
    json!({
        "local": s.local,
        "remote": s.remote,
        "cwnd_segments": s.cwnd,
        "ssthresh_segments": s.ssthresh,
        "srtt_s": s.srtt_s,
        "min_rtt_s": s.min_rtt_s,
        "rate_bps": rate_bps,
        "delivery_rate_bps": s.delivery_rate_bps,
        "in_flight_segments": s.in_flight_segments,
        "sent_bytes": s.sent_bytes,
        "acked_bytes": s.acked_bytes,
        "sent_segments": s.sent_segments,
        "delivered_segments": s.delivered_segments,
        "lost_segments": s.lost_segments,
        "retransmitted_segments": s.retransmitted_segments,
        "recoveries": s.recoveries,
        "timeouts": s.timeouts,
        "spurious": s.spurious,
        "mss_bytes": s.mss,
        "idle_s": idle_s,
        "observables": observables.map(|(observable, value)| (observable.name, *value)).collect::<Value>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch::kernel::example::{lia, sample, subflow};

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
        let uncoupled = (&value["uncoupled"], &value["uncoupled_incomplete"]);
        assert_eq!(uncoupled, (&json!([]), &json!("no iterator")));
        assert_eq!((&c["cc"], &c["connection"]), (&json!("ab_lia"), &json!("0000beef")));
        let s = &c["subflows"][0];
        assert_eq!((&s["local"], &s["remote"]), (&json!("10.0.1.1:40001"), &json!("10.0.1.2:5201")));
        assert_eq!((&s["ssthresh_segments"], &s["rate_bps"]), (&Value::Null, &Value::Null));
        assert_eq!((&s["cwnd_segments"], &s["srtt_s"]), (&json!(11.0), &json!(0.02)));
        assert_eq!((&s["acked_bytes"], &s["timeouts"]), (&json!(900), &json!(2)));
        assert_eq!(s["observables"], json!({ "alpha": 0.75 }));
    }
}
