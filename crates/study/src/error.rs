//! Errors that leave a study without a result.

use crate::parse::FileError;
use crate::setup::{Setup, first};
use anabranch_scenario::ScenarioError;

/// An error that leaves a study without a result.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The study has no experiment of that identifier.
    #[error("{study} has no experiment `{asked}`; it has: {known}")]
    NoExperiment {
        /// The requested identifier.
        asked: String,
        /// The study.
        study: String,
        /// The study's identifiers.
        known: String,
    },
    /// A scenario with the experiment's changes is invalid.
    #[error("{experiment}: `{command}` does not load: {}", first(why))]
    Scenario {
        /// The experiment.
        experiment: String,
        /// The command that shows the error.
        command: String,
        /// The scenario reader's message.
        #[source]
        why: Box<ScenarioError>,
    },
    /// An error with its position in the study file.
    #[error(transparent)]
    File(FileError),
    /// `keep_going` returned false.
    #[error("interrupted")]
    Interrupted,
}

impl StudyError {
    pub(crate) fn of(experiment: &str, setup: &Setup, why: ScenarioError) -> Self {
        StudyError::Scenario { experiment: experiment.into(), command: setup.command(1), why: Box::new(why) }
    }
}
