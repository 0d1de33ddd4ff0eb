//! The scenario file.
mod model;
pub use model::*;
