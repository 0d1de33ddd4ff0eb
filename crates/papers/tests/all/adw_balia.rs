//! Paper D's networks: Tab. 1's ideal throughputs, as the study file has them.

use anabranch_papers::scenarios;
use anabranch_study::Setup;
use std::collections::BTreeMap;
use toml::{Table, Value};

const STUDY: &str = include_str!("../../../../studies/papers/ADW-BALIA/adw-balia.toml");

/// They fill the bottlenecks of each topology, and no other link.
#[test]
fn ideal_throughputs_fill_the_bottlenecks() {
    let study: Table = STUDY.parse().unwrap();
    let networks = study["axes"]["network"].as_array().unwrap();
    for (id, full) in [
        ("fig-1a", &["bottleneck"][..]),
        ("S1", &["bottleneck"]),
        ("S2", &["bottleneck1", "bottleneck2"]),
        ("S3", &["shared"]),
        ("S4", &["bottleneck1", "bottleneck2"]),
        ("S5", &["bottleneck1", "bottleneck2", "shared"]),
        ("S5-crossing", &["bottleneck1", "bottleneck2", "shared"]),
    ] {
        let network = networks.iter().find(|network| network["id"].as_str() == Some(id)).expect(id);
        for (link, used) in used(network) {
            let fits = if full.contains(&&*link) { (used - 1.0).abs() < 1e-9 } else { used < 0.9 };
            assert!(fits, "{id}, {link}: {used}");
        }
    }
}

/// The fraction of each link that the ideal throughputs take; a connection's is divided evenly among its subflows.
fn used(network: &Value) -> BTreeMap<String, f64> {
    let file = scenarios::at(&format!("papers/ADW-BALIA/{}", network["file"].as_str().unwrap()));
    let set = network.get("set").and_then(Value::as_table).into_iter().flatten();
    let setup = set.fold(Setup::new("", file), |setup, (key, value)| setup.set(key, value.to_string()));
    let scenario = setup.scenario().unwrap();
    let mut used = BTreeMap::new();
    for flow in &scenario.flows {
        let key = if flow.name == "mptcp" { "ideal" } else { &flow.name };
        let ideal_bps = network[key].as_float().unwrap() * 1e6 / flow.paths.len() as f64;
        for link in flow.paths.iter().flat_map(|path| &path.links) {
            let link = &scenario.links[*link];
            *used.entry(link.name.clone()).or_default() += ideal_bps / link.spec.rate_bps;
        }
    }
    used
}
