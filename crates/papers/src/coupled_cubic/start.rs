//! A-X7: how a run begins.

use super::testbed::{PARTS, SLOW_START_S, testbed_with, throughput, window};
use crate::paper::Definition;
use anabranch_study::Size;
use anabranch_study::{Plan, SetupId, measure};

pub(super) const START: Definition = Definition {
    ids: &["A-X7"],
    title: "Beyond the paper: how a run begins",
    notes: &[
        "Slow start ends by a loss, by HyStart++ (RFC 9406) or at an initial threshold. The default has HyStart++ in CUBIC and Coupled \
         CUBIC, as Linux' CUBIC has such a rule, and not in LIA: comparisons mix two starts. Here both have it, and neither.",
        "In the paper's Fig. 5 LIA's window grows from little for 240 s. LIA with an initial threshold of the initial window, 10 \
         segments, never is in slow start before a timeout: whether that gives the paper's first loss and means is what these rows \
         ask, with ACKs counted as the RFC does and (column of the retired kernel) as the paper's kernel did. At most two seeds.",
    ],
    plan,
};

/// A start: in rows, for readers, the algorithm as a scenario writes it, and the initial threshold in segments.
struct Start {
    id: &'static str,
    name: &'static str,
    cc: &'static str,
    threshold: Option<u32>,
}

const LIA: [Start; 3] = [
    Start { id: "lia", name: "LIA, start as it is", cc: "lia", threshold: None },
    Start {
        id: "lia-hystart",
        name: "LIA with HyStart++",
        cc: "{ name = \"lia\", hystart = true }",
        threshold: None,
    },
    Start {
        id: "lia-threshold",
        name: "LIA, initial threshold of 10 segments",
        cc: "lia",
        threshold: Some(10),
    },
];
const COUPLED: [Start; 2] = [
    Start {
        id: "coupled-cubic",
        name: "Coupled CUBIC, start as it is",
        cc: "coupled-cubic",
        threshold: None,
    },
    Start {
        id: "coupled-cubic-plain",
        name: "Coupled CUBIC without HyStart++",
        cc: "{ name = \"coupled-cubic\", hystart = false }",
        threshold: None,
    },
];

impl Start {
    fn simulate(&self, plan: &mut Plan, size: Size) -> SetupId {
        let mut setup = testbed_with(&format!("{} on the testbed", self.name), self.cc, size).at_most(2);
        if let Some(segments) = self.threshold {
            setup = setup.set("flows.mptcp.tcp.initial_ssthresh", segments.to_string());
        }
        plan.simulate(setup)
    }

    /// Windows and throughputs beside the published ones.
    fn rows(&self, plan: &mut Plan, run: SetupId, windows: [f64; 2], rates: [f64; 3]) {
        for (r, published) in windows.into_iter().enumerate() {
            let what = format!("{}: mean window of subflow {}", self.name, r + 1);
            plan.row(format!("A-X7.{}.window{}", self.id, r + 1), what, "segments", window(run, r))
                .beside(published, "Tab. 4 and 5");
        }
        for (i, published) in rates.into_iter().enumerate() {
            let id = format!("A-X7.{}.{}", self.id, PARTS[i].replace(' ', ""));
            plan.row(id, format!("{}: throughput, {}", self.name, PARTS[i]), "Mbit/s", throughput(run, i))
                .beside(published, "Tab. 6 and the text");
        }
    }
}

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    for start in &LIA {
        let run = start.simulate(&mut plan, size);
        start.rows(&mut plan, run, [849.0, 62.0], [95.0, 20.0, 115.0]);
        let from_s = if start.threshold.is_some() { 0.0 } else { SLOW_START_S };
        let id = |row: &str| format!("A-X7.{}.{row}", start.id);
        let what = |what: &str| format!("{}: {what}", start.name);
        let time = measure(run, move |run| Some(run.loss_after("mptcp", 0, from_s)?.0));
        plan.row(id("first-loss-time"), what("first loss on subflow 1 after slow start"), "s", time)
            .beside(240.0, "the text");
        let at = measure(run, move |run| Some(run.loss_after("mptcp", 0, from_s)?.1));
        plan.row(id("first-loss-window"), what("window of subflow 1 at that loss"), "segments", at)
            .beside(1290.0, "the text");
    }
    for start in &COUPLED {
        let run = start.simulate(&mut plan, size);
        start.rows(&mut plan, run, [4730.0, 68.0], [402.0, 21.0, 423.0]);
    }
    plan
}
