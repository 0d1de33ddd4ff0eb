//! Duties of every algorithm, the kernel's included: a transfer over two lossy, marking paths, one of which fails and returns,
//! arrives whole, and the same run gives the same result.

use crate::common::*;
use anabranch_cc_fixed::registry::entries;

const SIZE: u64 = 6_000_000;

fn scenario_text(name: &str, pacing: bool) -> String {
    let lossy =
        "queue = \"1 BDP\"\necn_threshold = \"20 packets\"\nloss = { model = \"bernoulli\", rate = 0.002 }\n";
    // At 2 s all transfers are under way: 16 Mbit/s need 3 s for it.
    let fails = "changes = [{ at = \"2 s\", up = false }, { at = \"6 s\", up = true }]";
    let links = link_of("a", 10, 10, &format!("{lossy}{fails}")) + &link_of("b", 6, 30, lossy);
    let cc = format!("{{ name = \"{name}\", pacing = {pacing} }}");
    let more = format!(
        "tcp = {{ ecn = true }}\napplication = {{ kind = \"bulk\", size = \"{SIZE} B\" }}\n\
         events = [{{ at = \"7 s\", path = 2, action = \"remove\" }}, {{ at = \"8 s\", path = 2, action = \"add\" }}]"
    );
    links + &flow_of("two", &cc, &["a", "b"], &more)
}

#[test]
fn a_transfer_over_failing_paths_is_whole_and_repeatable() {
    for entry in entries() {
        for pacing in [false, true] {
            let text = scenario_text(entry.name, pacing);
            let summary = run(600.0, 0.0, &text);
            assert_eq!(summary.flows[0].delivered_bytes, SIZE, "{}", entry.name);
            assert_eq!(summary.to_json(), run(600.0, 0.0, &text).to_json(), "{}", entry.name);
            let used = summary.flows[0].subflows.iter().filter(|s| s.sent_segments > 0).count();
            let expected = if entry.name == "independent" { 1 } else { 2 };
            assert!(used >= expected, "{}: {used} paths used", entry.name);
        }
    }
}
