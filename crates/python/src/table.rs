//! Tables in memory, readable through the Arrow PyCapsule interface.

use anabranch::records::{Cell, Column, Kind, SampleFormat, TableFile, WriteError};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
    make_array,
};
use arrow_data::ArrayData;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList};
use std::path::PathBuf;
use std::sync::Arc;

/// A column of real numbers; those that are missing or not finite are null.
pub fn numbers<T: Into<Option<f64>>>(values: impl IntoIterator<Item = T>) -> ArrayRef {
    let finite = |x: T| x.into().filter(|x| x.is_finite());
    Arc::new(values.into_iter().map(finite).collect::<Float64Array>())
}

/// A column of whole numbers below 2⁶³. Signed, so that differences may be negative.
pub fn counts(values: impl IntoIterator<Item = u64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.into_iter().map(u64::cast_signed)))
}

/// A column of whole numbers of 64 bits, such as seeds.
pub fn unsigned(values: impl IntoIterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

/// A column of texts.
pub fn texts(values: impl IntoIterator<Item = impl AsRef<str>>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

/// A column in memory: name, type, rows, bits of the rows that are not null, and Arrow's buffers.
type PackedColumn<'py> = (String, String, usize, Option<Bound<'py, PyBytes>>, Vec<Bound<'py, PyBytes>>);

/// Columns of one length.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Table(RecordBatch);

impl Table {
    /// A table of these columns, with units in their names.
    pub fn of(columns: Vec<(impl AsRef<str>, ArrayRef)>) -> PyResult<Self> {
        let columns = columns.into_iter().map(|(name, array)| {
            let nullable = *array.data_type() == DataType::Float64;
            (name, array, nullable)
        });
        RecordBatch::try_from_iter_with_nullable(columns).map(Table).map_err(wrong)
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.0.num_rows() == 0
    }

    /// Writes a Parquet file.
    pub fn write(&self, path: PathBuf) -> Result<(), WriteError> {
        let kind = |array: &ArrayRef| match array.data_type() {
            DataType::Float64 => Kind::MaybeNumber,
            DataType::Int64 => Kind::Count,
            DataType::UInt64 => Kind::Unsigned,
            _ => Kind::Text,
        };
        let described = self.column_names().into_iter().zip(self.0.columns());
        let described: Vec<_> = described.map(|(name, array)| Column { name, kind: kind(array) }).collect();
        let mut file = TableFile::create(path, SampleFormat::Parquet, &described)?;
        for i in 0..self.0.num_rows() {
            file.row(self.0.columns().iter().map(|array| cell(array, i)))?;
        }
        file.finish().map(drop)
    }
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
            let array: ArrayRef = match kind.as_str() {
                "number" => {
                    let values = values.extract::<Vec<Option<f64>>>()?.into_iter();
                    Arc::new(values.map(|x| x.filter(|x| !x.is_nan())).collect::<Float64Array>())
                }
                "count" => Arc::new(Int64Array::from(values.extract::<Vec<i64>>()?)),
                "unsigned" => Arc::new(UInt64Array::from(values.extract::<Vec<u64>>()?)),
                "text" => Arc::new(StringArray::from(values.extract::<Vec<String>>()?)),
                other => return Err(PyValueError::new_err(format!("unknown kind of column: {other}"))),
            };
            Ok((name, array))
        };
        Table::of(columns.into_iter().map(read).collect::<PyResult<_>>()?)
    }

    /// The columns for [`Table::unpacked`].
    fn packed<'py>(&self, py: Python<'py>) -> Vec<PackedColumn<'py>> {
        let pack = |(name, array): (String, &ArrayRef)| {
            let data = array.to_data();
            let nulls = data.nulls().map(|nulls| PyBytes::new(py, nulls.validity()));
            let buffers = data.buffers().iter().map(|buffer| PyBytes::new(py, buffer)).collect();
            (name, data.data_type().to_string(), data.len(), nulls, buffers)
        };
        self.column_names().into_iter().zip(self.0.columns()).map(pack).collect()
    }

    /// The table of [`Table::packed`].
    #[staticmethod]
    fn unpacked(columns: Vec<PackedColumn<'_>>) -> PyResult<Self> {
        let buffer = |bytes: &Bound<'_, PyBytes>| bytes.as_bytes().into();
        let read = |(name, kind, rows, nulls, buffers): PackedColumn<'_>| {
            let kind = kind.parse()?;
            if !matches!(kind, DataType::Float64 | DataType::Int64 | DataType::UInt64 | DataType::Utf8) {
                return Err(ArrowError::SchemaError(format!("no column is of type {kind}")));
            }
            let data = ArrayData::builder(kind)
                .len(rows)
                .null_bit_buffer(nulls.as_ref().map(buffer))
                .buffers(buffers.iter().map(buffer).collect());
            Ok((name, make_array(data.build()?)))
        };
        Table::of(columns.into_iter().map(read).collect::<Result<_, _>>().map_err(wrong)?)
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

fn cell(array: &ArrayRef, i: usize) -> Cell<'_> {
    match array.data_type() {
        DataType::Float64 if array.is_null(i) => Cell::Number(f64::NAN),
        DataType::Float64 => Cell::Number(array.as_primitive::<Float64Type>().value(i)),
        DataType::Int64 => Cell::Count(array.as_primitive::<Int64Type>().value(i).cast_unsigned()),
        DataType::UInt64 => Cell::Count(array.as_primitive::<UInt64Type>().value(i)),
        _ => Cell::Text(array.as_string::<i32>().value(i)),
    }
}

fn list<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    match array.data_type() {
        DataType::Float64 => PyList::new(py, array.as_primitive::<Float64Type>().iter()),
        DataType::Int64 => PyList::new(py, array.as_primitive::<Int64Type>().values()),
        DataType::UInt64 => PyList::new(py, array.as_primitive::<UInt64Type>().values()),
        _ => PyList::new(py, array.as_string::<i32>().iter()),
    }
}
