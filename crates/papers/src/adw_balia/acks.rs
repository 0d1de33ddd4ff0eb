//! D-X1: how often a receiver acknowledges.

use super::scenario::*;
use crate::paper::Definition;
use anabranch_study::Plan;
use anabranch_study::Size;
use anabranch_study::{Rule, Setup};

pub(super) const ACKS: Definition = Definition {
    ids: &["D-X1"],
    title: "Beyond the paper: how often a receiver acknowledges, in Scenarios 1 and 2",
    notes: &[
        "The rows of D-F7 and D-F8 with an ACK for every segment and for every other one, as the standard has it, at all flows. Linux \
         lies between: it acknowledges each segment at a connection's start, and cards that join segments (GRO) make it \
         acknowledge less often than every other one.",
        "The retired kernel's LIA, OLIA and BALIA count ACKs where RFC 6356 and single-path TCP count what they acknowledge. With an ACK \
         for every segment both are the same.",
    ],
    plan,
};

/// For readers, and segments per ACK.
const RECEIVERS: [(&str, u32); 2] = [("every segment", 1), ("every other segment", 2)];

fn acknowledged(mut setup: Setup, name: &str, segments: u32) -> Setup {
    setup.title += &format!(", {name} acknowledged");
    ["mptcp", "h3", "h5"]
        .iter()
        .fold(setup, |setup, flow| setup.set(&format!("flows.{flow}.tcp.delayed_ack"), segments.to_string()))
}

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    for (scenario, published) in [
        (&S1, ["0.8 to 0.9"; 3]),
        (&S2, ["about 0.75", "in the worst case nearly 0.5", "the best of the three"]),
    ] {
        for (name, segments) in RECEIVERS {
            for cc in EXISTING.into_iter().chain([ADW, UNCOUPLED]) {
                let run = plan.simulate(acknowledged(scenario.setup(cc, size), name, segments));
                let id = |row: &str| format!("D-X1.{}.{}.{segments}{row}", scenario.id, cc.id);
                let what = |what: &str| format!("{}, {name}, {}: {what}", scenario.name, cc.name);
                let row = plan.row(id(""), what("MPTCP throughput ÷ fair share"), "", scenario.share(run));
                if let Some(i) = EXISTING.iter().position(|known| *known == cc) {
                    row.claim(published[i], Rule::NotJudged);
                }
                let tcp = what("TCP throughput ÷ fair share, mean of h3 and h5");
                plan.row(id(".tcp"), tcp, "", scenario.tcp_shares(run));
            }
        }
    }
    plan
}
