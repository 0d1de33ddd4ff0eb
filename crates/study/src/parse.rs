//! Parses a study's text into keys and expression trees with their positions. Reads no other file.

pub(crate) mod error;
pub(crate) mod expr;
pub(crate) mod keys;
pub(crate) mod old_keys;
pub(crate) mod spec;
pub(crate) mod template;
