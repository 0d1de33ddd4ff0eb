//! Paths that carry nothing do not count.

use crate::common::*;
use anabranch_cc::registry::Kind;
use anabranch_cc_fixed::registry::entries;

/// 20 Mbit/s with a Reno flow, and 100 Mbit/s that are the backup from 10 s on.
fn scenario_text(name: &str, links: &[&str], events: &str) -> String {
    link_of("a", 20, 20, "queue = \"1 BDP\"")
        + &link_of("b", 100, 20, "queue = \"1 BDP\"")
        + &flow_of("tested", name, links, events)
        + &flow_of("neighbour", "reno", &["a"], "")
}

/// Mean goodput over twelve seeds, Mbit/s: a run scatters by a twentieth or so.
fn goodput(text: &str) -> f64 {
    (1..=12).map(|seed| run_seed(80.0, 20.0, text, seed).flows[0].goodput_bps.unwrap()).sum::<f64>() / 12e6
}

/// Within 10 % of what the algorithm gets on the path alone.
#[test]
fn a_backup_does_not_starve_the_path_in_use() {
    for entry in entries().filter(|entry| entry.kind == Kind::Coupled) {
        let alone = goodput(&scenario_text(entry.name, &["a"], ""));
        let backup = "events = [{ at = \"10 s\", path = 2, action = \"backup\" }]";
        let beside = goodput(&scenario_text(entry.name, &["a", "b"], backup));
        assert!((beside / alone - 1.0).abs() < 0.1, "{}: {beside} Mbit/s, alone {alone}", entry.name);
    }
}
