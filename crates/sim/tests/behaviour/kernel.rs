//! The kernel's arithmetic beside the reference's, each running freely: the project's multipath scenarios, as
//! means over seeds.

use crate::common::*;
use anabranch_cc_fixed::registry;
use anabranch_record::NoSamples;
use anabranch_scenario::{Overrides, Scenario, Source, load};

const SEEDS: u64 = 10;

/// A scenario of the project's with another algorithm, as TOML, on its multipath flow.
fn scenario(text: &str, cc: &str) -> Scenario {
    assert!(text.contains("cc = \"lia\""));
    let text = text.replace("cc = \"lia\"", &format!("cc = {cc}"));
    let source = Source { name: "scenario.toml".into(), text };
    load(&source, &Overrides::default()).unwrap_or_else(|e| panic!("{e}: {:?}", e.problems()))
}

/// The multipath flow's goodput, bits per second, for each seed.
fn goodputs(text: &str, cc: &str) -> Vec<f64> {
    let scenario = scenario(text, cc);
    let one = |seed| {
        let summary = into_sink(&scenario, seed, &mut NoSamples).unwrap();
        let flow = summary.flows.iter().find(|flow| flow.subflows.len() > 1).unwrap();
        flow.goodput_bps.unwrap()
    };
    (1..=SEEDS).map(one).collect()
}

/// The means may differ by so much of the reference's.
const MARGIN: f64 = 0.05;

/// Rounding differs, so runs part company at some loss; the means must not. All of the 95 % interval of the difference
/// between runs of the same seed must be within the margin: runs that scatter more are no excuse.
fn is_the_references(scenario: &str, text: &str, together: bool) {
    for kernel in registry::all() {
        let name = kernel.entry.name;
        let reference = goodputs(text, &format!("{:?}", kernel.reference.name));
        let kernel = goodputs(text, &format!("{{ name = {name:?}, together = {together} }}"));
        let mean = mean_and_error(&reference).0;
        let differences: Vec<f64> = kernel.iter().zip(&reference).map(|(k, r)| (k - r) / mean).collect();
        let (difference, half_width) = mean_and_half_width(&differences);
        println!("{scenario}: {name}: {difference:+.4} ± {half_width:.4}");
        let farthest = difference.abs() + half_width;
        assert!(farthest < MARGIN, "{scenario}: {name} differs by {difference:+.4} ± {half_width:.4}");
    }
}

#[test]
fn over_wifi_and_lte() {
    is_the_references("wifi-and-lte", include_str!("../../../../scenarios/wifi-and-lte.toml"), true);
}

#[test]
fn when_a_path_fails() {
    is_the_references("failover", include_str!("../../../../scenarios/failover.toml"), true);
}

/// At a third of the scenario's rate, for the time that it takes. Step by step: with acknowledgements taken together, ten
/// runs here scatter by 4 %.
#[test]
fn on_a_shared_bottleneck() {
    let text = include_str!("../../../../scenarios/shared-bottleneck.toml");
    assert!(text.contains("60 Mbit/s\""));
    is_the_references("shared-bottleneck", &text.replace("60 Mbit/s\"", "20 Mbit/s\""), false);
}
