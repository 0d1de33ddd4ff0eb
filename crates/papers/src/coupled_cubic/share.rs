//! A-T2: LIA's window beside Reno's.

use crate::disjoint::{CASES, setup};
use crate::paper::Definition;
use anabranch_study::{Outcome, Rule, Size};
use anabranch_study::{Plan, measure};

pub(super) const SHARE: Definition = Definition {
    ids: &["A-T2"],
    title: "Mean window of LIA ÷ mean window of Reno = √α",
    notes: &[
        "Tab. 2: LIA √(3α/2p), Reno √(3/2p), so their proportion is √α. (\"Linux proportion √(α/α_s)\" is \
         the same law: the kernel's α carries the scale α_s.)",
        "With an increase of α/Σw per segment and halving, w_r·Σw = α·W_R², so the exact proportion is \
         √(α·w_r/Σw). It is √α only where one path holds nearly all of the window. Both are measured on \
         path 1, the better one.",
        "LIA over two disjoint paths that are never full, one Reno flow on each, Bernoulli loss, 1000 s \
         after 60 s of warm-up (quick: 100 s, full: 4000 s).",
    ],
    plan,
};

/// LIA's mean window on path 1 ÷ that of Reno there.
fn ratio(run: &Outcome) -> Option<f64> {
    Some(run.cwnd("mptcp", 0)? / run.cwnd("tcp1", 0)?)
}

/// The mean of α.
fn alpha(run: &Outcome) -> Option<f64> {
    run.observable("mptcp", 0, "alpha")
}

/// √(α·w₁/Σw) from the means.
fn exact(run: &Outcome) -> Option<f64> {
    let (w1, w2) = (run.cwnd("mptcp", 0)?, run.cwnd("mptcp", 1)?);
    Some((alpha(run)? * w1 / (w1 + w2)).sqrt())
}

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    for case in &CASES {
        let run = plan.simulate(setup(case, size));
        let id = |row: &str| format!("A-T2.{}.{row}", case.id);
        let what = |value: &str| format!("{}: {value}", case.name);
        plan.row(id("alpha"), what("mean α"), "", measure(run, alpha));
        plan.row(id("ratio"), what("w₁ of LIA ÷ w of Reno"), "", measure(run, ratio));
        plan.row(
            id("sqrt-alpha"),
            what("(w₁ of LIA ÷ w of Reno) ÷ √α"),
            "",
            measure(run, |run| Some(ratio(run)? / alpha(run)?.sqrt())),
        )
        .claim("the proportion is √α (Tab. 2)", Rule::Near(1.0))
        .because("√α lacks the factor √(w₁/Σw): the next row has the exact law.");
        plan.row(
            id("exact"),
            what("(w₁ of LIA ÷ w of Reno) ÷ √(α·w₁/Σw), the exact law"),
            "",
            measure(run, |run| Some(ratio(run)? / exact(run)?)),
        );
    }
    plan
}
