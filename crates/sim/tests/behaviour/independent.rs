//! A connection of several paths that uses one.

use crate::common::*;

/// Two disjoint lossy paths and a flow.
fn scenario_text(flow: &str) -> String {
    format!(
        "[links.a]\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nloss = {{ model = \"every-nth\", n = 700 }}\n\
         [links.b]\nrate = \"10 Mbit/s\"\ndelay = \"40 ms\"\nloss = {{ model = \"every-nth\", n = 900 }}\n\
         [[flows]]\nname = \"one\"\n{flow}\n"
    )
}

const BOTH: &str = "paths = [[\"a\"], [\"b\"]]";

#[test]
fn one_of_two_paths_carries_what_a_single_path_flow_would() {
    for (path, link) in [(1, "a"), (2, "b")] {
        let cc = format!("cc = {{ name = \"independent\", path = {path} }}\n{BOTH}");
        let ours = run(130.0, 10.0, &scenario_text(&cc));
        let single = run(130.0, 10.0, &scenario_text(&format!("cc = \"reno\"\npaths = [[\"{link}\"]]")));
        // A segment of MPTCP carries 1428 bytes, one of TCP 1448.
        let ratio = goodput(&ours.flows[0]) / (goodput(&single.flows[0]) * 1428.0 / 1448.0);
        assert!((ratio - 1.0).abs() < 0.02, "path {path}: {ratio}");
        let other = &ours.flows[0].subflows[2 - path];
        assert_eq!(other.goodput_bps, Some(0.0), "the other path carried data");
    }
}

#[test]
fn the_other_path_takes_over() {
    let sized = "application = { kind = \"bulk\", size = \"20 MB\" }";
    for scheduler in ["minrtt", "roundrobin", "blest", "redundant"] {
        for path in [1, 2] {
            let flow = format!(
                "cc = {{ name = \"independent\", path = {path} }}\nscheduler = \"{scheduler}\"\n{BOTH}\n{sized}\n\
                 events = [{{ at = \"4 s\", path = {path}, action = \"remove\" }}]"
            );
            let summary = run(200.0, 0.0, &scenario_text(&flow));
            assert_eq!(summary.flows[0].delivered_bytes, 20_000_000, "{scheduler}, path {path} removed");
            let rest = summary.flows[0].subflows[2 - path].goodput_bps.unwrap();
            assert!(
                rest > 0.5 * goodput(&summary.flows[0]),
                "{scheduler}: most went on the path that was left"
            );
        }
    }
}

/// A path that is a backup is used where it is the chosen one.
#[test]
fn a_chosen_backup_is_used() {
    let flow = format!("cc = \"independent\"\n{BOTH}\nbackup = [1]");
    let summary = run(20.0, 5.0, &scenario_text(&flow));
    assert!(summary.flows[0].subflows[0].goodput_bps.unwrap() > 1e6);
    assert_eq!(summary.flows[0].subflows[1].goodput_bps, Some(0.0));
}
