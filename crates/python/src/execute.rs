//! Executes tasks in a worker. The result's bytes do not depend on the worker.

use crate::algorithm::{self, Known, Own};
use crate::errors::{Error, RunError, VersionError};
use crate::run::{self, simulated};
use anabranch::records::Sink;
use anabranch::studies::store::{self, Key, Record};
use anabranch::studies::{RunId, TaskError};
use anabranch::{MemorySink, NoSamples, RESULTS_VERSION};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::os::fd::RawFd;

/// The version of results: outcomes of another version are not used.
#[pyfunction]
pub fn build() -> &'static str {
    RESULTS_VERSION
}

/// Prepares for a fork in this thread.
#[pyfunction]
pub fn before_fork() {
    store::before_fork();
}

/// Ends the preparation. Returns the descriptors that the child must close, because claims end with their owner.
#[pyfunction]
pub fn after_fork() -> Vec<RawFd> {
    store::after_fork()
}

/// What a client's tasks need besides their text.
#[derive(FromPyObject)]
pub struct Needs {
    /// Algorithms in Python.
    own: Vec<Own>,
    /// A function of a run that gives its metrics, if there are any.
    measure: Option<Py<PyAny>>,
    /// The name under which runs are stored.
    identity: String,
    /// Whether to stop, for runs in threads of the client.
    stopped: Option<Py<PyAny>>,
    /// Whether a run that fails is an error.
    raises: bool,
}

/// Executes tasks for a client with that version of results. Returns each task's record, or `None` if it failed.
///
/// # Errors
/// The error of an algorithm or a metric, or another version.
#[pyfunction]
pub fn execute(
    py: Python<'_>,
    tasks: Vec<String>,
    client: &str,
    mut needs: Needs,
) -> PyResult<Vec<Option<Py<PyBytes>>>> {
    if RESULTS_VERSION != client {
        return Err(VersionError::new_err(format!(
            "the worker's results are of version {RESULTS_VERSION}, the client's of version {client}: \
             install the same wheel on both"
        )));
    }
    let raises = needs.raises || needs.measure.is_some() || !needs.own.is_empty();
    let known = Known::begin(std::mem::take(&mut needs.own))?;
    let made: Vec<_> = tasks.iter().map(|task| one(py, task, &needs, raises)).collect::<PyResult<_>>()?;
    known.end().map(|()| made)
}

fn one(py: Python<'_>, task: &str, needs: &Needs, raises: bool) -> PyResult<Option<Py<PyBytes>>> {
    let Needs { measure, identity, stopped, .. } = needs;
    let mut samples = MemorySink::new();
    let sink: &mut dyn Sink = if measure.is_some() { &mut samples } else { &mut NoSamples };
    let summary = match serde_json::from_str(task) {
        Ok(task) => simulated(py, &task, sink, stopped.as_ref())?,
        Err(why) => Err(TaskError::Refused(why.to_string())),
    };
    let mut summary = match summary {
        Ok(summary) => summary,
        Err(TaskError::Refused(why) | TaskError::Failed(why)) if raises => {
            return Err(RunError::new_err(why));
        }
        // The client repeats a run that failed and judges the failure, unless it is in Python.
        Err(_) => return Ok(None),
    };
    if let Some(measure) = measure {
        let metrics = measure.call1(py, (run::record_of(&summary, &samples)?,))?;
        summary.metrics = metrics.extract(py)?;
        algorithm::check()?;
    }
    let run = RunId { scenario_hash: &summary.scenario_hash, seed: summary.seed, backend: identity };
    let key = Key::of(RESULTS_VERSION, run);
    let record = Record { key, version: RESULTS_VERSION.to_owned(), summary };
    let bytes = serde_json::to_vec(&record).map_err(|why| Error::new_err(why.to_string()))?;
    Ok(Some(PyBytes::new(py, &bytes).unbind()))
}
