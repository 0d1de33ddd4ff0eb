//! C-F2: two links, CUBIC on the first.

use super::{
    ALL, AS_RENO, Algorithm, BALIA, CUBIC, LIA, LINKED, OLIA, OURS, WCOMPOUND, WVEGAS, goodput, rate, run_of,
    setup, simulate, subflow, subflow_rate,
};
use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::draw::{axis, bars, series};
use anabranch_study::{Figure, Outcome, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, Runs, SetupId, compare, measure};

pub(super) const FIGURE_2: Definition = Definition {
    ids: &["C-F2"],
    title: "Two links of 150 Mbit/s, five CUBIC flows on the first, five MPTCP connections on both",
    notes: &[
        "Goodput of a flow, mean of the five of a kind. An even split would give 30 Mbit/s to each of the ten.",
        OURS,
    ],
    plan: figure_2,
};

/// What the figure has a bar for: in rows, for readers, and as a quantity.
type Part = (&'static str, &'static str, fn(SetupId) -> Quantity);

pub(super) const PARTS: [Part; 4] = [
    ("tcp", "CUBIC", |run| rate(run, "tcp")),
    ("subflow1", "subflow 1", |run| subflow_rate(run, 0)),
    ("subflow2", "subflow 2", |run| subflow_rate(run, 1)),
    ("total", "MPTCP_TOTAL", |run| rate(run, "mptcp")),
];

/// The part of a connection's goodput that goes over link 2.
fn second_link(run: &Outcome) -> Option<f64> {
    Some(subflow(run, 1)? / (subflow(run, 0)? + subflow(run, 1)?))
}

/// One of its simulations.
pub(super) fn two_links(cc: Algorithm, size: Size) -> Setup {
    setup(&scenarios::WCOMPOUND_TWO_LINKS, cc, CUBIC, size)
}

fn figure_2(size: Size) -> Plan {
    let mut plan = Plan::new();
    let runs = simulate(&mut plan, &ALL, |cc| two_links(cc, size));
    let shown = [runs.clone(), simulate(&mut plan, &[LINKED], |cc| two_links(cc, size))].concat();
    for (cc, run) in &shown {
        for (part, name, quantity) in PARTS {
            plan.row(format!("C-F2.{}.{part}", cc.0), format!("{}: {name}", cc.1), "Mbit/s", quantity(*run));
        }
        plan.row(
            format!("C-F2.{}.share2", cc.0),
            format!("{}: part of the total on link 2", cc.1),
            "",
            measure(*run, second_link),
        );
    }
    let ours = run_of(&runs, WCOMPOUND);
    totals(&mut plan, &runs, ours);
    neighbours(&mut plan, &runs, ours);
    balance(&mut plan, &runs, ours);
    let used = shown.clone();
    plan.conclude(move |all| links_used(all, &used).into_iter().collect());
    plan.figure(move |all| {
        let bar = |quantity: fn(SetupId) -> Quantity| {
            shown.iter().filter_map(|(cc, run)| all.bar(cc.1, &quantity(*run))).collect()
        };
        let parts = PARTS.into_iter().map(|(_, name, quantity)| series(name, bar(quantity)));
        Figure {
            id: "C-F2".into(),
            title: "The average rates of CUBIC and two subflows".into(),
            panels: vec![bars("", axis("average rate (Mbit/s)"), parts.collect())],
        }
    });
    plan
}

/// How full both links are with each algorithm: what a higher total is taken from.
fn links_used(all: &Runs<'_>, runs: &[(Algorithm, SetupId)]) -> Option<String> {
    let least = |link: &'static str| {
        let used = |(_, run): &(Algorithm, SetupId)| {
            Some(all.estimate(&measure(*run, move |run| run.utilisation(link)))?.mean)
        };
        let used: Vec<f64> = runs.iter().map(used).collect::<Option<_>>()?;
        Some(used.into_iter().fold(f64::INFINITY, f64::min) * 100.0)
    };
    Some(format!(
        "With each algorithm link 1 is used by at least {:.0} % and link 2 by at least {:.0} %: by so much a higher total can come from \
         bandwidth that nobody used, and the rest is taken from CUBIC.",
        least("link1")?,
        least("link2")?
    ))
}

