//! Tables as Parquet, in row groups that are written as they fill.

use super::table::{Column, Table};
use crate::{Cell, Kind};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use std::fs::File;
use std::io;
use std::mem::take;
use std::sync::Arc;

/// Rows per row group: a few megabytes in memory, and few enough groups that the footer stays small.
const GROUP_ROWS: usize = 1 << 16;

/// Bytes of a number, or of a text without its characters, with its definition level.
const PER_CELL: u64 = 10;
/// Bytes that describe a column of a row group in the footer.
const PER_COLUMN: u64 = 400;
/// Bytes of the metadata.
const FACTS: u64 = 4 << 10;

pub(super) struct ParquetTable {
    writer: SerializedFileWriter<File>,
    /// The row group being filled.
    group: Vec<Values>,
    rows: usize,
    /// Bytes of its cells, without compression.
    bytes: u64,
}

/// A column's cells in the row group being filled.
enum Values {
    Number(Vec<f64>),
    /// The numbers, and each row's definition level.
    MaybeNumber(Vec<f64>, Vec<i16>),
    Count(Vec<i64>),
    /// As the signed numbers of the same bits, as Parquet has them.
    Unsigned(Vec<i64>),
    Text(Vec<ByteArray>),
}

impl ParquetTable {
    pub fn create(file: File, columns: &[Column]) -> io::Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_created_by(concat!("anabranch ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(file, schema(columns)?, Arc::new(properties))?;
        let group = columns.iter().map(|c| Values::new(c.kind)).collect();
        Ok(ParquetTable { writer, group, rows: 0, bytes: 0 })
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut group = self.writer.next_row_group()?;
        for values in &mut self.group {
            let Some(mut column) = group.next_column()? else { break };
            values.write(&mut column)?;
            column.close()?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl Table for ParquetTable {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        debug_assert_eq!(cells.len(), self.group.len());
        for (values, cell) in self.group.iter_mut().zip(cells) {
            values.push(cell);
            self.bytes += PER_CELL + if let Cell::Text(text) = cell { text.len() as u64 } else { 0 };
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS { self.write_group() } else { Ok(()) }
    }

    fn describe(&mut self, facts: &[(&'static str, String)]) {
        for (name, fact) in facts {
            let key = format!("anabranch.{name}");
            self.writer.append_key_value_metadata(KeyValue::new(key, fact.clone()));
        }
    }

    fn pending_bytes(&self) -> u64 {
        let groups = self.writer.flushed_row_groups().len() as u64 + 1;
        self.bytes + groups * self.group.len() as u64 * PER_COLUMN + FACTS
    }

    fn close(&mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.writer.finish()?;
        Ok(())
    }
}

impl Values {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Number => Values::Number(Vec::new()),
            Kind::MaybeNumber => Values::MaybeNumber(Vec::new(), Vec::new()),
            Kind::Count => Values::Count(Vec::new()),
            Kind::Unsigned => Values::Unsigned(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
        }
    }

    fn push(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Values::Number(values), Cell::Number(x)) => values.push(*x),
            (Values::MaybeNumber(values, present), Cell::Number(x)) => {
                present.push(i16::from(x.is_finite()));
                if x.is_finite() {
                    values.push(*x);
                }
            }
            (Values::Count(values), Cell::Count(n)) => values.push(i64::try_from(*n).unwrap_or(i64::MAX)),
            (Values::Unsigned(values), Cell::Count(n)) => values.push(n.cast_signed()),
            (Values::Text(values), Cell::Text(text)) => values.push(ByteArray::from(*text)),
            (_, cell) => unreachable!("{cell:?} in a column of another kind"),
        }
    }

    /// Writes and forgets the cells.
    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> io::Result<()> {
        match self {
            Values::Number(values) => column.typed::<DoubleType>().write_batch(&take(values), None, None)?,
            Values::MaybeNumber(values, present) => {
                column.typed::<DoubleType>().write_batch(&take(values), Some(&take(present)), None)?
            }
            Values::Count(values) | Values::Unsigned(values) => {
                column.typed::<Int64Type>().write_batch(&take(values), None, None)?
            }
            Values::Text(values) => column.typed::<ByteArrayType>().write_batch(&take(values), None, None)?,
        };
        Ok(())
    }
}

fn schema(columns: &[Column]) -> io::Result<TypePtr> {
    let field = |c: &Column| {
        let (physical, repetition, logical) = match c.kind {
            Kind::Number => (Physical::DOUBLE, Repetition::REQUIRED, None),
            Kind::MaybeNumber => (Physical::DOUBLE, Repetition::OPTIONAL, None),
            Kind::Count => (Physical::INT64, Repetition::REQUIRED, None),
            Kind::Unsigned => (Physical::INT64, Repetition::REQUIRED, Some(LogicalType::integer(64, false))),
            Kind::Text => (Physical::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String)),
        };
        let builder = Type::primitive_type_builder(&c.name, physical);
        builder.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("samples").with_fields(fields).build()?))
}
