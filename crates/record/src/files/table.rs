//! Rows with named columns, and the file formats that hold them.

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

/// The type of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A real number, in every row.
    Number,
    /// A real number, or nothing.
    MaybeNumber,
    /// A whole number below 2⁶³.
    Count,
    /// A whole number of 64 bits, such as a seed.
    Unsigned,
    /// Text.
    Text,
}

/// One cell of a row.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// For [`Kind::Number`] and [`Kind::MaybeNumber`]; of the latter, what is not finite is null.
    Number(f64),
    /// For [`Kind::Count`] and [`Kind::Unsigned`].
    Count(u64),
    /// For [`Kind::Text`].
    Text(&'a str),
}

/// A file format that takes a table row by row, in memory that does not grow with their number.
pub trait Table: Sized {
    /// The files' extension.
    const EXTENSION: &'static str;

    /// Begins a table in an empty file.
    ///
    /// # Errors
    /// Where the file cannot be written.
    fn create(file: File, columns: Vec<Column>) -> io::Result<Self>;

    /// Adds a row: one cell for each column, of its kind.
    ///
    /// # Errors
    /// Where the file cannot be written.
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;

    /// What the file says of itself, by name, where the format has a place for it.
    fn describe(&mut self, facts: &[(&'static str, String)]) {
        let _ = facts;
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Where the file cannot be written.
    fn close(self) -> io::Result<()>;
}

/// The column `name`.
pub(crate) fn column(name: &str, kind: Kind) -> Column {
    Column { name: name.to_owned(), kind }
}
