//! The papers, their experiments and verdicts.
//!
//! A paper is a [`Paper`] in a module of its own: what it says, and a list of experiments. An experiment is a
//! [`Definition`] whose `plan` writes down what to simulate, what to read from the runs, what was published and by
//! which rule they are compared, before anything runs:
//!
//! ```
//! use anabranch_papers::{Plan, Setup, measure, scenarios};
//!
//! let mut plan = Plan::new();
//! let lia = plan.simulate(Setup::new("LIA on the testbed", &scenarios::TESTBED).cc("lia"));
//! plan.row("A-T4.subflow1", "mean window of subflow 1", "segments", measure(lia, |run| run.cwnd("mptcp", 0)))
//!     .published(849.0);
//! ```
//!
//! [`run`] runs what the plans ask for, over seeds and in parallel, and gives a [`PaperResult`]. A new paper is a
//! module, its scenario files in `scenarios/`, and a line in [`all`].

mod adw_balia;
mod campaign;
mod column;
mod coupled_cubic;
mod coupling;
mod disjoint;
mod draw;
mod kato;
mod outcome;
mod plan;
mod result;
mod runner;
pub mod scenarios;
mod setup;
mod shares;
mod size;
pub mod standard;
mod stats;
mod verdict;
mod wcompound;

pub use campaign::{Finished, Kept, Progress, Work, run_all};
pub use column::Column;
pub use outcome::Outcome;
pub use plan::{Definition, Paper, Plan, Quantity, RowPlan, Runs, SetupId, compare, measure};
pub use result::*;
pub use runner::{Options, PaperError, run, work};
pub use setup::Setup;
pub use shares::{Beside, EquilibriumName, ShareRow, Shares};
pub use size::Size;
pub use stats::{NoValue, estimate};
pub use verdict::Rule;

/// Every paper, in the order of their letters, and then our own study.
pub fn all() -> &'static [&'static Paper] {
    static ALL: [&Paper; 5] =
        [&coupled_cubic::PAPER, &kato::PAPER, &wcompound::PAPER, &adw_balia::PAPER, &coupling::PAPER];
    &ALL
}

/// The paper with that name or letter, or of that experiment ("A-T4"), in any case.
pub fn find(name: &str) -> Option<&'static Paper> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    all()
        .iter()
        .copied()
        .find(|p| is(p.id) || is(p.name) || p.experiments.iter().flat_map(|d| d.ids).any(|id| is(id)))
}
