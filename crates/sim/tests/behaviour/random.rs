//! Random scenarios: whatever the network does, the stream arrives, and the numbers make sense.
//!
//! The receiver itself checks that the stream arrives exactly once and in order: a run whose stream
//! broke is an error.

use crate::common::*;
use anabranch_cc::registry::ALL;
use anabranch_net::Discipline;
use anabranch_record::{NoSamples, Summary};
use proptest::prelude::*;
use std::fmt::Write;

/// A probability that is often zero.
fn rate(most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..most]
}

fn loss(most: f64) -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{ model = \"none\" }".to_owned()),
        (0.0..most).prop_map(|p| format!("{{ model = \"bernoulli\", rate = {p} }}")),
        (5u64..2000).prop_map(|n| format!("{{ model = \"every-nth\", n = {n} }}")),
        (0.0..0.02f64, 0.1..1.0f64).prop_map(|(g, b)| {
            format!("{{ model = \"gilbert-elliott\", good_to_bad = {g}, bad_to_good = {b} }}")
        }),
    ]
}

/// The changes of a link at a time in milliseconds.
fn change() -> impl Strategy<Value = (u64, String)> {
    let what = prop_oneof![
        (1.0..20.0f64).prop_map(|r| format!("rate = \"{r} Mbit/s\"")),
        (0u64..150).prop_map(|d| format!("delay = \"{d} ms\"")),
        loss(0.2).prop_map(|l| format!("loss = {l}")),
        any::<bool>().prop_map(|up| format!("up = {up}")),
    ];
    (0u64..4000, what)
}

/// The body of `[links.l…]`.
fn link_body() -> impl Strategy<Value = String> {
    let queue = prop_oneof![Just("1 BDP".to_owned()), (1u64..200).prop_map(|n| format!("{n} packets"))];
    let jitter = (0u64..20, rate(0.1), 1u64..60);
    let marks = ["", "ecn_threshold = \"10 packets\"\n"].map(str::to_owned);
    let managed =
        Discipline::ALL[1..].iter().map(|d| format!("aqm = {{ kind = \"{}\", ecn = true }}\n", d.name));
    let mark = prop::sample::select(marks.into_iter().chain(managed).collect::<Vec<_>>());
    let changes = prop::collection::btree_map(0u64..4000, change(), 0..3);
    (0.5..20.0f64, 0u64..100, queue, loss(0.1), jitter, mark, changes).prop_map(
        |(mbit, delay, queue, loss, (up_to, reorder, held), mark, changes)| {
            let changes: Vec<String> =
                changes.into_iter().map(|(at, (_, what))| format!("{{ at = \"{at} ms\", {what} }}")).collect();
            format!(
                "rate = \"{mbit} Mbit/s\"\ndelay = \"{delay} ms\"\nqueue = \"{queue}\"\nloss = {loss}\n{mark}\
                 jitter = {{ up_to = \"{up_to} ms\", reorder_rate = {reorder}, reorder_delay = \"{held} ms\" }}\n\
                 changes = [{}]\n",
                changes.join(", ")
            )
        },
    )
}

fn algorithm() -> impl Strategy<Value = String> {
    let names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
    (prop::sample::select(names), any::<bool>())
        .prop_map(|(name, pacing)| format!("{{ name = \"{name}\", pacing = {pacing} }}"))
}

fn scheduler() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["minrtt", "roundrobin", "redundant", "blest", "linux"])
}

fn application() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{ kind = \"bulk\" }".to_owned()),
        (1u64..2_000_000).prop_map(|n| format!("{{ kind = \"bulk\", size = \"{n} B\" }}")),
        (1u64..1000, 0u64..500).prop_map(|(on, off)| format!(
            "{{ kind = \"on-off\", on = {{ distribution = \"exponential\", mean = \"{on} ms\" }}, off = \"{off} ms\", rate = \"3 Mbit/s\" }}"
        )),
        (1u64..100_000, 0u64..200).prop_map(|(n, think)| format!(
            "{{ kind = \"request-response\", size = {{ distribution = \"exponential\", mean = \"{n} B\" }}, think = \"{think} ms\" }}"
        )),
    ]
}

