//! Rows with named columns, and the file formats that hold them.

use crate::{Cell, Kind};
use std::fs::File;
use std::io;

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, with the unit.
    pub name: String,
    /// The type of its cells.
    pub kind: Kind,
}

/// A file format that takes a table row by row, in memory that does not grow with their number.
pub trait Table: Sized + Send {
    /// The files' extension.
    const EXTENSION: &'static str;

    /// Begins a table in an empty file.
    fn create(file: File, columns: Vec<Column>) -> io::Result<Self>;

    /// Adds a row: one cell for each column, of its kind.
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;

    /// Adds metadata by name, if the format allows.
    fn describe(&mut self, facts: &[(&'static str, String)]) {
        let _ = facts;
    }

    /// An upper estimate of the bytes that [`Table::close`] writes.
    fn pending_bytes(&self) -> u64;

    /// Writes what is left.
    fn close(self) -> io::Result<()>;
}

/// The column `name`.
pub(crate) fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}
