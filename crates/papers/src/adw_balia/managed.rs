//! Scenarios 1 and 2 with managed queues at the bottlenecks, and their figure.

use super::scenario::*;
use crate::draw::{axis, bars, series};
use crate::plan::{Plan, Quantity, Setup, SetupId, measure};
use crate::{Axis, Figure, Runs as Outcomes, Size};

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
pub(super) fn level(run: SetupId) -> Quantity {
    measure(run, |run| run.observable("mptcp", 0, "level"))
}

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
