//! A-X8: when α₁ of Eq. 11 is renewed.

use super::testbed::{PARTS, testbed_with, throughput, window};
use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::{Plan, measure};
use anabranch_study::{Setup, Size};

pub(super) const EPOCHS: Definition = Definition {
    ids: &["A-X8"],
    title: "Beyond the paper: α₁ renewed with each ACK, or once in a path's epoch",
    notes: &[
        "Eq. 11 does not say when. With each ACK a loss on one path raises the other's window within a round trip, by as much as α₁ \
         rises; renewed where the path's own epoch begins, α₁ stays while the window grows. The runs of A-T5 and A-T6, and those of \
         A-X2, where two large-BDP subflows share a bottleneck with one CUBIC flow; at most two seeds.",
    ],
    plan,
};

/// In rows, for readers, and as a scenario writes it.
const READINGS: [(&str, &str, &str); 2] = [
    ("ack", "each ACK", "coupled-cubic"),
    ("epoch", "each epoch", "{ name = \"coupled-cubic\", factor = \"epoch\" }"),
];

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    for (id, name, cc) in READINGS {
        let title = |place: &str| format!("Coupled CUBIC, α₁ renewed with {name}, {place}");
        let run = plan.simulate(testbed_with(&title("on the testbed"), cc, size).at_most(2));
        let row = |row: &str| format!("A-X8.{id}.{row}");
        let what = |what: &str| format!("α₁ with {name}: {what}");
        for (r, published) in [4730.0, 68.0].into_iter().enumerate() {
            let of = what(&format!("mean window of subflow {}", r + 1));
            plan.row(row(&format!("window{}", r + 1)), of, "segments", window(run, r))
                .beside(published, "Tab. 5");
        }
        let alpha = measure(run, |run| run.observable("mptcp", 0, "alpha1"));
        plan.row(row("alpha1"), what("mean α₁"), "", alpha);
        for (i, published) in [402.0, 21.0, 423.0].into_iter().enumerate() {
            plan.row(row(&PARTS[i].replace(' ', "")), what(PARTS[i]), "Mbit/s", throughput(run, i))
                .beside(published, "Tab. 6 and the text");
        }
        let shared =
            Setup::new(title("beside CUBIC on one large-BDP bottleneck"), &scenarios::SHARED_BOTTLENECK)
                .set("flows.mptcp.cc", cc)
                .lasting(size.own(200.0), size.own(40.0));
        let run = plan.simulate(shared.at_most(2));
        let ratio = measure(run, |run| Some(run.goodput("mptcp")? / run.goodput("single")?));
        plan.row(row("ratio"), what("both subflows ÷ single-path CUBIC on one bottleneck"), "", ratio);
    }
    plan
}
