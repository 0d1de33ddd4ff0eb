//! A table while it is written to a file.

use super::replace::{create_new, with_ending};
use super::sample_format::SampleFormat;
use super::table::{Column, Table};
use crate::{Cell, WriteError};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A table whose file gets its name when complete; until then the name ends in `.partial`. Dropping it earlier removes the file.
pub struct TableFile {
    table: Box<dyn Table>,
    path: PathBuf,
}

impl TableFile {
    /// Begins one.
    pub fn create(path: PathBuf, format: SampleFormat, columns: &[Column]) -> Result<Self, WriteError> {
        match create_new(&partial(&path)).and_then(|file| format.table(file, columns)) {
            Ok(table) => Ok(TableFile { table, path }),
            Err(source) => Err(WriteError { path, source }),
        }
    }

    /// Adds a row: one cell for each column, of its kind.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Cell<'a>>) -> Result<(), WriteError> {
        let cells: Vec<_> = cells.into_iter().collect();
        self.table.row(&cells).map_err(|source| self.failed(source))
    }

    /// An upper estimate of the bytes that [`TableFile::finish`] writes.
    pub fn pending_bytes(&self) -> u64 {
        self.table.pending_bytes()
    }

    /// Adds metadata by name, if the format allows.
    pub fn describe(&mut self, facts: &[(&'static str, String)]) {
        self.table.describe(facts);
    }

    /// Renames the file, replacing a former one, and returns its name.
    pub fn finish(mut self) -> Result<PathBuf, WriteError> {
        let closed = self.table.close().and_then(|()| fs::rename(partial(&self.path), &self.path));
        closed.map(|()| self.path.clone()).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> WriteError {
        WriteError { path: self.path.clone(), source }
    }
}

impl Drop for TableFile {
    fn drop(&mut self) {
        // Best effort: a complete file already has its name.
        let _ = fs::remove_file(partial(&self.path));
    }
}

/// The name of a file that is not complete.
fn partial(path: &Path) -> PathBuf {
    with_ending(path, ".partial")
}
