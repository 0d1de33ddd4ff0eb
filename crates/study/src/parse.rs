//! The text of a study: its keys, and its expressions as trees, all with their places. No other file is read.

pub(crate) mod error;
pub(crate) mod expr;
pub(crate) mod keys;
pub(crate) mod spec;
pub(crate) mod template;