/// Receive buffer, delayed ACKs, ECN, and the features of the Linux-accurate host model.
fn tcp() -> impl Strategy<Value = String> {
    let buffer = prop_oneof![Just(1 << 30), 2000u64..200_000];
    (buffer, 1u32..=4, any::<bool>(), 1u32..20, any::<[bool; 5]>()).prop_map(|(buffer, delayed, ecn, window, linux)| {
        let [tso, push, sack, long, recovery] = linux;
        let push = push && tso;
        format!(
            "{{ receive_buffer = \"{buffer} B\", delayed_ack = {delayed}, ecn = {ecn}, initial_window = {window}, \
             tso = {tso}, push_acks = {push}, sack_compression = {sack}, long_dss = {long}, linux_recovery = {recovery} }}"
        )
    })
}

/// The changes of the second of several subflows, in milliseconds after the start.
fn events() -> impl Strategy<Value = Vec<(u64, usize, &'static str)>> {
    prop_oneof![
        Just(vec![]),
        Just(vec![(500, 2, "add")]),
        Just(vec![(700, 1, "remove")]),
        Just(vec![(700, 2, "remove"), (1200, 2, "add"), (1300, 2, "remove")]),
        Just(vec![(400, 1, "remove"), (401, 1, "add"), (900, 2, "remove"), (1500, 2, "add")]),
        Just(vec![(300, 1, "backup"), (900, 1, "regular"), (950, 2, "backup")]),
        Just(vec![(300, 1, "remove"), (310, 2, "remove"), (900, 1, "add")]),
    ]
}

fn events_text(events: &[(u64, usize, &str)], start: u64) -> String {
    let event = |(at, path, action): &(u64, usize, &str)| {
        format!("{{ at = \"{} ms\", path = {path}, action = \"{action}\" }}", start + at)
    };
    format!("events = [{}]", events.iter().map(event).collect::<Vec<_>>().join(", "))
}

/// A flow over `links` links.
fn flow_body(links: usize) -> impl Strategy<Value = String> {
    let path = prop::collection::vec(0..links, 1..=2);
    let paths = prop::collection::vec((path.clone(), prop_oneof![Just(vec![]), path]), 1..=3);
    (algorithm(), scheduler(), paths, 0u64..800, application(), tcp(), events()).prop_map(
        |(cc, scheduler, paths, start, application, tcp, events)| {
            let list = |path: &Vec<usize>| {
                let names: Vec<String> = path.iter().map(|l| format!("\"l{l}\"")).collect();
                format!("[{}]", names.join(", "))
            };
            let forward: Vec<String> = paths.iter().map(|(forward, _)| list(forward)).collect();
            let back: Vec<String> = paths.iter().map(|(_, back)| list(back)).collect();
            let mut text = format!(
                "cc = {cc}\nscheduler = \"{scheduler}\"\nstart = \"{start} ms\"\npaths = [{}]\nreturn = [{}]\n\
                 application = {application}\ntcp = {tcp}\n",
                forward.join(", "),
                back.join(", ")
            );
            if paths.len() > 1 {
                writeln!(text, "{}", events_text(&events, start)).unwrap();
            }
            text
        },
    )
}

fn any_scenario() -> impl Strategy<Value = String> {
    (1usize..=3).prop_flat_map(|links| {
        let links_text = prop::collection::vec(link_body(), links);
        let flows = prop::collection::vec(flow_body(links), 1..=4);
        (links_text, flows).prop_map(|(links, flows)| {
            let mut text = String::new();
            for (i, body) in links.iter().enumerate() {
                write!(text, "[links.l{i}]\n{body}").unwrap();
            }
            for (i, body) in flows.iter().enumerate() {
                write!(text, "[[flows]]\nname = \"f{i}\"\n{body}").unwrap();
            }
            text
        })
    })
}

