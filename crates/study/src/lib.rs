//! The engine of studies: what to simulate, what to read from the runs, and by which rule it is judged.
//!
//! One way leads from a study's text to its result. Each room knows what comes before it alone: `parse` (the text's keys and
//! expressions), `resolve` (every name bound, scenarios read), `plan` (simulations, rows and figures of a size), `run` (outcomes, made
//! or found in a store), `judge` (values and verdicts), `tables` (results in a folder, and one table of all runs). [`mod@file`] and
//! [`work`](fn@work) join them. What runs a task is a [`Backend`] that the caller hands in.

#[cfg(test)]
mod book;
mod error;
mod fidelity;
pub mod file;
pub mod format;
pub mod functions;
mod judge;
mod key;
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
mod verdict;
mod work;

pub use error::StudyError;
pub use judge::SimulationRuns;
pub use key::RunId;
pub use outcome::Outcome;
pub use plan::experiments::Options;
pub use plan::variant::{self, Variant};
pub use plan::{Definition, Plan, Study};
pub use result::*;
pub use run::store::{self, Claim, RunCache, Store, StoreError};
pub use run::{Conclude, Outcomes, PendingRun, Progress, Simulations, Work, run_all};
pub use setup::{ScenarioFile, Setup};
pub use shares::{changes, shares};
pub use size::Size;
pub use stats::{NoValue, estimate};
pub use tables::results::{Kind, Results, outdated};
pub use tables::tidy;
pub use task::{Backend, Backends, Task, TaskError};
pub use verdict::Rule;
pub use work::{work, work_with_runs};
