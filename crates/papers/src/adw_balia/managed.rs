//! Scenarios 1 and 2 with managed queues at the bottlenecks: rows and their figure.

use super::scenario::*;
use anabranch_study::Runs as Outcomes;
use anabranch_study::draw::{axis, bars, series};
use anabranch_study::{Axis, Figure, Outcome, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, RowPlan, SetupId, measure};

/// A queue at each bottleneck.
#[derive(Clone, Copy)]
pub(super) struct Queue {
    /// In rows' identifiers.
    pub id: &'static str,
    /// For readers.
    pub name: &'static str,
    limit: &'static str,
    aqm: &'static str,
    /// Whether it marks, and all flows negotiate ECN.
    ecn: bool,
}

/// One that drops.
pub(super) const fn queue(
    id: &'static str,
    name: &'static str,
    limit: &'static str,
    aqm: &'static str,
) -> Queue {
    Queue { id, name, limit, aqm, ecn: false }
}

impl Queue {
    /// The same, marking.
    pub const fn marking(self) -> Queue {
        Queue { ecn: true, ..self }
    }

    /// One of the first two scenarios with it.
    fn at_bottlenecks(self, scenario: &'static Scenario, setup: Setup) -> Setup {
        let bottlenecks: &[&str] =
            if scenario.id == S1.id { &["bottleneck"] } else { &["bottleneck1", "bottleneck2"] };
        // The paper's own queue stays as it is written, so that its runs are those of other experiments.
        if (self.limit, self.aqm) == ("1 BDP", "drop-tail") {
            return setup;
        }
        let Queue { limit, aqm, ecn, .. } = self;
        let aqm = if ecn { format!("{{ kind = \"{aqm}\", ecn = true }}") } else { format!("\"{aqm}\"") };
        let setup = bottlenecks.iter().fold(setup, |setup, link| {
            setup.set(&format!("links.{link}.queue"), limit).set(&format!("links.{link}.aqm"), &*aqm)
        });
        let flows: &[&str] = if ecn { &["mptcp", "h3", "h5"] } else { &[] };
        let mut setup =
            flows.iter().fold(setup, |setup, flow| setup.set(&format!("flows.{flow}.tcp.ecn"), "true"));
        if ecn {
            setup = setup.repeats(1); // beside D-A, not another of its cost
        }
        setup.title += &format!(", {}", self.name);
        setup
    }
}

/// The runs of both scenarios with one queue.
pub(super) struct Under {
    pub queue: Queue,
    pub first: Runs,
    pub second: Runs,
}

impl Under {
    /// Adds them to `plan`.
    pub fn of(plan: &mut Plan, queue: Queue, algorithms: &[Algorithm], size: Size) -> Self {
        let mut runs = |scenario: &'static Scenario| {
            Runs::of(plan, algorithms, |cc| queue.at_bottlenecks(scenario, scenario.setup(cc, size)))
        };
        Under { queue, first: runs(&S1), second: runs(&S2) }
    }
}

/// ADW's mean level j.
fn level(run: SetupId) -> Quantity {
    measure(run, |run| run.observable("mptcp", 0, "level"))
}

/// Shares in both scenarios with one queue, and what goal 2 asks of the first.
pub(super) fn rows(plan: &mut Plan, experiment: &str, under: &Under, algorithms: &[Algorithm]) {
    let Queue { id, name, .. } = under.queue;
    for cc in algorithms {
        let row = |scenario: &str| format!("{experiment}.{id}.{}.{scenario}", cc.id);
        let what = |scenario: &str| format!("{scenario}, {name}, {}: MPTCP throughput ÷ fair share", cc.name);
        let first = plan.row(row("S1"), what("Scenario 1"), "", S1.share(under.first.get(*cc)));
        if *cc != LINKED {
            first.claim("no more than a TCP flow on a shared bottleneck", Rule::AtMost(1.1)).because(match (
                id, *cc,
            ) {
                ("fq-codel", _) => FOUR_QUEUES,
                ("red", WVEGAS | VEGAS) => UNUSED,
                (_, WVEGAS | VEGAS) => STANDING,
                (_, WCOMPOUND | COMPOUND) => AS_RENO,
                _ => ONE_AT_A_TIME,
            });
        }
        plan.row(row("S2"), what("Scenario 2"), "", S2.share(under.second.get(*cc)));
    }
}

/// How long packets wait on average at Scenario 1's bottleneck and how much of it is used, beside LIA.
pub(super) fn link(plan: &mut Plan, experiment: &str, under: &Under) {
    let Queue { id, name, .. } = under.queue;
    let run = under.first.get(LIA);
    let bottleneck = |run: &Outcome| run.summary.links.iter().find(|l| l.name == "bottleneck").cloned();
    let wait = measure(run, move |run| Some(bottleneck(run)?.mean_queue_bytes * 8.0 / RATE_BPS * 1e3));
    plan.row(
        format!("{experiment}.{id}.queue"),
        format!("Scenario 1, {name}, LIA: mean wait at the bottleneck"),
        "ms",
        wait,
    );
    let used = measure(run, |run| run.utilisation("bottleneck"));
    plan.row(
        format!("{experiment}.{id}.used"),
        format!("Scenario 1, {name}, LIA: use of the bottleneck"),
        "",
        used,
    );
}

