//! C-L: losses and queues.

use super::{
    AS_RENO, Algorithm, CUBIC, LINKED, LOSS_BASED, OURS, WCOMPOUND, fairness, mean, run_of, simulate,
    two_links,
};
use crate::paper::Definition;
use anabranch_study::{Outcome, Size};
use anabranch_study::{Plan, Quantity, SetupId, measure};

pub(super) const OVERFLOW: Definition = Definition {
    ids: &["C-L"],
    title: "Losses and queues of wCompound and of the loss-based algorithms",
    notes: &[
        "The introduction: since wCompound does not send too many packets on congested paths, packet loss by \
         buffer overflow is greatly reduced, which avoids a serious increase of delay. Measured in the runs \
         of C-F2 and C-F4: the MPTCP connections' losses ÷ segments sent, mean of the five, and the mean \
         queue of each link.",
        "Link 1 and the shared link are filled by CUBIC too; link 2 carries MPTCP alone.",
        OURS,
    ],
    plan,
};

/// Lost ÷ sent, mean over the connections.
fn loss_rate(run: SetupId) -> Quantity {
    measure(run, |run| {
        mean(run, "mptcp", |flow| {
            let sum = |count: fn(&anabranch_record::SubflowSummary) -> u64| {
                flow.subflows.iter().map(count).sum::<u64>() as f64
            };
            let sent = sum(|s| s.sent_segments);
            (sent > 0.0).then(|| sum(|s| s.lost_segments) / sent)
        })
    })
}

/// Full-sized packets that wait at a link, on average.
fn queue(run: SetupId, link: &'static str) -> Quantity {
    let packets = move |run: &Outcome| {
        Some(run.summary.links.iter().find(|l| l.name == link)?.mean_queue_bytes / 1500.0)
    };
    measure(run, packets)
}

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    let algorithms: Vec<Algorithm> = LOSS_BASED.into_iter().chain([WCOMPOUND, LINKED]).collect();
    let two = simulate(&mut plan, &algorithms, |cc| two_links::two_links(cc, size));
    let one = simulate(&mut plan, &algorithms, |cc| fairness::one_link(cc, CUBIC, size));
    for (id, place, runs, links) in
        [("F2", "two links", two, &["link1", "link2"][..]), ("F4", "one link", one, &["link"][..])]
    {
        let ours = run_of(&runs, WCOMPOUND);
        for (cc, run) in runs.iter().filter(|(cc, _)| LOSS_BASED.contains(cc)) {
            plan.ordering(
                format!("C-L.{id}.loss.{}", cc.0),
                format!("{place}: wCompound loses a smaller part than {}", cc.1),
                "",
                vec![(WCOMPOUND.1, loss_rate(ours)), (cc.1, loss_rate(*run))],
            )
            .because(AS_RENO);
            for link in links {
                plan.ordering(
                    format!("C-L.{id}.{link}.queue.{}", cc.0),
                    format!("{place}: the queue of {link} is shorter with wCompound than with {}", cc.1),
                    "packets",
                    vec![(WCOMPOUND.1, queue(ours, link)), (cc.1, queue(*run, link))],
                )
                .because(AS_RENO);
            }
        }
        let linked = run_of(&runs, LINKED);
        let id = |row: &str| format!("C-L.{id}.{}.{row}", LINKED.0);
        let what = format!("{place}, {}: losses ÷ segments sent", LINKED.1);
        plan.row(id("loss"), what, "", loss_rate(linked));
        for link in links {
            let what = format!("{place}, {}: queue of {link}", LINKED.1);
            plan.row(id(&format!("{link}.queue")), what, "packets", queue(linked, link));
        }
    }
    plan
}
