//! The engine of studies: the simulations, the quantities to read from them, and the rules that judge these.
//!
//! A study's text passes through these modules, each of which depends only on the earlier ones: `parse` (keys and expressions),
//! `resolve` (names and scenarios), `plan` (simulations, rows and figures of a size), `run` (outcomes, new or from a store),
//! `judge` (values and verdicts), `tables` (results in a folder, and one table of all runs). [`mod@file`] and [`work`](fn@work)
//! connect them. The caller provides a [`Backend`], which runs the tasks.

mod acknowledged;
#[cfg(test)]
mod book;
mod error;
mod fidelity;
pub mod file;
pub mod format;
pub mod functions;
mod judge;
mod key;
pub mod measured;
mod origin;
mod outcome;
mod parse;
mod plan;
mod resolve;
mod result;
mod run;
mod segment;
mod setup;
mod shares;
#[cfg(test)]
mod simulator;
pub mod size;
mod stats;
mod tables;
pub mod task;
pub mod theory;
mod variants;
mod verdict;
mod work;

pub use error::StudyError;
pub use judge::SimulationRuns;
pub use key::RunId;
pub use measured::Measurements;
pub use origin::Origin;
pub use outcome::Outcome;
pub use plan::experiments::Options;
pub use plan::variant::{self, Variant};
pub use plan::{Definition, Plan, Study};
pub use result::*;
pub use run::store::{self, Claim, RunCache, Store, StoreError};
pub use run::{Conclude, Outcomes, PendingRun, Progress, Simulations, Work, run_all, run_one};
pub use setup::{Measurement, ScenarioFile, Setup};
pub use shares::{changes, shares};
pub use size::Size;
pub use stats::{estimate, narrowing, paired_difference, prediction, quantile};
pub use tables::results::{Kind, Results, outdated};
pub use tables::tidy;
pub use task::{Backend, Backends, Task, TaskError};
pub use variants::{distinct_variants, name_and_day};
pub use verdict::{Rule, Verdict};
pub use work::{ByHash, measuring, work, work_with_runs};
