//! How samples are written.

use anabranch::SampleFormat;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Format of samples, as the command line has it.
pub fn format() -> impl TypedValueParser<Value = SampleFormat> {
    let csv = PossibleValue::new("csv").help("Comma-separated values");
    let known = PossibleValuesParser::new([PossibleValue::new("parquet").help("Apache Parquet"), csv]);
    known.map(|name| if name == "csv" { SampleFormat::Csv } else { SampleFormat::Parquet })
}