/// Properties of every summary of a run whose links never carry more than 20 Mbit/s each.
fn check_sanity(summary: &Summary, from_the_start: bool) -> Result<(), TestCaseError> {
    for link in &summary.links {
        prop_assert!((0.0..=1.0).contains(&link.utilisation), "{link:?}");
        prop_assert!(link.mean_queue_bytes >= 0.0 && link.mean_queue_bytes.is_finite(), "{link:?}");
    }
    for flow in &summary.flows {
        let goodput = flow.goodput_bps.unwrap_or(0.0);
        prop_assert!(goodput.is_finite() && goodput >= 0.0, "{flow:?}");
        let mut sum = 0.0;
        for s in &flow.subflows {
            sum += s.goodput_bps.unwrap_or(0.0);
            prop_assert!(s.loss_rate.is_none_or(|p| (0.0..=1.0).contains(&p)), "{s:?}");
            prop_assert!(s.mean_cwnd_segments.is_none_or(|w| w >= 1.0 && w.is_finite()), "{s:?}");
            for rtt in [s.mean_rtt_s, s.rtt_p5_s, s.rtt_p50_s, s.rtt_p95_s, s.rtt_p99_s].into_iter().flatten()
            {
                prop_assert!(rtt.is_finite() && rtt > 0.0, "{s:?}");
            }
            prop_assert!(s.lost_segments <= s.sent_segments || !from_the_start, "{s:?}");
            prop_assert!(s.retransmitted_segments <= s.sent_segments, "{s:?}");
            prop_assert!(s.mean_observables.iter().all(|(_, x)| x.is_none_or(f64::is_finite)), "{s:?}");
        }
        if from_the_start {
            // Every byte that was delivered in order arrived first somewhere.
            prop_assert!(sum >= goodput * (1.0 - 1e-9), "{flow:?}");
            let links = summary.links.len() as f64;
            prop_assert!(goodput <= links * 20e6 * 1448.0 / 1500.0, "{flow:?}");
        }
    }
    let from = summary.to_json();
    prop_assert_eq!(Summary::from_json(&from).unwrap().to_json(), from);
    prop_assert!(
        summary.jain.is_none_or(|j| j <= 1.0 + 1e-12 && j >= 1.0 / summary.flows.len() as f64 - 1e-12)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_scenario_runs_and_its_summary_makes_sense(
        text in any_scenario(),
        seed in any::<u64>(),
        warmup in prop_oneof![Just(0.0), 0.1..2.0f64],
    ) {
        let result = into_sink(&scenario(5.0, warmup, &text), seed, &mut NoSamples);
        let summary = result.map_err(|e| TestCaseError::fail(e.to_string()))?;
        check_sanity(&summary, warmup == 0.0)?;
    }

    /// A transfer over two paths is complete in the end, whatever happens on the way, as long as both paths
    /// work from some time on.
    #[test]
    fn a_transfer_is_complete_in_the_end(
        links in prop::collection::vec(link_body(), 2),
        cc in algorithm(),
        scheduler in scheduler(),
        tcp in tcp(),
        events in events(),
        size in 1u64..600_000,
        seed in any::<u64>(),
    ) {
        check_completion(&links, &cc, scheduler, &tcp, &events, size, seed)?;
    }
}

/// Sends `size` bytes over two links that are mended after 5 s.
fn check_completion(
    links: &[String],
    cc: &str,
    scheduler: &str,
    tcp: &str,
    events: &[(u64, usize, &str)],
    size: u64,
    seed: u64,
) -> Result<(), TestCaseError> {
    let heal = "{ at = \"5 s\", up = true, rate = \"5 Mbit/s\", delay = \"20 ms\", loss = { model = \"bernoulli\", rate = 0.05 } }";
    let heal = |body: &String| {
        let body = body.trim_end().strip_suffix(']').unwrap();
        if body.ends_with('[') { format!("{body}{heal}]\n") } else { format!("{body}, {heal}]\n") }
    };
    let text = format!(
        "[links.a]\n{}[links.b]\n{}[[flows]]\nname = \"two\"\ncc = {cc}\nscheduler = \"{scheduler}\"\n\
         paths = [[\"a\"], [\"b\"]]\ntcp = {tcp}\n{}\napplication = {{ kind = \"bulk\", size = \"{size} B\" }}\n",
        heal(&links[0]),
        heal(&links[1]),
        events_text(events, 0)
    );
    let result = into_sink(&scenario(600.0, 0.0, &text), seed, &mut NoSamples);
    let summary = result.map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert_eq!(summary.flows[0].delivered_bytes, size);
    check_sanity(&summary, true)
}

/// Of 10,000 random transfers one stopped before its last byte: the regular subflow's queue was full of what the backup
/// had carried meanwhile, and nobody asked again once that was left out.
#[test]
fn a_queue_of_acknowledged_data_is_not_full() {
    let links = [
        "rate = \"11.318317068100239 Mbit/s\"\ndelay = \"30 ms\"\nqueue = \"1 BDP\"\n\
         loss = { model = \"every-nth\", n = 84 }\njitter = { up_to = \"3 ms\" }\n\
         changes = [{ at = \"935 ms\", up = false }]\n",
        "rate = \"3.0771890862251556 Mbit/s\"\ndelay = \"14 ms\"\nqueue = \"1 BDP\"\n\
         aqm = { kind = \"fq-codel\", ecn = true }\n\
         jitter = { up_to = \"10 ms\", reorder_rate = 0.07910597464141814, reorder_delay = \"23 ms\" }\n\
         changes = [{ at = \"295 ms\", delay = \"41 ms\" }]\n",
    ];
    let tcp = "{ delayed_ack = 2, ecn = false, initial_window = 8 }";
    let events = [(300, 1, "backup"), (900, 1, "regular"), (950, 2, "backup")];
    let cc = "{ name = \"vegas\", pacing = true }";
    check_completion(&links.map(String::from), cc, "linux", tcp, &events, 268_465, 3_408_018_015_366_046_837)
        .unwrap();
}

/// The same where the queue has nothing else, so that nothing was taken from it: after the first path's end, the second one delivered
/// chunks that waited in its queue twice.
#[test]
fn a_queue_of_nothing_but_acknowledged_data_is_not_full() {
    let links = [
        "rate = \"2.927281147083364 Mbit/s\"\ndelay = \"98 ms\"\nqueue = \"1 BDP\"\n\
         loss = { model = \"none\" }\njitter = { up_to = \"9 ms\" }\nchanges = []\n",
        "rate = \"16.52330931081737 Mbit/s\"\ndelay = \"7 ms\"\nqueue = \"1 BDP\"\n\
         loss = { model = \"bernoulli\", rate = 0.06306220594484648 }\n\
         jitter = { up_to = \"2 ms\", reorder_rate = 0.0961935055268291, reorder_delay = \"13 ms\" }\n\
         changes = [{ at = \"0 ms\", loss = { model = \"bernoulli\", rate = 0.16370633100311022 } }]\n",
    ];
    let tcp = "{ receive_buffer = \"1073741824 B\", delayed_ack = 1, ecn = false, initial_window = 1, tso = false, \
               push_acks = false, sack_compression = false, long_dss = false }";
    let cc = "{ name = \"highspeed\", pacing = false }";
    let events = [(700, 1, "remove")];
    check_completion(&links.map(String::from), cc, "linux", tcp, &events, 197_065, 4_356_573_591_549_682_064)
        .unwrap();
}

/// A subflow that was removed with an ACK outstanding, until the application has read, does not send it in its next life.
#[test]
fn a_removed_subflow_acknowledges_nothing() {
    let text = r#"
        links.a = { rate = "6 Mbit/s", delay = "5 ms", queue = "1 BDP" }
        links.b = { rate = "6 Mbit/s", delay = "40 ms", queue = "1 BDP" }
        flows = [{ name = "m", cc = "lia", scheduler = "minrtt", paths = [["a"], ["b"]], events = [
            { at = "1286 ms", path = 2, action = "remove" },
            { at = "1305 ms", path = 2, action = "add" },
        ], tcp = { tso = true, push_acks = true } }]
    "#;
    let summary = into_sink(&scenario(2.5, 0.0, text), 1, &mut NoSamples).unwrap();
    assert!(summary.flows[0].subflows[1].goodput_bps.unwrap() > 1e6);
}
