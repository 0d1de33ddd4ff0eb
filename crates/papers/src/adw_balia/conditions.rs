//! D-F13 to D-F15: unequal RTTs, CUBIC as the TCP flows, random loss.

use super::{scenario::*, why};
use crate::paper::Definition;
use anabranch_study::Runs as Outcomes;
use anabranch_study::draw::{axis, boxes, lines, series};
use anabranch_study::{Axis, Figure, Panel, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, compare, measure};

/// The scenarios under varied conditions.
static FIRST_TWO: [&Scenario; 2] = [&S1, &S2];

/// The coupled ones and ours.
const SHOWN: [Algorithm; 7] = [LIA, OLIA, BALIA, ADW, RUNNING, ADDITIVE, LINKED];

/// MPTCP throughput ÷ that of h3 and h5 together.
fn against_tcp(run: SetupId) -> Quantity {
    measure(run, |run| Some(run.goodput("mptcp")? / run.total(&["h3", "h5"])?))
}

/// Boxes of a quantity under two or more conditions, for each algorithm.
fn by_condition(
    outcomes: &Outcomes<'_>,
    (title, y): (&str, &str),
    conditions: &[(&'static str, &Runs)],
    quantity: impl Fn(SetupId) -> Quantity,
) -> Panel {
    let of = |cc: Algorithm| {
        let points =
            conditions.iter().flat_map(|(label, runs)| outcomes.spread(label, &quantity(runs.get(cc))));
        series(cc.name, points.collect())
    };
    boxes(title, Axis { domain: Some((0.0, 1.4)), ..axis(y) }, SHOWN.map(of).into())
}

pub(super) const RTTS: Definition = Definition {
    ids: &["D-F13"],
    title: "Scenarios 1 and 2 with equal and unequal RTTs",
    notes: &[
        "The RTTs are not given: 10 and 20 ms (chosen). Scenario 1: subflow 2's access link is slower, and the buffer \
         stays at 50 packets, 1 BDP with 10 ms. Scenario 2, where two readings are run: either subflow 2 alone has 20 \
         ms, the TCP flow beside it 10 (\"own\"); or the second path has 20 ms, for subflow and TCP flow, and 1 BDP of \
         buffer with 20 ms (\"path\").",
        "As in Fig. 13, Scenario 2 shows MPTCP throughput ÷ that of both TCP flows. Fair in Scenario 1 is read as no \
         more than 10 % above the fair share.",
        OURS,
    ],
    plan: rtts,
};

fn rtts(size: Size) -> Plan {
    let mut plan = Plan::new();
    let own = |setup: Setup, bottleneck: &str| {
        let setup = setup.set("links.access2.delay", "10 ms");
        titled(setup, "own RTT of 20 ms").set(&format!("links.{bottleneck}.queue"), "50 packets")
    };
    let path = |setup: Setup| titled(setup, "path with 20 ms").set("links.bottleneck2.delay", "5 ms");
    let equal_1 = Runs::of(&mut plan, &SHOWN, |cc| S1.setup(cc, size));
    let own_1 = Runs::of(&mut plan, &SHOWN, |cc| own(S1.setup(cc, size), "bottleneck"));
    let equal_2 = Runs::of(&mut plan, &SHOWN, |cc| S2.setup(cc, size));
    let own_2 = Runs::of(&mut plan, &SHOWN, |cc| own(S2.setup(cc, size), "bottleneck2"));
    let path_2 = Runs::of(&mut plan, &SHOWN, |cc| path(S2.setup(cc, size)));

    for (id, name, runs) in [("equal", "equal RTTs", &equal_1), ("own", "unequal RTTs", &own_1)] {
        for (cc, run) in runs.iter() {
            let what = format!("Scenario 1, {name}, {}: MPTCP throughput ÷ fair share", cc.name);
            let row = plan.row(format!("D-F13.S1.{id}.{}", cc.id), what, "", S1.share(run));
            if cc != LINKED {
                row.claim("fair regardless of the RTTs", Rule::AtMost(1.1)).because(why::UNDETECTED);
            }
        }
        for adw in READINGS {
            let claim =
                format!("Scenario 1, {name}, {}: higher throughput than LIA, OLIA and BALIA", adw.name);
            let id = format!("D-F13.S1.{id}.{}.highest", adw.id);
            runs.highest(&mut plan, (id, claim), "", (&EXISTING, adw), |run| S1.share(run));
        }
    }
    let unequal = [("own", "own RTT", &own_2), ("path", "path's RTT", &path_2)];
    for (id, name, runs) in [("equal", "equal RTTs", &equal_2)].into_iter().chain(unequal) {
        for (cc, run) in runs.iter() {
            plan.row(
                format!("D-F13.S2.{id}.{}", cc.id),
                format!("Scenario 2, {name}, {}: MPTCP ÷ both TCP flows", cc.name),
                "",
                against_tcp(run),
            );
        }
        for adw in READINGS {
            let claim = format!("Scenario 2, {name}, {}: the highest throughput", adw.name);
            let id = format!("D-F13.S2.{id}.{}.highest", adw.id);
            runs.highest(&mut plan, (id, claim), "", (&EXISTING, adw), against_tcp);
        }
    }
    for (id, name, runs) in unequal {
        for cc in [LIA, BALIA, ADW, RUNNING, ADDITIVE] {
            plan.ordering(
                format!("D-F13.S2.{id}.{}.reduced", cc.id),
                format!("Scenario 2, {name}, {}: unequal RTTs reduce the throughput", cc.name),
                "",
                vec![("unequal", against_tcp(runs.get(cc))), ("equal", against_tcp(equal_2.get(cc)))],
            )
            .because(match (id, READINGS.contains(&cc)) {
                ("own", _) => "Only subflow 2 has the longer RTT; the TCP flow beside it keeps the shorter.",
                (_, false) => "The TCP flow beside subflow 2 has the longer RTT as well.",
                (_, true) => {
                    "The second queue holds 20 ms instead of 10. Where both swing fully d is 1/3, which is level 2; no row has \
                     the level of these runs."
                }
            });
        }
    }
    plan.figure(move |outcomes| {
        let first = [("equal", &equal_1), ("unequal", &own_1)];
        let second = [("equal", &equal_2), ("unequal, own", &own_2), ("unequal, path", &path_2)];
        let (a, b) = ("(a) Scenario 1", "(b) Scenario 2");
        Figure {
            id: "D-F13".into(),
            title: "Throughput ratio for Scenarios 1 and 2 according to RTT difference".into(),
            panels: vec![
                by_condition(outcomes, (a, "throughput ÷ fair share"), &first, |run| S1.share(run)),
                by_condition(outcomes, (b, "MPTCP ÷ both TCP flows"), &second, against_tcp),
            ],
        }
    });
    plan
}

/// With what is changed in the title.
fn titled(mut setup: Setup, change: &str) -> Setup {
    setup.title += &format!(", {change}");
    setup
}

/// ADW against CUBIC.
const CUBIC_LEVELS: &str = "With 10 ms CUBIC is in its Reno-friendly region up to 1654 segments.";

pub(super) const CUBIC: Definition = Definition {
    ids: &["D-F14"],
    title: "Scenarios 1 and 2 against CUBIC",
    notes: &["As D-F7 and D-F8, with CUBIC as the TCP flows.", OURS],
    plan: cubic,
};

fn cubic(size: Size) -> Plan {
    let mut plan = Plan::new();
    let against =
        |setup: Setup| titled(setup, "against CUBIC").set("flows.h3.cc", "cubic").set("flows.h5.cc", "cubic");
    let mut figure = Vec::new();
    for scenario in FIRST_TWO {
        let reno = Runs::of(&mut plan, &SHOWN, |cc| scenario.setup(cc, size));
        let cubic = Runs::of(&mut plan, &SHOWN, |cc| against(scenario.setup(cc, size)));
        let id = |cc: Algorithm, row: &str| format!("D-F14.{}.{}{row}", scenario.id, cc.id);
        for (cc, run) in cubic.iter() {
            let what = format!("{} against CUBIC, {}: MPTCP throughput ÷ fair share", scenario.name, cc.name);
            let row = plan.row(id(cc, ""), what, "", scenario.share(run));
            if cc == LINKED {
                continue;
            }
            match (scenario.id, EXISTING.contains(&cc)) {
                ("S1", true) => row.claim("lower than 0.8", Rule::AtMost(0.8)),
                ("S1", false) => row.claim("0.8 or more", Rule::AtLeast(0.8)),
                _ => row,
            };
            plan.ordering(
                id(cc, ".lower"),
                format!("{}, {}: less against CUBIC than against Reno", scenario.name, cc.name),
                "",
                vec![("CUBIC", scenario.share(run)), ("Reno", scenario.share(reno.get(cc)))],
            )
            .because(CUBIC_LEVELS);
        }
        for (against, runs) in [("Reno", &reno), ("CUBIC", &cubic)] {
            let what = format!("{} against {against}, ADW: mean level j", scenario.name);
            let level = measure(runs.get(ADW), |run| run.observable("mptcp", 0, "level"));
            plan.row(id(ADW, &format!(".level.{}", against.to_lowercase())), what, "", level);
        }
        if scenario.id == S2.id {
            for (adw, other) in READINGS.into_iter().flat_map(|adw| [BALIA, LIA].map(|other| (adw, other))) {
                let gain = compare(cubic.get(adw), cubic.get(other), |adw, other| {
                    Some(adw.goodput("mptcp")? / other.goodput("mptcp")?)
                });
                let what =
                    format!("Scenario 2 against CUBIC, {}: throughput ÷ that of {}", adw.name, other.name);
                plan.row(id(adw, &format!(".{}", other.id)), what, "", gain)
                    .published(1.2)
                    .because(CUBIC_LEVELS);
            }
        }
        figure.push((scenario, reno, cubic));
    }
    plan.figure(move |outcomes| Figure {
        id: "D-F14".into(),
        title: "Throughput ratio to fair share when MPTCP competes with CUBIC".into(),
        panels: ["(a)", "(b)"]
            .into_iter()
            .zip(&figure)
            .map(|(letter, (scenario, reno, cubic))| {
                let conditions = [("against Reno", reno), ("against CUBIC", cubic)];
                let title = format!("{letter} {}", scenario.name);
                let share = |run| scenario.share(run);
                by_condition(outcomes, (&title, "throughput ÷ fair share"), &conditions, share)
            })
            .collect(),
    });
    plan
}

/// Loss rates: the text names all but 0.05 %.
const RATES: [f64; 4] = [0.0, 5e-4, 1e-3, 5e-3];

fn percent(rate: f64) -> String {
    format!("{} %", rate * 100.0)
}

pub(super) const LOSS: Definition = Definition {
    ids: &["D-F15"],
    title: "Scenarios 1 and 2 with random loss",
    notes: &[
        "Each bottleneck loses packets independently: 0, 0.05, 0.1 and 0.5 %; 0.05 % is chosen, the text names \
              the others.",
        OURS,
    ],
    plan: loss,
};

fn loss(size: Size) -> Plan {
    let mut plan = Plan::new();
    for scenario in FIRST_TWO {
        let bottlenecks: &[&str] =
            if scenario.id == S1.id { &["bottleneck"] } else { &["bottleneck1", "bottleneck2"] };
        let setup = |cc, rate| {
            let setup = scenario.setup(cc, size);
            if rate == 0.0 {
                return setup;
            }
            let setup = titled(setup, &format!("loss {}", percent(rate)));
            bottlenecks.iter().fold(setup, |setup, link| setup.bernoulli(link, rate))
        };
        let runs = RATES.map(|rate| Runs::of(&mut plan, &SHOWN, |cc| setup(cc, rate)));
        rows(&mut plan, scenario, &runs);
        figure(&mut plan, scenario, runs);
    }
    plan
}

/// Scenario 1 with 0.1 %.
const HEADERS: &str = "Of 20 Mbit/s headers leave 19.3 of payload.";

/// And OLIA there.
const OLIA_ADDS_LESS: &str = "Where x and 1 − x are the subflows' parts of the window, OLIA adds x² + (1 − x)² segments per RTT and \
     LIA the larger of x and 1 − x, which is never less.";

fn mptcp(run: SetupId) -> Quantity {
    measure(run, |run| run.goodput("mptcp"))
}

fn tcp(run: SetupId) -> Quantity {
    measure(run, |run| run.total(&["h3", "h5"]))
}

fn rows(plan: &mut Plan, scenario: &'static Scenario, runs: &[Runs; RATES.len()]) {
    let name = scenario.name;
    for (rate, runs) in RATES.into_iter().zip(runs) {
        let id = |row: &str| format!("D-F15.{}.{rate:e}.{row}", scenario.id);
        for (cc, run) in runs.iter() {
            let what = |what: &str| format!("{name}, loss {}, {}: {what}", percent(rate), cc.name);
            let row = plan.row(id(cc.id), what("MPTCP"), "Mbit/s", mptcp(run));
            if scenario.id == S1.id && rate == 1e-3 && cc != LINKED {
                let why = if cc == OLIA { format!("{HEADERS} {OLIA_ADDS_LESS}") } else { HEADERS.into() };
                row.claim("slightly exceeds its fair share of 20 Mbit/s", Rule::AtLeast(20.0)).because(why);
            }
            plan.row(id(&format!("{}.tcp", cc.id)), what("both TCP flows"), "Mbit/s", tcp(run));
        }
        for adw in READINGS {
            let claim = format!(
                "{name}, loss {}, {}: higher throughput than LIA, OLIA and BALIA",
                percent(rate),
                adw.name
            );
            let id = id(&format!("{}.highest", adw.id));
            runs.highest(plan, (id, claim), "Mbit/s", (&EXISTING, adw), mptcp);
        }
    }
    if scenario.id == S1.id {
        let lost = measure(runs[0].get(LIA), |run| {
            Some((run.loss_rate("mptcp", 0)? + run.loss_rate("mptcp", 1)?) / 2.0)
        });
        let what = format!("{name}, loss 0 %, LIA: loss rate at the queue, mean of both subflows");
        plan.row("D-F15.S1.0e0.lia.lost", what, "", lost);
        trends(plan, runs);
    }
}

/// What the text says of Scenario 1 over loss rates.
fn trends(plan: &mut Plan, runs: &[Runs; RATES.len()]) {
    const TO_0_1: [&str; 3] = ["0 %", "0.05 %", "0.1 %"];
    for cc in COUPLED {
        let along = |quantity: fn(SetupId) -> Quantity| {
            TO_0_1
                .into_iter()
                .zip(runs)
                .map(|(rate, runs)| (rate, quantity(runs.get(cc))))
                .collect::<Vec<_>>()
        };
        let what = |what: &str| format!("Scenario 1, {}: {what}", cc.name);
        plan.ordering(
            format!("D-F15.S1.{}.rises", cc.id),
            what("MPTCP's throughput rises with loss up to 0.1 %"),
            "Mbit/s",
            along(mptcp),
        )
        .because(why::QUEUE_LOSSES);
        plan.ordering(
            format!("D-F15.S1.{}.tcp-falls", cc.id),
            what("the TCP flows' throughput falls with loss up to 0.1 %"),
            "Mbit/s",
            along(tcp).into_iter().rev().collect(),
        )
        .because(why::QUEUE_LOSSES);
    }
    let [clean, .., lossy] = runs;
    for adw in READINGS {
        let gain = |runs: &Runs| {
            compare(runs.get(adw), runs.get(BALIA), |adw, balia| {
                Some(adw.goodput("mptcp")? / balia.goodput("mptcp")?)
            })
        };
        plan.ordering(
            format!("D-F15.S1.{}.wider", adw.id),
            format!("Scenario 1, {}: the gap to BALIA is wider at 0.5 % loss; ratio", adw.name),
            "",
            vec![("0 %", gain(clean)), ("0.5 %", gain(lossy))],
        );
        let tcp = compare(lossy.get(adw), lossy.get(BALIA), |adw, balia| {
            Some(adw.total(&["h3", "h5"])? / balia.total(&["h3", "h5"])?)
        });
        plan.row(
            format!("D-F15.S1.{}.harmless", adw.id),
            format!("Scenario 1, loss 0.5 %, {}: both TCP flows ÷ with BALIA", adw.name),
            "",
            tcp,
        )
        .claim("without harming the single-path TCP", Rule::Near(1.0));
    }
}

fn figure(plan: &mut Plan, scenario: &'static Scenario, runs: [Runs; RATES.len()]) {
    plan.figure(move |outcomes| {
        let panel = |title: &str, quantity: fn(SetupId) -> Quantity| {
            let of = |cc: Algorithm| {
                let points = RATES.into_iter().zip(&runs);
                let points =
                    points.filter_map(|(rate, runs)| outcomes.point(rate * 100.0, &quantity(runs.get(cc))));
                series(cc.name, points.collect())
            };
            let x = Axis { domain: Some((0.0, 0.5)), ..axis("loss rate (%)") };
            lines(title, x, axis("average throughput (Mbit/s)"), SHOWN.map(of).into())
        };
        let letter = if scenario.id == S1.id { 'a' } else { 'b' };
        Figure {
            id: format!("D-F15{letter}"),
            title: format!("{}: average throughput by loss rate", scenario.name),
            panels: vec![panel("MPTCP", mptcp), panel("both TCP flows", tcp)],
        }
    });
}
