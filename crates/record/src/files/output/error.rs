//! Why results cannot be put somewhere.

use std::error::Error;

/// Why results cannot be put somewhere, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OutputError {
    message: String,
    help: Option<String>,
}

impl OutputError {
    /// With that message.
    pub fn new(message: impl Into<String>) -> Self {
        OutputError { message: message.into(), help: None }
    }

    /// What could not be done, and because of what.
    pub fn because(doing: impl Into<String>, error: &dyn Error) -> Self {
        let mut message = format!("{}: {error}", doing.into());
        let mut source = error.source();
        while let Some(error) = source {
            message += &format!(": {error}");
            source = error.source();
        }
        OutputError::new(message)
    }

    /// The same; that is what to do about it.
    pub fn with_help(self, help: impl Into<String>) -> Self {
        OutputError { help: Some(help.into()), ..self }
    }

    /// The same, with more to say.
    pub fn and(self, more: &str) -> Self {
        OutputError { message: format!("{}; {more}", self.message), ..self }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}
