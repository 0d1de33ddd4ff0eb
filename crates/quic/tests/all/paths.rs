//! Paths that come, go and become backup.

use crate::{goodput, payload, sampled, scenario, summary};
use anabranch_record::{NoSamples, Summary};

/// Queues of two BDP keep the links busy.
const PATHS: &str = r#"
    name = "paths"
    duration = "40 s"
    links.a = { rate = "10 Mbit/s", delay = "20 ms", queue = "2 BDP" }
    links.b = { rate = "5 Mbit/s", delay = "20 ms", queue = "2 BDP" }
    flows = [{ name = "both", cc = "lia", paths = [["a"], ["b"]] }]
"#;

/// The paths' goodputs, as parts of what their links carry all the time.
fn parts(summary: &Summary) -> [f64; 2] {
    let part = |p: usize, rate| summary.flows[0].subflows[p].goodput_bps.unwrap() / payload(rate);
    [part(0, 10e6), part(1, 5e6)]
}

fn with_events(events: &str) -> String {
    PATHS.replace(r#"[["a"], ["b"]] }]"#, &format!(r#"[["a"], ["b"]], {events} }}]"#))
}

/// It carries data from 5 s to 15 s and from 25 s on, and has a window and a round-trip time then only; the stack's controllers, too.
#[test]
fn a_path_joins_leaves_and_returns() {
    let text = with_events(
        r#"events = [
            { at = "5 s", path = 2, action = "add" },
            { at = "15 s", path = 2, action = "remove" },
            { at = "25 s", path = 2, action = "add" },
        ]"#,
    );
    for cc in ["lia", "noq:cubic"] {
        let (summary, samples) = sampled(&text, &[&format!("flows.both.cc={cc}")], 1);
        let [first, second] = parts(&summary);
        assert!((0.93..1.01).contains(&first), "{cc}: {first}");
        assert!((0.55..0.64).contains(&second), "{cc}: {second} of the 25 s of 40 s");
        let series = samples.series("both", 1).unwrap();
        // Joining takes some round trips of at most 120 ms.
        let is_there = |t: f64| (5.5..14.9).contains(&t) || t > 25.5;
        let is_gone = |t: f64| t < 5.0 || (15.01..25.0).contains(&t);
        assert!(series.time_s.iter().all(|t| !is_gone(*t)), "{cc}: {:?}", series.time_s);
        let there = series.time_s.iter().filter(|t| is_there(**t)).count();
        assert!((230..=250).contains(&there), "{cc}: {there} of 239 samples");
        assert!(summary.flows[0].subflows[1].mean_rtt_s.is_some_and(|rtt| rtt < 0.13), "{cc}: {summary:?}");
    }
}

/// The path on which the connection began goes, with packets in flight, which are retransmitted on the other path.
#[test]
fn the_first_path_can_leave() {
    let text = with_events(r#"events = [{ at = "2 s", path = 1, action = "remove" }]"#);
    let summary = summary(&text, &["flows.both.application={ kind = \"bulk\", size = \"10 MB\" }"], 1);
    assert_eq!(summary.flows[0].delivered_bytes, 10_000_000);
    // 2 s on both links carry at most 3.6 MB; the others take 10.7 s on the second link.
    let seconds = 80e6 / goodput(&summary, 0);
    assert!((12.3..14.5).contains(&seconds), "{seconds}");
}

/// A connection whose first path comes later begins on the second.
#[test]
fn a_connection_begins_on_the_first_path_that_it_has() {
    let text = with_events(r#"events = [{ at = "20 s", path = 1, action = "add" }]"#);
    let [first, second] = parts(&summary(&text, &[], 1));
    assert!((0.43..0.51).contains(&first) && (0.9..1.01).contains(&second), "{first}, {second}");
}

/// As in the simulator, a backup carries data only while no other path is there.
#[test]
fn a_backup_waits_until_the_other_path_leaves_or_becomes_one() {
    let text = with_events(
        r#"backup = [2], events = [
            { at = "10 s", path = 1, action = "remove" },
            { at = "20 s", path = 1, action = "add" },
            { at = "30 s", path = 1, action = "backup" },
            { at = "30 s", path = 2, action = "regular" },
        ]"#,
    );
    let quic = parts(&summary(&text, &[], 1));
    // TCP has smaller payload, of 1428 bytes of 1500.
    let tcp = anabranch_sim::run(&scenario(&text, &[]), 1, &mut NoSamples, &mut |_| true).unwrap().summary;
    for (p, (quic, tcp)) in quic.into_iter().zip(parts(&tcp)).enumerate() {
        assert!((0.45..0.51).contains(&quic), "path {p} in 20 s of 40: {quic}");
        assert!((0.93..1.07).contains(&(quic / tcp)), "path {p}: {quic} and TCP {tcp}");
    }
}

/// More often than the stack has ids for paths at once.
#[test]
fn a_path_can_return_often() {
    let mut events = String::new();
    for i in 1..19 {
        let action = if i % 2 == 1 { "remove" } else { "add" };
        events += &format!(r#"{{ at = "{} s", path = 2, action = "{action}" }},"#, 2 * i);
    }
    let [first, second] = parts(&summary(&with_events(&format!("events = [{events}]")), &[], 1));
    assert!((0.9..1.01).contains(&first), "{first}");
    assert!((0.4..0.56).contains(&second), "{second} in 22 s of 40");
}
