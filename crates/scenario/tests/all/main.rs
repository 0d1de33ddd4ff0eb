//! Scenario files: read, checked, changed and rejected.

mod aqm;
mod arrivals;
mod common;
mod diagnostics;
mod example;
mod files;
mod limits;
mod overrides;
mod properties;
mod rules;
mod sizes;
mod traces;
mod warnings;
