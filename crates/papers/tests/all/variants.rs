//! Variants of the papers' scenarios.

use anabranch_cc::registry;
use anabranch_papers::{all, scenarios};
use anabranch_study::variant::{NO_HYSTART, OUT_OF_TREE, TICK};
use anabranch_study::{Setup, Size, Variant};

/// The testbed of paper A.
fn testbed() -> &'static scenarios::ScenarioFile {
    scenarios::at("papers/COUPLED-CUBIC/coupled-cubic-testbed.toml")
}

/// The algorithms of a variant's scenario, by flow; `None` where the variant changes nothing.
fn algorithms_in(variant: &Variant, setup: &Setup) -> Option<Vec<String>> {
    let scenario = variant.of(setup).unwrap()?.scenario().unwrap();
    Some(scenario.flows.iter().map(|flow| format!("{} {}", flow.name, flow.cc.entry.name)).collect())
}

/// By `--cc`, by a key with parameters, and as the file has it; what has no such form stays.
#[test]
fn algorithms_are_replaced_however_they_are_given() {
    let testbed = Setup::new("", testbed());
    for (setup, expected) in [
        (testbed.clone().cc("lia"), Some(["mptcp lia@v0", "single reno"])),
        (testbed.clone().cc("lia").set("flows.single.cc", "cubic"), Some(["mptcp lia@v0", "single cubic"])),
        (testbed.clone(), Some(["mptcp coupled-cubic@v0", "single reno"])),
        (
            testbed.clone().set("flows.mptcp.cc", "{ name = \"adw-balia\", span = \"complete\" }"),
            Some(["mptcp adw-balia@v0", "single reno"]),
        ),
        (testbed.clone().cc("linked-cubic"), None),
    ] {
        assert_eq!(algorithms_in(&OUT_OF_TREE, &setup), expected.map(|all| all.map(str::to_owned).to_vec()));
    }
    let complete = testbed.set("flows.mptcp.cc", "{ name = \"adw-balia\", span = \"complete\" }");
    let scenario = OUT_OF_TREE.of(&complete).unwrap().unwrap().scenario().unwrap();
    let span = registry::ParamValue::Word("complete".into());
    assert!(scenario.flows[0].cc.params.iter().any(|(name, value)| name == "span" && *value == span));
}

/// HyStart++ is off wherever it was on, and nothing else changes.
#[test]
fn slow_starts_are_alike() {
    let hystart = |setup: &Setup| -> Vec<bool> {
        let scenario = setup.scenario().unwrap();
        let off = registry::ParamValue::Flag(false);
        let is_off = |(name, value): &(String, registry::ParamValue)| name == "hystart" && *value == off;
        scenario.flows.iter().map(|flow| flow.cc.params.iter().any(is_off)).collect()
    };
    let setup = Setup::new("", testbed()).cc("coupled-cubic").set("flows.single.cc", "cubic");
    assert_eq!(hystart(&NO_HYSTART.of(&setup).unwrap().unwrap()), [true, true]);
    let with = Setup::new("", testbed()).set("flows.mptcp.cc", "{ name = \"cubic\", c = 4.0 }");
    assert_eq!(hystart(&NO_HYSTART.of(&with).unwrap().unwrap()), [true, false]);
    let without = Setup::new("", testbed()).cc("lia");
    assert_eq!(NO_HYSTART.of(&without).unwrap(), None);
}

/// Half or a third, rounded up, of what the setup itself would have.
#[test]
fn a_column_has_a_part_of_the_seeds() {
    let variant = OUT_OF_TREE.of(&Setup::new("", testbed()).cc("lia")).unwrap().unwrap();
    assert_eq!([1, 2, 3, 5, 10].map(|seeds| variant.seeds(seeds)), [1, 1, 2, 3, 5]);
    let tick = TICK.of(&Setup::new("", testbed())).unwrap().unwrap();
    assert_eq!([1, 2, 3, 5, 20].map(|seeds| tick.seeds(seeds)), [1, 1, 1, 2, 7]);
}

/// Every experiment of a paper that ran on the out-of-tree kernel has a variant of its arithmetic, with each algorithm in it
/// that has that form.
#[test]
fn every_experiment_has_the_variant_of_out_of_tree_mptcp() {
    for paper in all().iter().filter(|paper| paper.variants.iter().any(|variant| variant.id == "v0")) {
        for definition in &paper.experiments {
            for setup in &definition.plan(Size::Quick).setups {
                let has = |setup: &Setup, so: fn(&str) -> bool| {
                    setup.scenario().unwrap().flows.iter().any(|flow| so(flow.cc.entry.name))
                };
                let has_form = |name: &str| registry::find(&format!("{name}@v0")).is_some();
                let changed = OUT_OF_TREE.of(setup).unwrap();
                assert_eq!(changed.is_some(), has(setup, has_form), "{}", definition.id());
                if let Some(changed) = changed {
                    assert!(has(&changed, |name| name.ends_with("@v0")), "{}", definition.id());
                    assert!(!has(&changed, has_form), "{}", definition.id());
                }
            }
        }
    }
}
