//! Results as files: each study's in a folder, and one tidy table of all runs.

pub mod results;
pub mod tidy;
