//! B-D: LIA's fixed point, both sides of (6) and of (8).

use crate::disjoint::{CASES, setup};
use crate::paper::Definition;
use anabranch_study::{Outcome, Rule, Size};
use anabranch_study::{Plan, measure};

pub(super) const DERIVATION: Definition = Definition {
    ids: &["B-D"],
    title: "The derivation of α: Σ cwnd/rtt of LIA = the best single-path rate",
    notes: &[
        "LIA over two disjoint paths that are never full, and on each path one Reno flow, which meets the \
         same loss rate: it is the derivation's \"supposed single TCP flow\". Bernoulli loss, 1000 s after \
         60 s of warm-up (quick: 100 s, full: 4000 s).",
        "(6): Σ cwnd_i/rtt_i = max cwnd_i^TCP/rtt_i. (8): α (Σ cwnd_i/rtt_i)² = max \
         cwnd_total·cwnd_i/rtt_i². Mean windows and RTTs stand for the windows and RTTs.",
    ],
    plan,
};

/// The right side of (6): the best of the Reno flows, in segments per second.
fn best_single(run: &Outcome) -> Option<f64> {
    let rate = |flow: &str| Some(run.cwnd(flow, 0)? / run.rtt(flow, 0)?);
    Some(rate("tcp1")?.max(rate("tcp2")?))
}

/// The left side of (8) ÷ its right side.
fn sides_of_8(run: &Outcome) -> Option<f64> {
    let w = [run.cwnd("mptcp", 0)?, run.cwnd("mptcp", 1)?];
    let rtt = [run.rtt("mptcp", 0)?, run.rtt("mptcp", 1)?];
    let alpha = run.observable("mptcp", 0, "alpha")?;
    let left = alpha * run.window_rate("mptcp")?.powi(2);
    let right = (w[0] + w[1]) * f64::max(w[0] / rtt[0].powi(2), w[1] / rtt[1].powi(2));
    Some(left / right)
}

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    for case in &CASES {
        let run = plan.simulate(setup(case, size));
        let id = |row: &str| format!("B-D.{}.{row}", case.id);
        let what = |value: &str| format!("{}: {value}", case.name);
        let left = measure(run, |run| run.window_rate("mptcp"));
        plan.row(id("6-left"), what("Σ cwnd/rtt of LIA, left side of (6)"), "segments/s", left);
        let right = measure(run, best_single);
        plan.row(id("6-right"), what("best Reno cwnd/rtt, right side of (6)"), "segments/s", right);
        let ratio = measure(run, |run| Some(run.window_rate("mptcp")? / best_single(run)?));
        plan.row(id("6"), what("left ÷ right side of (6)"), "", ratio)
            .claim("(6): they are equal in equilibrium", Rule::Near(1.0));
        plan.row(id("8"), what("left ÷ right side of (8)"), "", measure(run, sides_of_8))
            .claim("(8): they are equal in equilibrium", Rule::Near(1.0))
            .because(
                "(8) is about moments, and these are means: of two windows that vary the mean of the larger exceeds the \
                 larger mean.",
            );
    }
    plan
}