/// Of the bottleneck in Scenario 1.
const RATE_BPS: f64 = 60e6;

/// What came out of the similarity test and of its use under a queue.
pub(super) fn outcome(outcomes: &Outcomes<'_>, under: &Under) -> Option<String> {
    let mean = |quantity: &Quantity| Some(outcomes.estimate(quantity)?.mean);
    let (first, second) = (under.first.get(ADW), under.second.get(ADW));
    Some(format!(
        "{}: ADW's mean level is {:.2} on the shared bottleneck and {:.2} on separate ones; it has {:.2} fair shares of the shared one, and \
         on separate ones {:.2}, against {:.2} with BALIA.",
        under.queue.name,
        mean(&level(first))?,
        mean(&level(second))?,
        mean(&S1.share(first))?,
        mean(&S2.share(second))?,
        mean(&S2.share(under.second.get(BALIA)))?,
    ))
}

/// Whether the similarity test survives a queue.
pub(super) fn level_is_lower(plan: &mut Plan, experiment: &str, under: &Under, adw: Algorithm) {
    let Queue { id, name, .. } = under.queue;
    let row = plan.ordering(
        format!("{experiment}.{id}.{}.level", adw.id),
        format!("{name}, {}: the level j is lower on a shared bottleneck", adw.name),
        "",
        vec![("shared", level(under.first.get(adw))), ("separate", level(under.second.get(adw)))],
    );
    if id == "fq-codel" {
        row.because(ALIKE);
    }
}

/// Whether its use does.
pub(super) fn highest<'a>(
    plan: &'a mut Plan,
    experiment: &str,
    under: &Under,
    adw: Algorithm,
) -> &'a mut RowPlan {
    let Queue { id, name, .. } = under.queue;
    let claim = format!("Scenario 2, {name}, {}: higher throughput than LIA and BALIA", adw.name);
    let id = format!("{experiment}.{id}.{}.highest", adw.id);
    under.second.highest(plan, (id, claim), "", (&[LIA, BALIA], adw), |run| S2.share(run))
}

/// A share for each subflow.
const FOUR_QUEUES: &str = "Four flows have a queue each, and two of them are the connection's: it may have half of the link, 1.5 fair shares, of \
     which headers leave 1.43.";

/// ADW on a shared bottleneck.
const ONE_AT_A_TIME: &str = "Rows .level have ADW's mean level on both kinds of bottleneck.";

/// The level with flow queues.
const ALIKE: &str =
    "With flow queues each subflow has a queue of its own, whether the bottleneck is one or two.";

/// wCompound on a shared bottleneck.
const AS_RENO: &str = "Row D-F7.uncoupled has uncoupled Reno with the paper's queue. C-X1 has how far wCompound's delay window is open in other networks.";

/// wVegas and Vegas with RED.
pub(super) const UNUSED: &str =
    "Rows .queue and .used have the mean wait and the use of the link, with LIA beside the TCP flows.";

/// wVegas under each queue.
pub(super) const STANDING: &str = "Rows .queue have the mean wait, in Scenario 1 with LIA.";

/// Shares in both scenarios, and ADW's level in each.
pub(super) fn figure(
    outcomes: &Outcomes<'_>,
    (id, title): (&str, &str),
    all: &[Under],
    algorithms: &[Algorithm],
) -> Figure {
    let share = Axis { domain: Some((0.0, 2.0)), ..axis("throughput ÷ fair share") };
    let shares = |title: &str, scenario: &'static Scenario, runs: fn(&Under) -> &Runs| {
        let of = |cc: &Algorithm| {
            let bar = |under: &Under| outcomes.bar(under.queue.name, &scenario.share(runs(under).get(*cc)));
            series(cc.name, all.iter().filter_map(bar).collect())
        };
        bars(title, share.clone(), algorithms.iter().map(of).collect())
    };
    let levels = [("shared", (|u| &u.first) as fn(&Under) -> &Runs), ("separate", |u| &u.second)];
    let levels = levels.map(|(kind, runs)| {
        let bar = |under: &Under| outcomes.bar(under.queue.name, &level(runs(under).get(ADW)));
        series(kind, all.iter().filter_map(bar).collect())
    });
    Figure {
        id: id.into(),
        title: title.into(),
        panels: vec![
            shares("(a) Scenario 1, shared bottleneck", &S1, |under| &under.first),
            shares("(b) Scenario 2, separate bottlenecks", &S2, |under| &under.second),
            bars("(c) level j of ADW", axis("mean level j"), levels.into()),
        ],
    }
}
