//! C-F4, C-F5: one link shared with CUBIC and with Vegas.

use super::{
    ALL, AS_RENO, Algorithm, CUBIC, LINKED, LOSS_BASED, OURS, VEGAS, WCOMPOUND, WVEGAS, goodput, rate, ratio,
    run_of, setup, simulate,
};
use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::draw::{axis, bars, boxes, series};
use anabranch_study::{Axis, Figure, Outcome, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, compare, measure};

const EVEN: &str = "Goodput of a flow, mean of the five of a kind; a connection's two subflows together. An \
                    even split would give 30 Mbit/s to each of the ten, and a Jain's index of 1; half of \
                    them with nothing 0.5 or less.";

pub(super) const FIGURE_4: Definition = Definition {
    ids: &["C-F4"],
    title: "A link of 300 Mbit/s: five CUBIC flows and five MPTCP connections with two subflows each",
    notes: &[EVEN, OURS],
    plan: figure_4,
};

pub(super) const FIGURE_5: Definition = Definition {
    ids: &["C-F5"],
    title: "The same link with five Vegas flows in place of CUBIC",
    notes: &[EVEN, OURS],
    plan: figure_5,
};

/// One of their simulations.
pub(super) fn one_link(cc: Algorithm, tcp: Algorithm, size: Size) -> Setup {
    setup(&scenarios::WCOMPOUND_BOTTLENECK, cc, tcp, size)
}

/// Jain's index of the ten goodputs.
fn jain(run: SetupId) -> Quantity {
    measure(run, |run| run.summary.jain)
}

type Runs = Vec<(Algorithm, SetupId)>;

/// The runs, their rows and the figure.
fn shared(plan: &mut Plan, id: &'static str, tcp: Algorithm, title: &'static str, size: Size) -> Runs {
    let runs = simulate(plan, &ALL, |cc| one_link(cc, tcp, size));
    let shown = [runs.clone(), simulate(plan, &[LINKED], |cc| one_link(cc, tcp, size))].concat();
    for (cc, run) in &shown {
        let row = |what: &str| format!("{id}.{}.{what}", cc.0);
        plan.row(row("mptcp"), format!("{}: MPTCP", cc.1), "Mbit/s", rate(*run, "mptcp"));
        plan.row(row("tcp"), format!("{}: {}", cc.1, tcp.1), "Mbit/s", rate(*run, "tcp"));
        plan.row(row("jain"), format!("{}: Jain's index of the ten", cc.1), "", jain(*run));
    }
    let drawn = shown.clone();
    plan.figure(move |all| {
        let bar = |group| {
            drawn.iter().filter_map(|(cc, run)| all.bar(cc.1, &rate(*run, group))).collect::<Vec<_>>()
        };
        Figure {
            id: id.into(),
            title: title.into(),
            panels: vec![bars(
                "",
                axis("average rate (Mbit/s)"),
                vec![series("MPTCP", bar("mptcp")), series(tcp.1, bar("tcp"))],
            )],
        }
    });
    plan.figure(move |all| {
        let y = Axis { domain: Some((0.0, 1.0)), ..axis("Jain's fairness index") };
        let points = shown.iter().flat_map(|(cc, run)| all.spread(cc.1, &jain(*run)));
        Figure {
            id: format!("{id}.jain"),
            title: format!("Jain's index of five MPTCP connections and five {} flows, over seeds", tcp.1),
            panels: vec![boxes("", y, vec![series("all ten", points.collect())])],
        }
    });
    runs
}

/// The claim that wCompound keeps level with TCP.
const LEVEL: &str = "wCompound can always maintain a similar rate to regular TCP flows";

fn figure_4(size: Size) -> Plan {
    let mut plan = Plan::new();
    let runs = shared(&mut plan, "C-F4", CUBIC, "Sharing bottleneck link with loss-based TCP flows", size);
    plan.row("C-F4.wvegas-starves", "wVegas ÷ CUBIC", "", ratio(run_of(&runs, WVEGAS)))
        .claim("wVegas obtains much less throughput than CUBIC: at most half", Rule::AtMost(0.5));
    for cc in LOSS_BASED {
        let run = run_of(&runs, cc);
        plan.ordering(
            format!("C-F4.below.{}", cc.0),
            format!("{} is far from catching up with CUBIC", cc.1),
            "Mbit/s",
            vec![(cc.1, rate(run, "mptcp")), (CUBIC.1, rate(run, "tcp"))],
        );
    }
    let [lia, others @ ..] = LOSS_BASED;
    for cc in others {
        let totals = |a: &Outcome, b: &Outcome| Some(goodput(a, "mptcp")? / goodput(b, "mptcp")?);
        plan.row(
            format!("C-F4.alike.{}", cc.0),
            format!("{} ÷ {}", cc.1, lia.1),
            "",
            compare(run_of(&runs, cc), run_of(&runs, lia), totals),
        )
        .claim("LIA, OLIA and BALIA behave the same", Rule::Near(1.0));
    }
    plan.row("C-F4.level", "wCompound ÷ CUBIC", "", ratio(run_of(&runs, WCOMPOUND)))
        .claim(LEVEL, Rule::Near(1.0))
        .because(format!("{AS_RENO} C-S2 has other buffers."));
    plan
}

fn figure_5(size: Size) -> Plan {
    let mut plan = Plan::new();
    let runs = shared(&mut plan, "C-F5", VEGAS, "Sharing bottleneck link with delay-based TCP flows", size);
    plan.row("C-F5.wvegas-fair", "wVegas ÷ Vegas", "", ratio(run_of(&runs, WVEGAS)))
        .claim("delay-based MPTCP is fair to delay-based TCP", Rule::Near(1.0))
        .because(
            "By its parameters a wVegas connection keeps total_α = 10 segments queued, and a Vegas flow 2 to 4: shares of 2.5 to 5 \
             to one. The paper ran the module of the retired kernel: see its column.",
        );
    for cc in LOSS_BASED {
        plan.row(format!("C-F5.steals.{}", cc.0), format!("{} ÷ Vegas", cc.1), "", ratio(run_of(&runs, cc)))
            .claim(
                "loss-based MPTCP steals a lot of bandwidth from Vegas: at least twice",
                Rule::AtLeast(2.0),
            );
    }
    plan.row("C-F5.level", "wCompound ÷ Vegas", "", ratio(run_of(&runs, WCOMPOUND)))
        .claim(LEVEL, Rule::Near(1.0))
        .because(format!("{AS_RENO} C-S3 has other buffers."));
    plan
}
