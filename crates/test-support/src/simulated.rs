//! The same in the simulator.

use anabranch_record::{NoSamples, Summary};
use anabranch_scenario::{Overrides, Source, load};

/// Runs a scenario with this algorithm in its multipath flows, with seeds 1 to `seeds`.
pub fn runs(name: &str, text: &str, algorithm: &str, seeds: u64) -> Vec<Summary> {
    let source = Source { name: name.into(), text: text.into() };
    let scenario = load(&source, Overrides::default().cc(algorithm)).unwrap_or_else(|e| panic!("{e}"));
    let run = |seed| anabranch_sim::run(&scenario, seed, &mut NoSamples, &mut |_| true).unwrap().summary;
    (1..=seeds).map(run).collect()
}
