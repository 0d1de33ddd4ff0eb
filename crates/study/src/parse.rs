//! Parses a study's text into keys and expression trees with their positions. Reads no other file.

mod error;
pub(crate) mod expr;
pub(crate) mod keys;
mod spanned;
pub(crate) mod spec;
pub(crate) mod template;

pub use error::FileError;
pub(crate) use error::{OrAt, Problem};
pub(crate) use spanned::Spanned;
