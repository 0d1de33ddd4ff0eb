//! The papers, their experiments and verdicts.
mod result;
pub use result::*;
