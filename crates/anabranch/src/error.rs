//! The error of a command, by its exit status.

use anabranch_record::output::OutputError;
use anabranch_study::{StudyError, TaskError};
use miette::{MietteDiagnostic, Report, miette};
use std::fmt;

/// The error of a command, by its exit status.
#[derive(Debug)]
pub enum Error {
    /// Bad input, or an unsuitable environment.
    Input(Report),
    /// The result itself failed: a run ended early, or a row of a paper has no value.
    Result(Report),
    /// The command was cancelled; the message gives its progress.
    Interrupted(Report),
}

impl Error {
    /// An error for bad input.
    pub fn input(why: impl Into<Report>) -> Self {
        Error::Input(why.into())
    }

    /// An error of the environment: `doing` is the action that failed, such as "cannot read FILE".
    pub fn environment(doing: impl Into<String>, error: &(dyn std::error::Error + 'static)) -> Self {
        Error::Input(Report::msg(OutputError::because(doing, error).to_string()))
    }

    /// The message, with excerpts of the scenario or study that it is about.
    pub fn report(&self) -> &Report {
        let (Error::Input(report) | Error::Result(report) | Error::Interrupted(report)) = self;
        report
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report().fmt(f)
    }
}

impl std::error::Error for Error {}

/// An error for bad input: a message and, optionally, help.
pub fn input_error(message: String, help: Option<&str>) -> Error {
    let mut diagnostic = MietteDiagnostic::new(message);
    diagnostic.help = help.map(str::to_owned);
    Error::input(diagnostic)
}

impl From<OutputError> for Error {
    fn from(error: OutputError) -> Self {
        input_error(error.to_string(), error.help())
    }
}

#[cfg(feature = "linux")]
impl From<anabranch_mptcp_bpf::Error> for Error {
    fn from(error: anabranch_mptcp_bpf::Error) -> Self {
        Error::Input(miette!("{error}"))
    }
}

impl From<TaskError> for Error {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Interrupted { .. } => Error::Interrupted(miette!("{error}; nothing was written")),
            TaskError::Refused(_) => Error::Input(miette!("{error}")),
            TaskError::Failed(_) => Error::Result(miette!("the run failed: {error}")),
        }
    }
}

impl From<StudyError> for Error {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::File(error) => Error::input(error),
            StudyError::Interrupted => Error::Interrupted(miette!("{error}")),
            error => Error::Input(miette!("{error}")),
        }
    }
}

/// "1 row", "2 rows".
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
