//! Why a study has no result.

use crate::parse::error::FileError;
use crate::setup::{Setup, first};
use anabranch_scenario::ScenarioError;

/// Why a paper has no result.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The study has no experiment of that identifier.
    #[error("{study} has no experiment `{asked}`; it has: {known}")]
    NoExperiment {
        /// What was asked for.
        asked: String,
        /// Of which paper.
        study: String,
        /// Those it has.
        known: String,
    },
    /// A scenario of the paper, with what the experiment changes in it, is not a scenario.
    #[error("{experiment}: `{command}` does not load: {}", first(why))]
    Scenario {
        /// Whose it is.
        experiment: String,
        /// How to see it.
        command: String,
        /// What the reader of scenarios says.
        #[source]
        why: Box<ScenarioError>,
    },
    /// The same, of a study file: with the place there.
    #[error(transparent)]
    File(FileError),
    /// `keep_going` said no.
    #[error("interrupted")]
    Interrupted,
}

impl StudyError {
    /// Of a simulation that is no scenario.
    pub(crate) fn of(experiment: &str, setup: &Setup, why: ScenarioError) -> Self {
        StudyError::Scenario { experiment: experiment.into(), command: setup.command(1), why: Box::new(why) }
    }
}
