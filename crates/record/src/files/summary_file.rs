//! A summary as a file.

use super::replace;
use crate::Summary;
use std::path::Path;
use std::{fs, io};

impl Summary {
    /// Writes a `summary.json` atomically.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        replace(file, self.to_json().as_bytes())
    }

    /// Reads a `summary.json`.
    ///
    /// # Errors
    /// Where the file cannot be read or holds something else.
    pub fn read(file: &Path) -> io::Result<Summary> {
        Summary::from_json(&fs::read_to_string(file)?).map_err(Into::into)
    }
}
