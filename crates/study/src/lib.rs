//! The engine of studies: what to simulate, what to read from the runs, and by which rule it is judged.
//!
//! A [`Study`] is a list of experiments. An experiment is a [`Definition`] whose [`Plan`] writes down what to simulate, what
//! to read from the runs, what was published and by which rule they are compared, before anything runs. [`run`] runs what
//! the plans ask for, over seeds and in parallel, and gives a [`StudyResult`].

#[cfg(test)]
mod book;
mod campaign;
pub mod column;
mod cost;
mod draw;
pub mod expr;
mod fidelity;
pub mod file;
pub mod format;
pub mod functions;
mod key;
mod outcome;
mod plan;
mod result;
mod results;
mod runner;
mod segment;
mod setup;
mod shares;
pub mod size;
mod stats;
pub mod store;
pub mod task;
pub mod theory;
pub mod tidy;
mod verdict;

pub use campaign::{Conclude, Kept, Missing, Outcomes, Progress, Simulations, Work, run_all, run_all_on};
pub use column::Column;
pub use fidelity::{
    Amounts, Difference, Fidelity, LinuxHosts, Measure, Overview, Simulated, Standing, WithLinuxHosts,
    beyond, is_apart, overview,
};
pub use key::RunId;
pub use outcome::Outcome;
pub use plan::{Definition, Plan, Study};
pub(crate) use plan::{Quantity, Runs, SetupId};
pub use result::*;
pub use results::{Kind, Results, outdated};
pub use runner::{Options, StudyError, Taken, run, work, work_with_runs};
pub use setup::{ScenarioFile, Setup};
pub use shares::{Beside, EquilibriumName, ShareRow, Shares, changes, shares};
pub use size::Size;
pub use stats::{NoValue, estimate};
pub use store::{Claim, Store, StoreError};
pub use task::{Backend, Backends, Simulator, Task, TaskError};
pub use verdict::Rule;
