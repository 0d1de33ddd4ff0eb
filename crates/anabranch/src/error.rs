//! Why something was not done.

use anabranch_record::output::OutputError;
use anabranch_study::{StudyError, TaskError};
use miette::{MietteDiagnostic, Report, miette};
use std::fmt;

/// Why something was not done.
#[derive(Debug)]
pub enum Error {
    /// Bad input, or an environment in which it cannot be done.
    Input(Report),
    /// The result itself failed: a run that broke, a row of a paper without a value.
    Result(Report),
    /// It was cancelled; the message says how far it got.
    Interrupted(Report),
}

impl Error {
    /// Bad input.
    pub fn input(why: impl Into<Report>) -> Self {
        Error::Input(why.into())
    }

    /// Something that could not be done to a file or the like.
    pub fn environment(doing: impl Into<String>, error: &(dyn std::error::Error + 'static)) -> Self {
        let mut message = format!("{}: {error}", doing.into());
        let mut source = error.source();
        while let Some(error) = source {
            message += &format!(": {error}");
            source = error.source();
        }
        Error::Input(Report::msg(message))
    }

    /// What it says, with a scenario's or study's places where it has some.
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

/// Bad input: a message with its help, where there is one.
pub fn told(message: String, help: Option<&str>) -> Error {
    let mut told = MietteDiagnostic::new(message);
    told.help = help.map(str::to_owned);
    Error::input(told)
}

impl From<OutputError> for Error {
    fn from(error: OutputError) -> Self {
        told(error.to_string(), error.help())
    }
}

impl From<TaskError> for Error {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Interrupted { .. } => Error::Interrupted(miette!("{error}; nothing of it is kept")),
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
