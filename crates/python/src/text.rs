//! Texts: Python values as TOML, traces, and quantities with units.

use crate::errors::refused;
use anabranch::scenarios::{TraceModel, synthetic_trace};
use pyo3::prelude::*;

fn read(json: &str) -> PyResult<::toml::Value> {
    let value = serde_json::from_str(json).map_err(|why| why.to_string());
    value.map_err(|why| refused(format!("the value cannot be written as TOML: {why}")))
}

/// Formats a table as the text of a file.
#[pyfunction]
pub fn toml(json: &str) -> PyResult<String> {
    let text = ::toml::to_string(&read(json)?);
    text.map_err(|why| refused(format!("the scenario cannot be written as TOML: {why}")))
}

/// A synthetic trace as the text of a file.
#[pyfunction]
pub fn trace(py: Python<'_>, model: &str, seed: u64, duration: &str) -> PyResult<String> {
    let known = TraceModel::ALL.into_iter().find(|(name, _)| *name == model);
    let (_, model) = known.ok_or_else(|| {
        let all = TraceModel::ALL.map(|(name, _)| name).join(", ");
        refused(format!("unknown model `{model}`; known: {all}"))
    })?;
    let lines = py.detach(|| synthetic_trace(model, seed, duration)).map_err(refused)?;
    Ok(lines.join("\n") + "\n")
}

/// Text for a page: escapes control characters and direction marks.
#[pyfunction]
pub fn printable(text: &str) -> String {
    anabranch::scenarios::printable_line(text)
}

/// Formats a value on one line.
#[pyfunction]
pub fn inline(json: &str) -> PyResult<String> {
    Ok(read(json)?.to_string())
}

/// A rate such as `5 Mbit/s`, in bit/s.
#[pyfunction]
pub fn rate(text: &str) -> PyResult<f64> {
    anabranch::scenarios::rate(text).map_err(refused)
}

/// A time such as `20 ms`, in seconds.
#[pyfunction]
pub fn time(text: &str) -> PyResult<f64> {
    anabranch::scenarios::time(text).map(|time| time.as_secs_f64()).map_err(refused)
}
