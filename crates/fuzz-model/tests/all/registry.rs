//! Every registered algorithm, those in the kernel's arithmetic included, driven at random for a short while. `make fuzz` does so at length.

use crate::random_bytes;
use anabranch_cc_fixed::registry::entries;
use anabranch_fuzz_model::{Plan, check, shrink};

/// Plans per algorithm, of about 100 events each.
const PLANS: u64 = 200;

#[test]
fn every_algorithm_keeps_the_rules() {
    let failures: Vec<String> = entries()
        .filter_map(|entry| {
            let plan = |seed| Plan::for_algorithm(entry, &random_bytes(seed, 1200));
            let failure = (0..PLANS).find_map(|seed| check(&plan(seed)).err())?;
            Some(shrink(failure).to_string())
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
