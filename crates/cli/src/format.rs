//! How samples are written.

use anabranch_record::SampleFormat;
use clap::ValueEnum;

/// Format of samples, as the command line has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
}

impl From<Format> for SampleFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Parquet => SampleFormat::Parquet,
            Format::Csv => SampleFormat::Csv,
        }
    }
}