/// wCompound's total is the highest, wVegas's collapses.
fn totals(plan: &mut Plan, runs: &[(Algorithm, SetupId)], ours: SetupId) {
    for (cc, run) in runs.iter().filter(|(cc, _)| *cc != WCOMPOUND) {
        plan.ordering(
            format!("C-F2.highest.{}", cc.0),
            format!("wCompound achieves the highest total rate: above {}'s", cc.1),
            "Mbit/s",
            vec![(cc.1, rate(*run, "mptcp")), (WCOMPOUND.1, rate(ours, "mptcp"))],
        );
    }
    let total = |a: &Outcome, b: &Outcome| Some(goodput(a, "mptcp")? / goodput(b, "mptcp")?);
    let wvegas = run_of(runs, WVEGAS);
    plan.row(
        "C-F2.wvegas-collapses",
        "total of wVegas ÷ total of wCompound",
        "",
        compare(wvegas, ours, total),
    )
    .claim("severe compression of the total rate of wVegas: at most half of wCompound's", Rule::AtMost(0.5))
    .because("Rows C-F2.wvegas.subflow1 and .subflow2 have its parts. The paper ran the module of the retired kernel: see its column.");
}

/// What CUBIC has beside each.
fn neighbours(plan: &mut Plan, runs: &[(Algorithm, SetupId)], ours: SetupId) {
    let link_1 = |run: &Outcome| Some(goodput(run, "tcp")? / (goodput(run, "tcp")? + subflow(run, 0)?));
    plan.row(
        "C-F2.wvegas-preempted",
        "CUBIC's part of link 1 beside wVegas",
        "",
        measure(run_of(runs, WVEGAS), link_1),
    )
    .claim("CUBIC preempts almost all the resources of link 1 beside wVegas", Rule::AtLeast(0.9));
    let tcp = |a: &Outcome, b: &Outcome| Some(goodput(a, "tcp")? / goodput(b, "tcp")?);
    for cc in [LIA, BALIA] {
        plan.row(
            format!("C-F2.tcp-as-with-{}", cc.0),
            format!("CUBIC's rate beside wCompound ÷ beside {}", cc.1),
            "",
            compare(ours, run_of(runs, cc), tcp),
        )
        .claim(
            "the average rate of TCP with wCompound basically reaches the level with LIA and BALIA",
            Rule::Near(1.0),
        )
        .because(AS_RENO);
    }
}

/// Who leaves link 1, and who leaves it unused.
fn balance(plan: &mut Plan, runs: &[(Algorithm, SetupId)], ours: SetupId) {
    let olia = run_of(runs, OLIA);
    plan.row("C-F2.balance", "part of wCompound's total on link 2", "", measure(ours, second_link))
        .claim("wCompound shifts most of its traffic to link 2", Rule::AtLeast(0.5));
    let shares = |a: &Outcome, b: &Outcome| Some(second_link(a)? / second_link(b)?);
    plan.row("C-F2.olia-balance", "part on link 2: OLIA's ÷ wCompound's", "", compare(olia, ours, shares))
        .claim("OLIA achieves the same effect as wCompound in load balancing", Rule::Near(1.0))
        .because(AS_RENO);
    plan.ordering(
        "C-F2.olia-subflow1",
        "OLIA does not use what TCP leaves on link 1 as fully as wCompound: subflow 1",
        "Mbit/s",
        vec![(OLIA.1, subflow_rate(olia, 0)), (WCOMPOUND.1, subflow_rate(ours, 0))],
    );
    let utilisation = |run| measure(run, |run| run.utilisation("link1"));
    plan.ordering(
        "C-F2.olia-link1",
        "OLIA does not use what TCP leaves on link 1 as fully as wCompound: use of link 1",
        "",
        vec![(OLIA.1, utilisation(olia)), (WCOMPOUND.1, utilisation(ours))],
    )
    .because("CUBIC is on link 1 as well, and can use what OLIA leaves.");
}
