//! Tables in memory, readable through the Arrow PyCapsule interface.

use anabranch::records::{Cell, Column, Kind, SampleFormat, TableFile, WriteError};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The cells of a column.
pub enum Values {
    /// Real numbers; missing values are null.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers below 2⁶³. Signed, so that differences may be negative.
    Counts(Vec<i64>),
    /// Whole numbers of 64 bits, such as seeds.
    Unsigned(Vec<u64>),
    /// Texts.
    Texts(Vec<String>),
}

impl Values {
    /// Counters, which stay far below 2⁶³.
    pub fn counts(values: impl IntoIterator<Item = u64>) -> Self {
        Values::Counts(values.into_iter().map(u64::cast_signed).collect())
    }

    /// Numbers, of which those that are not finite are null.
    pub fn numbers(values: impl IntoIterator<Item = f64>) -> Self {
        Values::Numbers(values.into_iter().map(|x| x.is_finite().then_some(x)).collect())
    }
}

/// Columns of one length.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Table(RecordBatch);

impl Table {
    /// A table of these columns, with units in their names.
    pub fn of(columns: Vec<(String, Values)>) -> PyResult<Self> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().map(column).unzip();
        RecordBatch::try_new(Schema::new(fields).into(), arrays).map(Table).map_err(wrong)
    }
}

