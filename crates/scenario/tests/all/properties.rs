//! No text, and no override, makes the reader or its diagnostics panic.

use crate::common::{EXAMPLE, SMALL, read, read_with, rendered};
use anabranch_scenario::{Overrides, Scenario, ScenarioError};
use miette::{GraphicalReportHandler, GraphicalTheme};
use proptest::prelude::*;

/// Properties of every answer: a scenario that keeps its own rules, or problems that can be shown.
fn check(answer: Result<Scenario, ScenarioError>) {
    match answer {
        Ok(scenario) => {
            assert!(scenario.warmup < scenario.duration);
            assert!(scenario.links.iter().all(|link| link.spec.rate_bps >= 1.0));
            for (f, flow) in scenario.flows.iter().enumerate() {
                assert!(!flow.paths.is_empty() && flow.start <= flow.stop);
                assert!(flow.events.is_sorted_by_key(|event| event.at));
                for p in 0..flow.paths.len() {
                    let _ = (scenario.base_rtt(f, p), scenario.host_jitter(f, p));
                }
            }
        }
        Err(error) => {
            assert!(!error.problems().is_empty());
            let _ = rendered(&error);
            let graphical = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
            graphical.render_report(&mut String::new(), &error).unwrap();
        }
    }
}

/// Pieces that mean something somewhere in a file.
fn piece() -> impl Strategy<Value = String> {
    let short = [
        "0", "-1", "1e400", "nan", "true", "[]", "{}", "[[", "]]", "\"", "'''", "=", ".", "\n", "rate",
        "links", "flows", "µs", "é", "#", "\0", "\u{feff}", "\r",
    ];
    let long = [
        "\"1 s\"",
        "\"-1 s\"",
        "paths = [[\"dsl\"]]",
        "count = 9999",
        "\"1e308 Gbit/s\"",
        "\"1e-320 BDP\"",
        "tcp = { mss = 100 }",
        "\"\\u00e9 ms\"",
        "[[flows]]",
        "[links.dsl]",
        "1979-05-27",
    ];
    let words = [&short[..], &long].concat();
    prop_oneof![prop::sample::select(words).prop_map(str::to_owned), "\\PC{0,4}", "[0-9]{1,25}"]
}

/// A valid file with some of its tables taken out, doubled, or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..12usize, piece()), 1..6);
    (prop::sample::select(vec![EXAMPLE, SMALL]), edits).prop_map(|(text, edits)| {
        let mut text: Vec<char> = text.chars().collect();
        for (at, length, piece) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(read(&String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn random_pieces(pieces in prop::collection::vec(piece(), 0..30)) {
        check(read(&pieces.join(" ")));
    }

    #[test]
    fn mutated_files(text in mutated()) {
        check(read(&text));
    }

    #[test]
    fn random_overrides(
        sets in prop::collection::vec(prop_oneof!["\\PC{0,20}", piece(), Just("links.dsl.rate=".to_owned())], 0..3),
        key in prop::sample::select(vec!["links.dsl.", "flows.bonded.", "flows.bonded.cc.", "", "links."]),
        value in piece(),
        cc in prop::option::of("\\PC{0,12}"),
        duration in prop::option::of(piece()),
    ) {
        let mut overrides = Overrides { duration, ..Overrides::default() };
        for set in &sets {
            overrides.set(set).set(&format!("{key}{set}={value}"));
        }
        if let Some(cc) = &cc {
            overrides.cc(cc).cc(&format!("{cc}=lia"));
        }
        check(read_with(EXAMPLE, &overrides));
    }
}

#[test]
fn long_lines_and_deep_nesting_are_refused_not_followed() {
    for times in [10, 1000, 3000, 100_000] {
        for text in ["[".repeat(times), "a.".repeat(times), format!("a = {}", "{a = ".repeat(times))] {
            check(read(&text));
            check(read(&format!("name = 1\n{text}")));
            check(read(&format!("name = {}", text.replace('.', "\n"))));
            let mut overrides = Overrides::default();
            check(read_with(EXAMPLE, overrides.set(&format!("{text}=1")).cc(&text)));
        }
    }
}
