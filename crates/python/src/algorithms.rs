//! Lists algorithms and computes theory.

use crate::errors::{Error, refused};
use crate::run::{Named, scenario};
use anabranch::QUEUE;
use anabranch::algorithms::registry::ALL;
use anabranch::scenarios::describe::describe;
use pyo3::prelude::*;
use serde::Serialize;

/// Serialises data as JSON.
pub fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|why| Error::new_err(why.to_string()))
}

/// Every algorithm, as JSON.
#[pyfunction]
pub fn algorithms() -> PyResult<String> {
    json(&ALL.iter().map(|entry| describe(entry)).collect::<Vec<_>>())
}

/// Fair shares and equilibria of a scenario, as JSON.
#[pyfunction]
pub fn ideal(
    py: Python<'_>,
    source: Named,
    set: Vec<String>,
    cc: Vec<String>,
    queue: Option<f64>,
) -> PyResult<String> {
    let queue = queue.unwrap_or(QUEUE);
    if !(0.0..=1.0).contains(&queue) {
        return Err(refused(format!("`queue` is {queue}: it must be a fraction from 0 to 1")));
    }
    let scenario = scenario(py, source, set, cc)?;
    json(&py.detach(|| scenario.ideal(queue)))
}
