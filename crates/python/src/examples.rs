//! Scenarios and studies that ship in the package: `example:NAME` in place of a file.

use crate::errors::python_error;
use crate::run::Named;
use anabranch::examples::{EXAMPLES, Example, named};
use pyo3::prelude::*;
use std::path::Path;

/// Each example's name, whether it is a study, and its subject.
#[pyfunction]
pub fn examples() -> Vec<(&'static str, bool, String)> {
    EXAMPLES.iter().map(|example| (example.name, example.is_study, example.title())).collect()
}

/// The text of the example that `file` names, if it names one.
#[pyfunction]
pub fn example(py: Python<'_>, file: &str) -> PyResult<Option<Named>> {
    let text = named(Path::new(file)).and_then(|example| example.map(Example::text).transpose());
    Ok(text.map_err(|error| python_error(py, &error))?.map(|text| (file.to_owned(), text)))
}
