//! Advice on an algorithm for a scenario.

use crate::algorithms::json;
use crate::background;
use crate::errors::python_error;
use crate::run::{Named, scenario};
use anabranch::advise::ALGORITHMS;
use anabranch::{AdviseOptions, Watch};
use pyo3::prelude::*;

/// The advice as JSON, as `anabranch advise --json` prints it. Ctrl-C ends it.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn advise(
    py: Python<'_>,
    source: Named,
    set: Vec<String>,
    flow: Option<String>,
    cc: Option<Vec<String>>,
    buffers: Vec<String>,
    seeds: u32,
    jobs: Option<usize>,
) -> PyResult<String> {
    let scenario = scenario(py, source, set, vec![])?;
    let cc = cc.unwrap_or_else(|| ALGORITHMS.map(str::to_owned).to_vec());
    let options = AdviseOptions { flow, cc, buffers, seeds, ..AdviseOptions::default() };
    let advice = background::work(
        py,
        jobs.unwrap_or(0),
        || Ok(()),
        |cancel| {
            let watch = Watch { cancel: cancel.clone(), ..Watch::default() };
            anabranch::advise(&scenario, &options, &watch)
        },
    )?;
    json(&advice.map_err(|error| python_error(py, &error))?)
}
