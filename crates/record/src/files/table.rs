//! Rows with named columns, and the file formats that hold them.

use super::{csv_table::CsvTable, parquet_table::ParquetTable};
use crate::{Cell, Kind};
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
    /// The files' extension.
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

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, with the unit.
    pub name: String,
    /// The type of its cells.
    pub kind: Kind,
}

/// A file that takes a table row by row, in memory that does not grow with their number.
pub(crate) trait Table: Send {
    /// Adds a row: one cell for each column, of its kind.
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;

    /// Adds metadata by name, if the format allows.
    fn describe(&mut self, _: &[(&'static str, String)]) {}

    /// An upper estimate of the bytes that [`Table::close`] writes.
    fn pending_bytes(&self) -> u64;

    /// Writes what is left.
    fn close(self: Box<Self>) -> io::Result<()>;
}
