//! The record of a run: samples over time and a summary.
//!
//! A backend gives its samples to a [`Sink`] as it runs: a [`ParquetSink`] or [`CsvSink`] writes them into
//! files in constant memory, a [`MemorySink`] keeps them for figures, [`NoSamples`] wants none. At the end it
//! returns a [`Summary`], whose JSON is the project's format for results.

mod csv_table;
mod file_sink;
mod histogram;
mod jain;
mod kernel_run;
mod memory_sink;
mod ordered;
mod parquet_table;
pub mod place;
mod replace;
mod run_directory;
mod sample;
pub mod seed;
mod shell;
mod summary;
mod table;
mod table_file;

pub use csv_table::CsvTable;
pub use file_sink::{CsvSink, FileSink, ParquetSink, WriteError};
pub use histogram::Histogram;
pub use jain::jain;
pub use kernel_run::{EmulatorHealth, KernelRun, PathTraffic};
pub use memory_sink::{FlowSeries, LinkSeries, MemorySink, SubflowSeries};
pub use parquet_table::ParquetTable;
pub use place::Place;
pub use replace::replace;
pub use run_directory::{RunDirectory, SampleFormat};
pub use sample::*;
pub use shell::quoted;
pub use summary::*;
pub use table::{Cell, Column, Kind, Table};
pub use table_file::TableFile;
