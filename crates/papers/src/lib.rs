//! The papers, their experiments and verdicts.
//!
//! A paper is a `Paper` in a module of its own: what it says, and a list of experiments, which the engine
//! ([`anabranch_study`]) runs and judges:
//!
//! ```
//! use anabranch_papers::scenarios;
//! use anabranch_study::{Plan, Setup, measure};
//!
//! let mut plan = Plan::new();
//! let lia = plan.simulate(Setup::new("LIA on the testbed", &scenarios::TESTBED).cc("lia"));
//! plan.row("A-T4.subflow1", "mean window of subflow 1", "segments", measure(lia, |run| run.cwnd("mptcp", 0)))
//!     .published(849.0);
//! ```
//!
//! A new paper is a module, its scenario files in `scenarios/`, and a line in [`all`].

mod adw_balia;
mod commands;
mod coupled_cubic;
mod coupling;
mod disjoint;
mod kato;
mod paper;
pub mod scenarios;
pub mod standard;
mod wcompound;

pub use commands::commands;

use anabranch_study::Study;
use std::sync::{Arc, LazyLock};

/// Every paper, in the order of their letters, and then our own study.
pub fn all() -> &'static [Arc<Study>] {
    static ALL: LazyLock<Vec<Arc<Study>>> = LazyLock::new(|| {
        let papers = [
            coupled_cubic::PAPER.study(),
            kato::study(),
            wcompound::PAPER.study(),
            adw_balia::PAPER.study(),
            coupling::PAPER.study(),
        ];
        papers.into_iter().map(Arc::new).collect()
    });
    &ALL
}

/// The paper with that name or letter, or of that experiment ("A-T4"), in any case.
pub fn find(name: &str) -> Option<&'static Arc<Study>> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    all()
        .iter()
        .find(|p| is(&p.id) || is(&p.name) || p.experiments.iter().flat_map(|d| &d.ids).any(|id| is(id)))
}
