//! E-R: how soon a connection uses what has changed.

use super::ALGORITHMS;
use crate::paper::Definition;
use crate::scenarios;
use crate::standard::{Change, recovery};
use anabranch_study::{Outcome, Setup, Size};
use anabranch_study::{Plan, measure};

pub(super) const RECOVERY: Definition = Definition {
    ids: &["E-R"],
    title: "Time to recover after changes, at 100 Mbit/s",
    notes: &[
        "Alone on two paths of 100 Mbit/s and 60 ms, with buffers of 125 packets, a BDP of the low rate. Path 1 falls to 25 Mbit/s at 40 s, rises again at 80 s, is dead \
         from 120 to 125 s, and nobody says so. The time until the start of the first second in which 80 % of the path's rate is \
         acknowledged. A run in which that does not happen before the next change counts with the time that it had, 40 or 55 s: where the \
         row below a time is above 0 some runs are so, and the time is at least that. The standard cases ask the same at 10 to 40 Mbit/s.",
        "In a first run the buffers were a BDP of the high rate; they were made smaller after it, so that the rise asks for larger \
         windows.",
    ],
    plan: recoveries,
};

/// What is waited for, in rows, and the change.
const CHANGES: [(&str, Change); 2] = [
    ("rise", change("after the rate's rise, subflow 1", (80.0, 120.0))),
    ("return", change("after the return, subflow 1", (125.0, 180.0))),
];

const fn change(what: &'static str, (at_s, until_s): (f64, f64)) -> Change {
    Change { what, at_s, until_s, subflow: Some(0), capacity_mbps: 100.0 }
}

fn recoveries(_: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    for cc in ALGORITHMS {
        let title = format!("{}: a path changes, fails and returns", cc.1);
        let setup = Setup::new(title, &scenarios::COUPLING_CHANGES).cc(cc.0).sampled().repeats(3);
        let run = plan.simulate(setup);
        for (id, change) in &CHANGES {
            let (id, what) = (format!("E-R.{}.{id}", cc.0), format!("{}: {}", cc.1, change.what));
            let time = |run: &Outcome| recovery(run, change).map(|time| time.unwrap_or_else(|had| had));
            let not = |run: &Outcome| recovery(run, change).map(|time| f64::from(u8::from(time.is_err())));
            plan.row(&*id, what.clone(), "s", measure(run, time));
            let what =
                format!("{what}: part of the runs that did not recover before the next change or the end");
            plan.row(format!("{id}.not"), what, "", measure(run, not));
        }
    }
    plan
}
