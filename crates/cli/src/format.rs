//! The file formats of samples.

use anabranch::SampleFormat;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Parses the format of samples.
pub fn sample_format() -> impl TypedValueParser<Value = SampleFormat> {
    let csv = PossibleValue::new("csv").help("Comma-separated values");
    let known = PossibleValuesParser::new([PossibleValue::new("parquet").help("Apache Parquet"), csv]);
    known.map(|name| if name == "csv" { SampleFormat::Csv } else { SampleFormat::Parquet })
}
