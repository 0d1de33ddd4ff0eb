//! A-X6: how often a receiver acknowledges.

use super::testbed::{PARTS, lia, throughput, window};
use crate::paper::Definition;
use anabranch_study::Plan;
use anabranch_study::Size;

pub(super) const ACKS: Definition = Definition {
    ids: &["A-X6"],
    title: "Beyond the paper: how often a receiver acknowledges, with LIA",
    notes: &[
        "The run of A-T4 with an ACK for every segment and for every other one, as the standard has it, at both flows; at most three \
         seeds. Linux lies between: it acknowledges each segment at a connection's start, and cards that join segments (GRO) make \
         it acknowledge less often than every other one.",
        "Eq. 2 adds \"whenever an ACK is received\". So does the kernel of the paper, where RFC 6356 counts the bytes that an ACK \
         acknowledges. With an ACK for every segment both are the same.",
    ],
    plan: |size| {
        let mut plan = Plan::new();
        plan.beyond();
        for (name, segments) in [("every segment", 1), ("every other segment", 2)] {
            acknowledged(&mut plan, name, segments, size);
        }
        plan
    },
};

fn acknowledged(plan: &mut Plan, name: &str, segments: u32, size: Size) {
    let mut setup = lia(size);
    setup.title += &format!(", {name} acknowledged");
    for flow in ["mptcp", "single"] {
        setup = setup.set(&format!("flows.{flow}.tcp.delayed_ack"), segments.to_string());
    }
    let run = plan.simulate(setup.at_most(3));
    for (r, published) in [849.0, 62.0].into_iter().enumerate() {
        let what = format!("{name} acknowledged: mean window of subflow {}", r + 1);
        plan.row(format!("A-X6.{segments}.window{}", r + 1), what, "segments", window(run, r))
            .beside(published, "Tab. 4");
    }
    for (i, published) in [95.0, 20.0, 115.0].into_iter().enumerate() {
        let id = format!("A-X6.{segments}.{}", PARTS[i].replace(' ', ""));
        plan.row(id, format!("{name} acknowledged: throughput, {}", PARTS[i]), "Mbit/s", throughput(run, i))
            .beside(published, "the text");
    }
}
