//! A table read back: columns of equal length, numbers or text.

use parquet::column::reader::ColumnReader;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;

/// An error in a table.
pub struct ColumnsError(pub String);

impl<E: std::error::Error> From<E> for ColumnsError {
    fn from(error: E) -> Self {
        ColumnsError(error.to_string())
    }
}

/// The columns by name.
#[derive(Default)]
pub struct Columns(Vec<(String, Values)>);

enum Values {
    /// Null is NaN.
    Numbers(Vec<f64>),
    Text(Vec<String>),
}

impl Values {
    /// Without rows, of a column of our tables.
    fn empty(name: &str) -> Self {
        match ["flow", "path", "link"].contains(&name) {
            true => Values::Text(Vec::new()),
            false => Values::Numbers(Vec::new()),
        }
    }
}

impl Columns {
    /// Reads CSV as [`FileSink`](crate::FileSink) writes it.
    pub fn csv(file: File) -> Result<Columns, ColumnsError> {
        let mut reader = csv::Reader::from_reader(file);
        let mut columns: Vec<_> =
            reader.headers()?.iter().map(|name| (name.to_owned(), Values::empty(name))).collect();
        let mut row = csv::StringRecord::new();
        while reader.read_record(&mut row)? {
            for ((name, values), cell) in columns.iter_mut().zip(&row) {
                match values {
                    Values::Text(texts) => texts.push(unescaped(cell).to_owned()),
                    Values::Numbers(numbers) if cell.is_empty() => numbers.push(f64::NAN),
                    Values::Numbers(numbers) => {
                        let wrong = |_| ColumnsError(format!("{cell:?} in {name} is not a number"));
                        numbers.push(cell.parse().map_err(wrong)?);
                    }
                }
            }
        }
        Ok(Columns(columns))
    }

    /// Reads Parquet.
    pub fn parquet(file: File) -> Result<Columns, ColumnsError> {
        let reader = SerializedFileReader::new(file)?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let names = schema.columns().iter().map(|column| column.name());
        let mut columns: Vec<_> = names.map(|name| (name.to_owned(), Values::empty(name))).collect();
        for g in 0..reader.num_row_groups() {
            let group = reader.get_row_group(g)?;
            let rows = usize::try_from(group.metadata().num_rows())?;
            for (i, (name, values)) in columns.iter_mut().enumerate() {
                let more = read(group.get_column_reader(i)?, rows)
                    .map_err(|ColumnsError(why)| ColumnsError(format!("{name}: {why}")))?;
                match (values, more) {
                    (Values::Numbers(all), Values::Numbers(more)) => all.extend(more),
                    (Values::Text(all), Values::Text(more)) => all.extend(more),
                    (values, more) => *values = more,
                }
            }
        }
        Ok(Columns(columns))
    }

    /// The columns' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// A column of numbers.
    pub fn numbers(&self, name: &str) -> Result<&[f64], ColumnsError> {
        match self.0.iter().find(|(n, _)| n == name) {
            Some((_, Values::Numbers(numbers))) => Ok(numbers),
            _ => Err(ColumnsError(format!("the column of numbers {name} is missing"))),
        }
    }

    /// A column of text.
    pub fn text(&self, name: &str) -> Result<&[String], ColumnsError> {
        match self.0.iter().find(|(n, _)| n == name) {
            Some((_, Values::Text(texts))) => Ok(texts),
            _ => Err(ColumnsError(format!("the column of texts {name} is missing"))),
        }
    }

    /// Some rows of a column of numbers.
    pub fn rows(&self, name: &str, rows: &[usize]) -> Result<Vec<f64>, ColumnsError> {
        let numbers = self.numbers(name)?;
        Ok(rows.iter().map(|&row| numbers[row]).collect())
    }
}

/// Text that a spreadsheet would have taken for a formula has an apostrophe before it.
fn unescaped(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if crate::files::csv_table::is_formula(text) => text,
        _ => cell,
    }
}

/// The values of a chunk of a column.
fn read(reader: ColumnReader, rows: usize) -> Result<Values, ColumnsError> {
    let mut levels = Vec::new();
    let mut numbers = Vec::new();
    match reader {
        ColumnReader::DoubleColumnReader(mut column) => {
            column.read_records(rows, Some(&mut levels), None, &mut numbers)?;
        }
        ColumnReader::Int64ColumnReader(mut column) => {
            let mut counts = Vec::new();
            column.read_records(rows, Some(&mut levels), None, &mut counts)?;
            numbers = counts.into_iter().map(|n| n as f64).collect();
        }
        ColumnReader::ByteArrayColumnReader(mut column) => {
            let mut bytes = Vec::new();
            column.read_records(rows, None, None, &mut bytes)?;
            let texts = bytes.iter().map(|b| b.as_utf8().map(str::to_owned)).collect::<Result<_, _>>()?;
            return Ok(Values::Text(texts));
        }
        _ => return Err(ColumnsError("neither numbers nor text".to_owned())),
    }
    // In a nullable column, `levels` show which rows have values.
    let mut values = numbers.into_iter();
    if levels.is_empty() {
        return Ok(Values::Numbers(values.collect()));
    }
    let value = |there: &i16| if *there > 0 { values.next().unwrap_or(f64::NAN) } else { f64::NAN };
    Ok(Values::Numbers(levels.iter().map(value).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Column, Kind, SampleFormat, TableFile};

    #[test]
    fn texts_of_csv_keep_their_apostrophes() {
        let folder = tempfile::tempdir().unwrap();
        let columns = [Column { name: "flow".into(), kind: Kind::Text }];
        let mut table = TableFile::create(folder.path().join("x.csv"), SampleFormat::Csv, &columns).unwrap();
        let texts = ["=1", "'=1", "''=1", "'a", "a"];
        texts.iter().for_each(|text| table.row([Cell::Text(text)]).unwrap());
        let read = Columns::csv(File::open(table.finish().unwrap()).unwrap()).ok().unwrap();
        assert_eq!(read.text("flow").ok().unwrap(), texts);
    }
}
