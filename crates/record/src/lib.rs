//! The record of a run: samples over time and a summary.
//!
//! A backend gives its samples to a [`Sink`] as it runs: a [`FileSink`] writes them into files in constant memory, a
//! [`MemorySink`] keeps them for figures, [`NoSamples`] wants no samples. At the end it returns a [`Summary`], whose JSON
//! is the project's format for results. An [`Estimate`] is a value over several runs.

mod capture_read;
mod estimate;
#[cfg(feature = "files")]
mod files;
mod histogram;
mod jain;
mod kernel_run;
mod memory_sink;
mod meter;
mod ordered;
mod quantities;
mod sample;
pub mod seed;
mod shell;
mod summary;
mod transfers;

pub use capture_read::{CaptureRead, Fallback, FallbackSign, Tokens};
pub use estimate::{Estimate, estimate, narrowing, p_of_zero, paired_difference, prediction, quantile};
#[cfg(feature = "files")]
pub use files::*;
pub use histogram::Histogram;
pub use jain::jain;
pub use kernel_run::{EmulatorHealth, KernelRun, PathTraffic};
pub use memory_sink::{FlowSeries, MemorySink};
pub use meter::{Held, Mean, Measured, Meter, rate_bps};
pub use quantities::*;
pub use sample::*;
pub use shell::{quoted, unescaped};
pub use summary::*;
pub use transfers::{SizeClass, Slowdown, TransferMeter, Transfers};

/// The JSON Schema of a [`Summary`].
#[cfg(feature = "schema")]
pub fn json_schema() -> serde_json::Value {
    serde_json::to_value(schemars::schema_for!(Summary)).expect("a schema is JSON")
}
