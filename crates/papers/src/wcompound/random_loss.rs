//! C-F3: two links with random loss.

use super::{Algorithm, CUBIC, LINKED, OLIA, OURS, WCOMPOUND, WVEGAS, goodput};
use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::draw::{axis, lines, log_axis, series};
use anabranch_study::{Figure, Outcome, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, compare, measure};

/// Loss rates: the figure's range, and one point between the first two decades.
const LOSSES: [f64; 6] = [1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6];
/// The connections' number in the scenario.
const CONNECTIONS: f64 = 5.0;

/// Why wVegas and wCompound differ.
const WINDOW_OPENS: &str = "Above 16 segments γ·w^k exceeds 1, so that wCompound's delay window grows. Reno's law gives windows of 22 \
                            segments at a loss of 3e-3, and of 12 at 1e-2.";
/// Why TCP has half.
const ONE_LINK: &str = "wVegas and wCompound reduce each path by itself at a loss, so that a connection is \
                        two flows on two links; TCP is one flow on one.";

/// What carries the data: whether over both links, and the algorithm.
struct Line {
    cc: Algorithm,
    name: &'static str,
    multipath: bool,
}

const LINES: [Line; 7] = [
    Line { cc: WCOMPOUND, name: WCOMPOUND.1, multipath: true },
    Line { cc: WVEGAS, name: WVEGAS.1, multipath: true },
    Line { cc: OLIA, name: OLIA.1, multipath: true },
    Line { cc: CUBIC, name: "TCP (CUBIC)", multipath: false },
    Line { cc: ("reno", "Reno"), name: "TCP (Reno)", multipath: false },
    Line { cc: ("compound", "Compound"), name: "TCP (Compound)", multipath: false },
    Line { cc: LINKED, name: LINKED.1, multipath: true },
];
/// Those that the claims are about: the others are variants, and ours.
const JUDGED: usize = 4;

pub(super) const FIGURE_3: Definition = Definition {
    ids: &["C-F3"],
    title: "The same links without TCP flows, with random loss",
    notes: &[
        "Goodput of all connections together, 60 s after 20 s of warm-up (quick: a tenth of both; full: four \
         times both); random loss ends slow starts early and keeps windows small, so less warm-up is needed \
         than without it.",
        "The paper gives neither the number of connections nor what its regular TCP is, nor its links. Read: \
         five, CUBIC, and link 1 alone, as Fig. 1(a) draws it; Reno and Compound are shown as variants, not \
         judged.",
        OURS,
        "Claims for losses above 10⁻³ are judged at 10⁻² and 3·10⁻³, those below at 10⁻⁴ to 10⁻⁶.",
    ],
    plan: figure_3,
};

fn total(run: &Outcome) -> Option<f64> {
    Some(goodput(run, "flow")? * CONNECTIONS)
}

fn throughput(run: SetupId) -> Quantity {
    measure(run, total)
}

fn setup(line: &Line, loss: f64, size: Size) -> Setup {
    let setup = Setup::new(format!("{}, loss {loss:e}", line.name), &scenarios::WCOMPOUND_LOSSY_LINKS)
        .set("flows.flow.cc", line.cc.0)
        .bernoulli("link1", loss)
        .bernoulli("link2", loss)
        .lasting(size.own(80.0), size.own(20.0));
    let setup = if line.cc == LINKED { setup.at_most(2) } else { setup };
    if line.multipath { setup } else { setup.set("flows.flow.paths", "[[\"link1\"]]") }
}

fn figure_3(size: Size) -> Plan {
    let mut plan = Plan::new();
    let mut all = Vec::new();
    for line in &LINES {
        let runs = LOSSES.map(|loss| plan.simulate(setup(line, loss, size)));
        for (loss, run) in LOSSES.into_iter().zip(runs) {
            let what = format!("{}: loss {loss:e}", line.name);
            plan.row(format!("C-F3.{}.{loss:e}", line.cc.0), what, "Mbit/s", throughput(run));
        }
        all.push((line, runs));
    }
    let (judged, [ours, _, olia, _]) = (&all[..JUDGED], [0, 1, 2, 3].map(|i| all[i].1));
    for (i, loss) in LOSSES.into_iter().enumerate().filter(|(_, loss)| *loss > 1e-3) {
        for (line, runs) in judged.iter().filter(|(line, _)| line.cc != OLIA) {
            plan.ordering(
                format!("C-F3.olia-lowest.{}.{loss:e}", line.cc.0),
                format!("above 1e-3 OLIA is lower than the others: than {}, at {loss:e}", line.name),
                "Mbit/s",
                vec![(OLIA.1, throughput(olia[i])), (line.name, throughput(runs[i]))],
            );
        }
        let others = judged.iter().filter(|(line, _)| line.cc != OLIA && line.cc != WCOMPOUND);
        for (line, runs) in others {
            plan.row(
                format!("C-F3.close.{}.{loss:e}", line.cc.0),
                format!("{} ÷ wCompound at {loss:e}", line.name),
                "",
                compare(runs[i], ours[i], |a, b| Some(total(a)? / total(b)?)),
            )
            .claim("above 1e-3 the throughput of the others is very close", Rule::Near(1.0))
            .because(match line.multipath {
                true => WINDOW_OPENS,
                false => ONE_LINK,
            });
        }
    }
    for (i, loss) in LOSSES.into_iter().enumerate().filter(|(_, loss)| *loss < 1e-3) {
        for (line, runs) in judged.iter().filter(|(line, _)| line.cc != WCOMPOUND) {
            plan.ordering(
                format!("C-F3.highest.{}.{loss:e}", line.cc.0),
                format!("below 1e-3 wCompound is higher than the others: than {}, at {loss:e}", line.name),
                "Mbit/s",
                vec![(line.name, throughput(runs[i])), (WCOMPOUND.1, throughput(ours[i]))],
            )
            .because(
                "Both links together carry 286 Mbit/s of payload: near that there is nothing to be higher by.",
            );
        }
    }
    plan.figure(move |runs| {
        let points = |setups: &[SetupId; LOSSES.len()]| {
            LOSSES.iter().zip(setups).filter_map(|(loss, run)| runs.point(*loss, &throughput(*run))).collect()
        };
        let drawn = all.iter().map(|(line, setups)| series(line.name, points(setups)));
        Figure {
            id: "C-F3".into(),
            title: "Throughputs under different packet loss rates".into(),
            panels: vec![lines(
                "",
                log_axis("packet loss rate"),
                axis("throughput (Mbit/s)"),
                drawn.collect(),
            )],
        }
    });
    plan
}