impl Table {
    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.0.num_rows() == 0
    }

    /// Writes a Parquet file.
    pub fn write(&self, path: PathBuf) -> Result<(), WriteError> {
        let mut file = TableFile::create(path, SampleFormat::Parquet, &self.columns())?;
        self.each_row(|cells| file.row(cells.iter().copied()))?;
        file.finish().map(drop)
    }

    /// The columns of a file with it.
    fn columns(&self) -> Vec<Column> {
        let schema = self.0.schema();
        let kind = |array: &ArrayRef| match Cells::of(array) {
            Cells::Numbers(_) => Kind::MaybeNumber,
            Cells::Counts(_) => Kind::Count,
            Cells::Unsigned(_) => Kind::Unsigned,
            Cells::Texts(_) => Kind::Text,
        };
        let columns = schema.fields().iter().zip(self.0.columns());
        columns.map(|(field, array)| Column { name: field.name().clone(), kind: kind(array) }).collect()
    }

    /// Each row of such a file.
    fn each_row<E>(&self, mut row: impl FnMut(&[Cell<'_>]) -> Result<(), E>) -> Result<(), E> {
        let columns: Vec<Cells<'_>> = self.0.columns().iter().map(Cells::of).collect();
        (0..self.0.num_rows()).try_for_each(|i| {
            let cell = |column| match column {
                Cells::Numbers(all) => Cell::Number(if all.is_null(i) { f64::NAN } else { all.value(i) }),
                Cells::Counts(all) => Cell::Count(all.value(i).cast_unsigned()),
                Cells::Unsigned(all) => Cell::Count(all.value(i)),
                Cells::Texts(all) => Cell::Text(all.value(i)),
            };
            row(&columns.iter().copied().map(cell).collect::<Vec<_>>())
        })
    }
}

fn column((name, values): (String, Values)) -> (Field, ArrayRef) {
    let (kind, array): (DataType, ArrayRef) = match values {
        Values::Numbers(values) => {
            let values = values.into_iter().map(|x| x.filter(|x| !x.is_nan()));
            (DataType::Float64, Arc::new(values.collect::<Float64Array>()))
        }
        Values::Counts(values) => (DataType::Int64, Arc::new(Int64Array::from(values))),
        Values::Unsigned(values) => (DataType::UInt64, Arc::new(UInt64Array::from(values))),
        Values::Texts(values) => (DataType::Utf8, Arc::new(StringArray::from(values))),
    };
    let nullable = kind == DataType::Float64;
    (Field::new(name, kind, nullable), array)
}

fn wrong(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Table {
    /// A table from columns, each with a name, a kind (`number`, `count`, `unsigned`, `text`) and values.
    #[new]
    fn new(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let read = |(name, kind, values): (String, String, Bound<'_, PyAny>)| {
            let values = match kind.as_str() {
                "number" => Values::Numbers(values.extract()?),
                "count" => Values::Counts(values.extract()?),
                "unsigned" => Values::Unsigned(values.extract()?),
                "text" => Values::Texts(values.extract()?),
                other => return Err(PyValueError::new_err(format!("unknown kind of column: {other}"))),
            };
            Ok((name, values))
        };
        Table::of(columns.into_iter().map(read).collect::<PyResult<_>>()?)
    }

    /// The columns as bytes, for [`Table::unpacked`].
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, &'static str, Bound<'py, PyAny>)>> {
        let schema = self.0.schema();
        let columns = schema.fields().iter().zip(self.0.columns());
        let pack = |(field, array): (&Arc<Field>, &ArrayRef)| {
            let bytes = |values: Vec<[u8; 8]>| PyBytes::new(py, values.as_flattened()).into_any();
            let (kind, values) = match Cells::of(array) {
                // No number of a table is NaN.
                Cells::Numbers(all) => {
                    ("number", bytes(all.iter().map(|x| x.unwrap_or(f64::NAN).to_le_bytes()).collect()))
                }
                Cells::Counts(all) => {
                    ("count", bytes(all.values().iter().map(|n| n.to_le_bytes()).collect()))
                }
                Cells::Unsigned(all) => {
                    ("unsigned", bytes(all.values().iter().map(|n| n.to_le_bytes()).collect()))
                }
                Cells::Texts(all) => {
                    // Each text once, and its number in each row.
                    let (mut texts, mut numbers) = (Vec::new(), HashMap::new());
                    let mut number = |text| {
                        *numbers.entry(text).or_insert_with(|| {
                            texts.push(text);
                            texts.len() as u64 - 1
                        })
                    };
                    let rows = all.iter().flatten().map(|text| number(text).to_le_bytes()).collect();
                    ("text", (texts, bytes(rows)).into_pyobject(py)?.into_any())
                }
            };
            Ok((field.name().clone(), kind, values))
        };
        columns.map(pack).collect()
    }

    /// The table of [`Table::packed`].
    #[staticmethod]
    fn unpacked(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let words = |value: &Bound<'_, PyAny>| -> PyResult<Vec<[u8; 8]>> {
            let (words, rest) = value.extract::<&[u8]>()?.as_chunks::<8>();
            if rest.is_empty() { Ok(words.to_vec()) } else { Err(torn()) }
        };
        let read = |(name, kind, value): (String, String, Bound<'_, PyAny>)| {
            let values = match kind.as_str() {
                "number" => {
                    let number = |word| Some(f64::from_le_bytes(word)).filter(|x| !x.is_nan());
                    Values::Numbers(words(&value)?.into_iter().map(number).collect())
                }
                "count" => Values::Counts(words(&value)?.into_iter().map(i64::from_le_bytes).collect()),
                "unsigned" => Values::Unsigned(words(&value)?.into_iter().map(u64::from_le_bytes).collect()),
                "text" => {
                    let (texts, rows): (Vec<String>, Bound<'_, PyAny>) = value.extract()?;
                    let text = |word| texts.get(u64::from_le_bytes(word) as usize).cloned().ok_or_else(torn);
                    Values::Texts(words(&rows)?.into_iter().map(text).collect::<PyResult<_>>()?)
                }
                _ => return Err(torn()),
            };
            Ok((name, values))
        };
        Table::of(columns.into_iter().map(read).collect::<PyResult<_>>()?)
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    #[getter]
    pub fn column_names(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Each column as a list of at most the first `rows` rows.
    #[pyo3(signature = (rows=None))]
    fn to_pydict<'py>(&self, py: Python<'py>, rows: Option<usize>) -> PyResult<Bound<'py, PyDict>> {
        let batch = self.0.slice(0, rows.unwrap_or(usize::MAX).min(self.0.num_rows()));
        let dict = PyDict::new(py);
        for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
            dict.set_item(field.name(), list(py, array)?)?;
        }
        Ok(dict)
    }

    /// One column as a list.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let array = self.0.column_by_name(name).ok_or_else(|| {
            PyKeyError::new_err(format!("no column `{name}`; there are {}", self.column_names().join(", ")))
        })?;
        list(py, array)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref()).map_err(wrong)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The columns in their own types: a reader converts them if it needs others.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}

/// The cells of a column in memory.
#[derive(Clone, Copy)]
enum Cells<'a> {
    Numbers(&'a Float64Array),
    Counts(&'a Int64Array),
    Unsigned(&'a UInt64Array),
    Texts(&'a StringArray),
}

impl<'a> Cells<'a> {
    fn of(array: &'a ArrayRef) -> Self {
        let array = array.as_any();
        if let Some(numbers) = array.downcast_ref() {
            Cells::Numbers(numbers)
        } else if let Some(counts) = array.downcast_ref() {
            Cells::Counts(counts)
        } else if let Some(numbers) = array.downcast_ref() {
            Cells::Unsigned(numbers)
        } else if let Some(texts) = array.downcast_ref() {
            Cells::Texts(texts)
        } else {
            unreachable!("a column is one of these")
        }
    }
}

fn list<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    match Cells::of(array) {
        Cells::Numbers(numbers) => PyList::new(py, numbers.iter()),
        Cells::Counts(counts) => PyList::new(py, counts.values()),
        Cells::Unsigned(numbers) => PyList::new(py, numbers.values()),
        Cells::Texts(texts) => PyList::new(py, texts.iter()),
    }
}

fn torn() -> PyErr {
    PyValueError::new_err("a pickled table is damaged")
}
