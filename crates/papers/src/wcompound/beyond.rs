//! C-X1: how much of wCompound is its delay window.

use super::{Algorithm, CUBIC, LINKED, OURS, VEGAS, WCOMPOUND, fairness, rate, two_links, variants};
use crate::paper::Definition;
use anabranch_record::SubflowSummary;
use anabranch_study::{Outcome, Setup, Size};
use anabranch_study::{Plan, measure};

pub(super) const DELAY_WINDOW: Definition = Definition {
    ids: &["C-X1"],
    title: "Beyond the paper: what the delay window adds to Reno",
    notes: &[
        "wCompound beside uncoupled Reno in the runs of C-F2, C-F4 and C-F5, and wCompound with buffers of a \
         tenth of the BDP (from the runs of C-S1 to C-S3, which are shorter). Means over the MPTCP \
         connections' subflows: delay window, backlog, threshold, and P, the part of the time in which Eq. \
         13 expects less than the threshold in the queue.",
        "What can close the window: cwnd grows by one segment per RTT whatever the delay. Once diff exceeds the threshold by as much as \
         makes E negative (Eq. 14), Eq. 39 gives no threshold at all, and the queue would have to drain to less than a segment per \
         subflow for it to return.",
        OURS,
    ],
    plan,
};

const RENO: Algorithm = ("reno", "uncoupled Reno");

/// What is shown of wCompound's subflows: observable, for readers, unit.
const INSIDE: [(&str, &str, &str); 4] = [
    ("dwnd", "delay window", "segments"),
    ("diff", "backlog by delay, diff", "segments"),
    ("alpha_r", "threshold α_r", "segments"),
    ("p", "P", ""),
];

/// An observable's mean over the MPTCP subflows.
fn inside(run: &Outcome, name: &str) -> Option<f64> {
    let multipath = run.summary.flows.iter().filter(|flow| flow.name.starts_with("mptcp/"));
    let value =
        |s: &SubflowSummary| s.mean_observables.iter().find(|(known, _)| known == name).and_then(|(_, v)| *v);
    let values: Vec<f64> = multipath.flat_map(|flow| &flow.subflows).map(value).collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A run of the paper, for an algorithm: in rows, for readers, and its links.
type Case = (&'static str, &'static str, &'static [&'static str], fn(Algorithm, Size) -> Setup);

const CASES: [Case; 3] = [
    ("F2", "two links", &["link1", "link2"], two_links::two_links),
    ("F4", "one link, CUBIC", &["link"], |cc, size| fairness::one_link(cc, CUBIC, size)),
    ("F5", "one link, Vegas", &["link"], |cc, size| fairness::one_link(cc, VEGAS, size)),
];

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    for (id, place, links, setup) in CASES {
        let short = variants::place(setup(WCOMPOUND, size), links, variants::TENTH, size);
        let setups = [setup(RENO, size), setup(WCOMPOUND, size), short, setup(LINKED, size)];
        let [reno, one, tenth, linked] = setups.map(|setup| plan.simulate(setup));
        let runs = [
            ("reno", "uncoupled Reno", reno),
            ("one-bdp", "wCompound", one),
            ("tenth-bdp", "wCompound, 0.1 BDP", tenth),
            (LINKED.0, LINKED.1, linked),
        ];
        for (run_id, name, run) in runs {
            let id = |row: &str| format!("C-X1.{id}.{run_id}.{row}");
            let what = |what: &str| format!("{place}, {name}: {what}");
            plan.row(id("mptcp"), what("MPTCP"), "Mbit/s", rate(run, "mptcp"));
            plan.row(id("tcp"), what("TCP"), "Mbit/s", rate(run, "tcp"));
            for (observable, meaning, unit) in INSIDE.into_iter().filter(|_| run == one || run == tenth) {
                let value = measure(run, move |run| inside(run, observable));
                plan.row(id(observable), what(meaning), unit, value);
            }
        }
    }
    plan
}
