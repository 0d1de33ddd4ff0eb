//! Rows with named columns.

use crate::{Cell, Kind};
use std::io;

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
    fn close(&mut self) -> io::Result<()>;
}
