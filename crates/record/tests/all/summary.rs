//! The JSON of a summary.

use anabranch_record::{Completion, FlowSummary, LinkSummary, SubflowSummary, Summary};
use serde_json::{Value, json};

fn summary() -> Summary {
    let subflow = SubflowSummary {
        path: vec!["dsl".to_owned()],
        mean_observables: vec![("w_max".to_owned(), Some(2.5)), ("alpha".to_owned(), None)],
        ..SubflowSummary::default()
    };
    let completion = Completion { count: 2, mean_s: 0.25, p50_s: 0.2, p95_s: 0.3, p99_s: 0.3 };
    Summary {
        seed: u64::MAX,
        flows: vec![FlowSummary {
            goodput_bps: Some(0.1 + 0.2),
            delivered_bytes: 1 << 60,
            completion: Some(completion),
            subflows: vec![subflow],
            ..FlowSummary::default()
        }],
        links: vec![LinkSummary { utilisation: 0.5, marks: 7, ..LinkSummary::default() }],
        ..Summary::default()
    }
}

/// Every key that the format promises, in every object.
fn has(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "`{key}` is missing in {value}");
    }
}

#[test]
fn shape() {
    let json: Value = serde_json::from_str(&summary().to_json()).unwrap();
    has(&json, &["scenario", "scenario_hash", "seed", "version", "duration_s", "flows", "links", "jain"]);
    has(&json["flows"][0], &["name", "cc", "goodput_bps", "retransmitted_segments", "subflows"]);
    let subflow = &json["flows"][0]["subflows"][0];
    has(subflow, &["path", "goodput_bps", "mean_cwnd_segments", "mean_rtt_s", "loss_rate"]);
    has(&json["links"][0], &["name", "utilisation", "mean_queue_bytes", "mean_queue_delay_s"]);
    has(&json["links"][0], &["drops", "early_drops", "marks", "losses"]);
    assert_eq!(json["seed"], json!("18446744073709551615"));
    assert_eq!(json["jain"], Value::Null);
    assert_eq!(subflow["mean_rtt_s"], Value::Null);
    assert_eq!(subflow["path"], json!(["dsl"]));
    assert_eq!(subflow["mean_observables"], json!({"w_max": 2.5, "alpha": null}));
}

#[test]
fn round_trip() {
    let file = tempfile::NamedTempFile::new().unwrap();
    summary().write(file.path()).unwrap();
    assert_eq!(Summary::read(file.path()).unwrap(), summary());
    assert!(Summary::from_json("{}").is_err());
    let broken = summary().to_json().replace("\"18446744073709551615\"", "\"-1\"");
    assert!(Summary::from_json(&broken).is_err());
}
