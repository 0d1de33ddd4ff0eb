//! Values with their positions in the file.

use super::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, Range};

// As documentation this would be in the schema of each value.
// A value with its position, whose schema is the value's.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(transparent)]
#[schemars(with = "T")]
pub(crate) struct Spanned<T>(toml::Spanned<T>);

impl<T> Spanned<T> {
    pub fn new(at: Range<usize>, value: T) -> Self {
        Spanned(toml::Spanned::new(at, value))
    }

    pub fn span(&self) -> Range<usize> {
        self.0.span()
    }

    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }

    /// A mistake in it.
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::at(self.span(), message)
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.get_ref()
    }
}
