//! Transfers that arrive of their own accord: what a load is, and what does not go with them.

use crate::common::{SMALL, read, refused, rendered, valid};
use anabranch_scenario::{Application, Connections, Draw, Scenario};

fn with(keys: &str) -> String {
    format!("{SMALL}application = {{ kind = \"arrivals\", {keys} }}\n")
}

fn interval(scenario: &Scenario) -> Draw {
    match &scenario.flows[0].application {
        Application::Arrivals { interval, .. } => interval.clone(),
        other => panic!("{other:?}"),
    }
}

/// The small file's paths have bottlenecks of 10 and 20 Mbit/s: half of both is 15 Mbit/s, 18.75 transfers of 100 kB a second.
#[test]
fn a_load_is_payload_of_what_the_paths_carry() {
    let loaded = valid(&with("size = \"100 kB\", load = 0.5"));
    let Draw::Exponential(mean) = interval(&loaded) else { panic!() };
    assert!((mean - 1.0 / 18.75).abs() < 1e-12, "{mean}");
    assert!((loaded.load(0).unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(valid(SMALL).load(0), None);
    let pareto = "size = { distribution = \"pareto\", mean = \"100 kB\", shape = 1.5 }, load = 0.5";
    assert_eq!(interval(&valid(&with(pareto))), Draw::Exponential(mean));

    // A link that both paths cross counts once, and a backup path does not count.
    for (from, to, mbps) in [
        ("[[\"a\"], [\"b\"]]", "[[\"a\"], [\"b\", \"a\"]]", 10.0),
        ("[[\"a\"], [\"b\"]]", "[[\"a\", \"b\"], [\"b\"]]", 20.0),
        ("paths =", "backup = [2]\npaths =", 10.0),
    ] {
        let text = with("size = \"100 kB\", load = 0.5").replace(from, to);
        let Draw::Exponential(mean) = interval(&valid(&text)) else { panic!() };
        assert!((mean - 0.8 / (0.5 * mbps)).abs() < 1e-12, "{to}: {mean}");
    }
}

/// By hand: 8 Mbit over 30 Mbit/s and the 20 ms there and back of the shorter path; a backup path gives neither, unless all are backup:
/// then both are in use.
#[test]
fn an_ideal_time_is_bits_over_capacity_and_an_rtt() {
    let of = |text: &str| valid(text).ideal_completion_s(0, 1_000_000);
    assert!((of(SMALL) - (8.0 / 30.0 + 0.02)).abs() < 1e-12);
    assert!((of(&SMALL.replace("paths =", "backup = [1]\npaths =")) - (8.0 / 20.0 + 0.04)).abs() < 1e-12);
    assert_eq!(of(&SMALL.replace("paths =", "backup = [1, 2]\npaths =")), of(SMALL));
}

/// The most that paths carry together, where they share links in several ways.
#[test]
fn paths_that_share_links_carry_what_those_do() {
    for (links, paths, mbps) in [
        // All cross `a`.
        (&[10.0, 20.0, 5.0][..], &["ab", "ac"][..], 10.0),
        // Each two of three links: half of each, though the least two hold 20.
        (&[10.0, 10.0, 10.0], &["ab", "bc", "ca"], 15.0),
        // The sum of `a`'s and `c`'s rates fits through `b`.
        (&[10.0, 20.0, 5.0], &["ab", "bc"], 15.0),
        // The long path had better send nothing.
        (&[10.0, 10.0, 10.0], &["abc", "a", "b", "c"], 30.0),
        (&[10.0, 10.0, 10.0], &["abc"], 10.0),
        // `b` and `c` can be full, whatever the others leave.
        (&[4.0, 8.0, 16.0], &["ab", "b", "c", "bc"], 24.0),
        (&[7.0, 3.0], &["a", "a", "b", "b"], 10.0),
        (&[7.0, 3.0], &["a", "b", "ab"], 10.0),
    ] {
        let quoted = |text: &str| text.chars().map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join(", ");
        let paths: Vec<_> = paths.iter().map(|path| format!("[{}]", quoted(path))).collect();
        let mut text = "name = \"t\"\nduration = \"10 s\"\n".to_owned();
        for (rate, name) in links.iter().zip(["a", "b", "c"]) {
            text += &format!("[links.{name}]\nrate = \"{rate} Mbit/s\"\ndelay = \"10 ms\"\n");
        }
        text += &format!("[[flows]]\nname = \"f\"\ncc = \"lia\"\npaths = [{}]\n", paths.join(", "));
        text += "application = { kind = \"arrivals\", size = \"100 kB\", load = 0.5 }\n";
        let Draw::Exponential(mean) = interval(&valid(&text)) else { panic!() };
        assert!((0.8 / (0.5 * mean) - mbps).abs() < 1e-9 * mbps, "{text}: {}", 0.8 / (0.5 * mean));
    }
}

#[test]
fn an_interval_is_a_time_or_a_distribution() {
    assert_eq!(interval(&valid(&with("size = \"1 kB\", interval = \"2 s\""))), Draw::Constant(2.0));
    let exponential = "size = \"1 kB\", interval = { distribution = \"exponential\", mean = \"2 s\" }";
    assert_eq!(interval(&valid(&with(exponential))), Draw::Exponential(2.0));
    let application = |keys: &str| valid(&with(keys)).flows[0].application.clone();
    let Application::Arrivals { connections, count, .. } = application("size = \"1 kB\", load = 0.1") else {
        panic!()
    };
    assert_eq!((connections, count), (Connections::New, None));
    let given = "size = \"1 kB\", load = 0.1, count = 3, connections = \"one\"";
    let Application::Arrivals { connections, count, .. } = application(given) else { panic!() };
    assert_eq!((connections, count), (Connections::One, Some(3)));
}

#[test]
fn what_does_not_go_with_arrivals() {
    let event = "events = [{ at = \"1 s\", path = 2, action = \"remove\" }]\n";
    for (keys, word) in [
        ("size = \"1 kB\"", "need a `load` or an `interval`"),
        ("size = \"1 kB\", load = 0.5, interval = \"1 s\"", "`interval` and `load` exclude each other"),
        ("size = \"1 kB\", load = 0", "the load 0 must be more than 0"),
        ("size = \"1 kB\", load = -0.5", "must be more than 0"),
        ("size = \"1 kB\", load = 1", "transfers pile up without bound"),
        ("size = \"1 kB\", load = nan", "must be more than 0"),
        ("size = \"1 kB\", load = \"50 %\"", "expected a number"),
        ("size = \"1 kB\", interval = \"0 s\"", "the interval must be positive"),
        (
            "size = \"1 kB\", interval = { distribution = \"uniform\", from = \"0 s\", to = \"0 s\" }",
            "the interval must be positive",
        ),
        ("size = \"1 kB\", interval = \"100 ns\"", "about 100000000 transfers"),
        ("size = \"1 kB\", load = 0.5, connections = \"two\"", "not a kind of connections"),
        ("load = 0.5", "`size` is missing"),
        (
            "size = { file = \"x.csv\" }, load = 0.5",
            "known: uniform, exponential, pareto, log-normal, empirical",
        ),
        ("size = \"1 kB\", load = \"60 %\"", "for example 0.6"),
    ] {
        let shown = rendered(&read(&with(keys)).unwrap_err());
        assert!(shown.contains(word), "no `{word}` in {shown}");
        assert!(!shown.contains("write \"0 s\"") && !shown.contains("inf transfers"), "{shown}");
    }
    let keys = "size = \"1 kB\", load = 0.5";
    refused(&format!("{}{event}", with(keys)), "need a connection that lasts");
    valid(&format!("{}{event}", with(&format!("{keys}, connections = \"one\""))));
    // As many as are asked for, however short the interval.
    valid(&with("size = \"1 kB\", interval = \"100 ns\", count = 5"));
}
