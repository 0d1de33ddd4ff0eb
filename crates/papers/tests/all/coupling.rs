//! The networks of the study Coupling CUBIC.

use anabranch_papers::find;
use anabranch_study::{Setup, Size};
use std::collections::BTreeSet;

const RATES: [&str; 3] = ["E-10", "E-100", "E-1000"];

/// The simulations of a rate, of the connection with LIA or of the single flows, each with its network.
fn of(who: &str, rate: &str, size: Size) -> Vec<(String, Setup)> {
    let study = find("coupling-cubic").unwrap();
    let experiment = study.experiments.iter().find(|e| e.id() == rate).unwrap();
    let plan = experiment.plan(size);
    let named = |setup: &Setup| Some((setup.title.strip_prefix(who)?.to_owned(), setup.clone()));
    plan.setups.iter().filter_map(named).collect()
}

fn networks(rate: &str, size: Size) -> BTreeSet<String> {
    of("lia: ", rate, size).into_iter().map(|(network, _)| network).collect()
}

#[test]
fn the_matrix_has_432_networks_and_its_part_is_of_it() {
    for rate in RATES {
        let (all, part) = (networks(rate, Size::Full), networks(rate, Size::Default));
        assert_eq!((all.len(), part.len()), (144, 9), "{rate}");
        assert!(part.is_subset(&all) && part == networks(rate, Size::Quick));
    }
}

/// Two subflows are half-shared exactly where they are separate: of "separate, 2" one is the array's half-shared.
#[test]
fn each_two_values_meet_once_in_the_part() {
    for rate in RATES {
        let part = networks(rate, Size::Default);
        let columns = part.iter().map(|network| {
            let mut values: Vec<&str> = network.split(", ").collect();
            values[1] = values[1].split(' ').next().unwrap();
            if values == ["separate", "2", "4 BDP", "1e-6"] {
                values[0] = "half-shared";
            }
            values
        });
        let columns: Vec<_> = columns.collect();
        for (a, b) in (0..4).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let pairs: BTreeSet<_> = columns.iter().map(|values| (values[a], values[b])).collect();
            assert_eq!(pairs.len(), 9, "{rate}: columns {a} and {b}");
        }
        let far = part.iter().filter(|network| network.contains("20/200")).count();
        assert_eq!(far, if rate == "E-10" { 4 } else { 5 });
    }
}

/// The yardstick has the connection's links: rate, delay, loss, and buffer in bytes; and its paths end on each of them.
#[test]
fn one_network_for_both() {
    for rate in RATES {
        let single = of("single CUBIC flows: ", rate, Size::Full);
        for (network, ours) in of("lia: ", rate, Size::Full) {
            let (_, single) = single.iter().find(|(known, _)| *known == network).unwrap();
            let [ours, single] = [&ours, single].map(|setup| setup.scenario().unwrap());
            for (ours, single) in
                ours.links.iter().zip(&single.links).filter(|(link, _)| link.name != "detour")
            {
                assert_eq!(ours.spec, single.spec, "{} of {network}", ours.name);
            }
            let ends = |scenario: &anabranch_scenario::Scenario| -> BTreeSet<usize> {
                scenario.flows[0].paths.iter().map(|path| *path.links.last().unwrap()).collect()
            };
            assert_eq!(ends(&ours), ends(&single), "{network}");
            assert_eq!(single.flows[0].paths.len(), ends(&single).len(), "{network}");
        }
    }
}
