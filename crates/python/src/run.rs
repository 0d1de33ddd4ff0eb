//! Runs a scenario once.

use crate::algorithm::{self, Known, Own};
use crate::errors::{python_error, run_error, warn};
use crate::samples;
use crate::table::Table;
use anabranch::records::Sink;
use anabranch::studies::{Task, TaskError};
use anabranch::{Changes, MemorySink, NoSamples, RUNNERS, SIM, Scenario, Summary, Time};
use pyo3::prelude::*;

/// The names of all backends.
#[pyfunction]
pub fn backends() -> Vec<&'static str> {
    RUNNERS.iter().map(|(runner, _)| runner.name()).collect()
}

/// A text, after its name in diagnostics.
pub type Named = (String, String);

/// Reads a scenario from text, with changes. What is probably not meant becomes a warning of Python.
pub fn scenario(
    py: Python<'_>,
    (name, text): Named,
    set: Vec<String>,
    cc: Vec<String>,
) -> PyResult<Scenario> {
    let changes = Changes { set, cc, ..Changes::default() };
    let scenario = Scenario::of_text(&name, &text, changes).map_err(|error| python_error(py, &error))?;
    // The caller of the package is two frames up.
    warn(py, scenario.warnings(), 2)?;
    Ok(scenario)
}

/// The record of a run: its summary as JSON, and its samples of subflows, links and completions.
pub type RunRecord = (String, Table, Table, Table);

/// The record of a summary and its samples.
pub fn record_of(summary: &Summary, samples: &MemorySink) -> PyResult<RunRecord> {
    Ok((
        summary.to_json(),
        samples::subflows(samples)?,
        samples::links(samples)?,
        samples::completions(samples)?,
    ))
}

/// Runs a scenario, by default with its own seed; `own` are Python algorithms. Other threads continue meanwhile, and Ctrl-C
/// ends it.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    source: Named,
    set: Vec<String>,
    cc: Vec<String>,
    own: Vec<Own>,
    seed: Option<u64>,
    sampled: bool,
) -> PyResult<RunRecord> {
    let known = Known::begin(own)?;
    let simulate = || {
        let scenario = scenario(py, source, set, cc)?;
        let task = scenario.task(SIM.name()).seed(seed.unwrap_or(scenario.seed));
        let mut samples = MemorySink::new();
        let sink: &mut dyn Sink = if sampled { &mut samples } else { &mut NoSamples };
        let summary = simulated(py, &task, sink, None)?;
        record_of(&summary.map_err(run_error)?, &samples)
    };
    let made = simulate();
    known.end()?;
    made
}

/// Simulates a task. Other threads continue meanwhile. An error of an algorithm, Ctrl-C, or true from `stopped` ends it.
pub fn simulated(
    py: Python<'_>,
    task: &Task,
    sink: &mut dyn Sink,
    stopped: Option<&Py<PyAny>>,
) -> PyResult<Result<Summary, TaskError>> {
    let is_stopped = |py: Python<'_>| stopped.map_or(Ok(false), |stopped| stopped.call0(py)?.is_truthy(py));
    let mut signal = Ok(());
    let summary = py.detach(|| {
        let mut keep_going = |_: Time| {
            let mut stopped = false;
            signal = Python::attach(|py| {
                stopped = is_stopped(py)?;
                py.check_signals()
            });
            signal.is_ok() && !stopped && algorithm::is_well()
        };
        SIM.backend.run(task, sink, &mut keep_going)
    });
    signal?;
    algorithm::check()?;
    Ok(summary)
}
