//! The file formats of tables.

use super::table::{Column, Table};
use super::{csv_table::CsvTable, parquet_table::ParquetTable};
use std::fs::File;
use std::io;

/// Formats of samples and other tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleFormat {
    /// Apache Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
}

impl SampleFormat {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            SampleFormat::Parquet => "parquet",
            SampleFormat::Csv => "csv",
        }
    }

    /// Begins a table in an empty file.
    pub(crate) fn table(self, file: File, columns: &[Column]) -> io::Result<Box<dyn Table>> {
        Ok(match self {
            SampleFormat::Parquet => Box::new(ParquetTable::create(file, columns)?),
            SampleFormat::Csv => Box::new(CsvTable::create(file, columns)?),
        })
    }
}
