//! A sample as a line of JSON.

use anabranch::kernel::{Sample, Watched, WatchedSubflow};
use serde::Serialize;

/// The object, without a newline. Values that are not finite become null.
pub fn line(sample: &Sample, unix_s: f64) -> String {
    let coupling = &sample.coupling;
    let uncoupled: Vec<String> = coupling.uncoupled.iter().map(ToString::to_string).collect();
    object([
        ("time_s", json(sample.time_s)),
        ("unix_s", json(unix_s)),
        ("connections", array(sample.connections.iter().map(connection))),
        ("uncoupled", json(uncoupled)),
        // Why the list may be incomplete.
        ("uncoupled_incomplete", json(&coupling.incomplete)),
    ])
}

fn connection(c: &Watched) -> String {
    object([
        ("cc", json(c.entry.kernel_name)),
        ("connection", json(c.key.to_string())),
        ("netns", json(&c.netns)),
        ("rate_bps", json(c.rate_bps())),
        ("subflows", array(c.subflows.iter().map(|s| subflow(c, s)))),
    ])
}

fn subflow(c: &Watched, WatchedSubflow { now: s, rate_bps, idle_s }: &WatchedSubflow) -> String {
    let observables = c.entry.entry.observables.iter().zip(&s.observables);
    object([
        ("local", json(s.local)),
        ("remote", json(s.remote)),
        ("cwnd_segments", json(s.cwnd)),
        ("ssthresh_segments", json(s.ssthresh)),
        ("srtt_s", json(s.srtt_s)),
        ("min_rtt_s", json(s.min_rtt_s)),
        ("rate_bps", json(rate_bps)),
        ("delivery_rate_bps", json(s.delivery_rate_bps)),
        ("in_flight_segments", json(s.in_flight_segments)),
        ("sent_bytes", json(s.sent_bytes)),
        ("acked_bytes", json(s.acked_bytes)),
        ("sent_segments", json(s.sent_segments)),
        ("delivered_segments", json(s.delivered_segments)),
        ("lost_segments", json(s.lost_segments)),
        ("retransmitted_segments", json(s.retransmitted_segments)),
        ("recoveries", json(s.recoveries)),
        ("timeouts", json(s.timeouts)),
        ("spurious", json(s.spurious)),
        ("mss_bytes", json(s.mss)),
        ("idle_s", json(idle_s)),
        ("observables", object(observables.map(|(observable, value)| (observable.name, json(value))))),
    ])
}

fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).expect("a sample is plain data")
}

fn array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// An object with its members in this order.
fn object(members: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let members = members.into_iter().map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch::kernel::example::{lia, sample, subflow};
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
