//! Errors on writing results.

use std::error::Error;

/// An error on writing results, with advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OutputError {
    message: String,
    help: Option<String>,
}

impl OutputError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        OutputError { message: message.into(), help: None }
    }

    /// An error with its cause.
    pub fn because(doing: impl Into<String>, error: &dyn Error) -> Self {
        let mut message = format!("{}: {error}", doing.into());
        let mut source = error.source();
        while let Some(error) = source {
            let cause = format!(": {error}");
            // Some errors have their cause in their own words, too.
            if !message.ends_with(&cause) {
                message += &cause;
            }
            source = error.source();
        }
        OutputError::new(message)
    }

    /// Adds advice.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        OutputError { help: Some(help.into()), ..self }
    }

    /// Adds a second message.
    pub fn and(self, more: &str) -> Self {
        OutputError { message: format!("{}; {more}", self.message), ..self }
    }

    /// The advice.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::OutputError;
    use parquet::errors::ParquetError;
    use std::io;

    #[test]
    fn a_cause_is_said_once() {
        let full = ParquetError::External(Box::new(io::Error::other("the disk is full")));
        let error = OutputError::because("cannot write", &io::Error::other(full));
        assert_eq!(error.to_string(), "cannot write: External: the disk is full");
    }
}
