//! Tables as CSV (RFC 4180): a header, shortest decimals that read back to the same number, empty cells for
//! null.

use super::table::{Column, Table};
use crate::Cell;
use std::fs::File;
use std::io;

/// How text begins that spreadsheets calculate (OWASP, "CSV Injection").
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Whether a text begins so, after any apostrophes of its own: it is written with one more.
pub(super) fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(FORMULA)
}

/// Bytes that wait to be written.
const BUFFER: usize = 8 << 10;

pub(super) struct CsvTable(csv::Writer<File>);

impl CsvTable {
    pub fn create(file: File, columns: &[Column]) -> io::Result<Self> {
        let mut writer = csv::WriterBuilder::new().buffer_capacity(BUFFER).from_writer(file);
        writer.write_record(columns.iter().map(|c| &c.name))?;
        Ok(CsvTable(writer))
    }
}

impl Table for CsvTable {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for cell in cells {
            match cell {
                Cell::Number(x) if x.is_finite() => self.0.write_field(x.to_string())?,
                Cell::Number(_) => self.0.write_field("")?,
                Cell::Count(n) => self.0.write_field(n.to_string())?,
                // A spreadsheet would take it for a formula; with an apostrophe before it, it is text.
                Cell::Text(text) if is_formula(text) => self.0.write_field(format!("'{text}"))?,
                Cell::Text(text) => self.0.write_field(text)?,
            }
        }
        Ok(self.0.write_record(None::<&[u8]>)?)
    }

    fn pending_bytes(&self) -> u64 {
        BUFFER as u64
    }

    fn close(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
