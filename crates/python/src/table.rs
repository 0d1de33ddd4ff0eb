//! Tables in memory, readable through the Arrow PyCapsule interface.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::sync::Arc;

/// The cells of a column.
pub enum Values {
    /// Real numbers; missing values are null.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Counts(Vec<u64>),
    /// Texts.
    Texts(Vec<String>),
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

fn column((name, values): (String, Values)) -> (Field, ArrayRef) {
    let (kind, array): (DataType, ArrayRef) = match values {
        Values::Numbers(values) => (DataType::Float64, Arc::new(Float64Array::from(values))),
        Values::Counts(values) => (DataType::UInt64, Arc::new(UInt64Array::from(values))),
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
    /// A table from columns, each with a name, a kind (`number`, `count`, `text`) and values.
    #[new]
    fn new(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let read = |(name, kind, values): (String, String, Bound<'_, PyAny>)| {
            let values = match kind.as_str() {
                "number" => Values::Numbers(values.extract()?),
                "count" => Values::Counts(values.extract()?),
                "text" => Values::Texts(values.extract()?),
                other => return Err(PyValueError::new_err(format!("unknown kind of column: {other}"))),
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
            let array = array.as_any();
            let list = if let Some(numbers) = array.downcast_ref::<Float64Array>() {
                PyList::new(py, numbers.iter())?
            } else if let Some(counts) = array.downcast_ref::<UInt64Array>() {
                PyList::new(py, counts.values())?
            } else if let Some(texts) = array.downcast_ref::<StringArray>() {
                PyList::new(py, texts.iter())?
            } else {
                unreachable!("a column is one of these")
            };
            dict.set_item(field.name(), list)?;
        }
        Ok(dict)
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
