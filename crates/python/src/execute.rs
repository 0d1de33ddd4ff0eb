//! Executes tasks in a worker. The result's bytes do not depend on the worker.

use crate::errors::{Error, VersionError};
use anabranch_net::Time;
use anabranch_papers::{RESULTS_VERSION, Simulator};
use anabranch_record::NoSamples;
use anabranch_study::store::{self, Record};
use anabranch_study::task::trusted;
use anabranch_study::{Backend, Task, TaskError};
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

/// Executes tasks for a client with that version of results. Returns each task's record, or `None` if it failed.
#[pyfunction]
pub fn execute(py: Python<'_>, tasks: Vec<String>, client: &str) -> PyResult<Vec<Option<Py<PyBytes>>>> {
    if RESULTS_VERSION != client {
        return Err(VersionError::new_err(format!(
            "the worker's results are of version {RESULTS_VERSION}, the client's of version {client}: \
             install the same wheel on both"
        )));
    }
    tasks.iter().map(|task| one(py, task)).collect()
}

fn one(py: Python<'_>, task: &str) -> PyResult<Option<Py<PyBytes>>> {
    let mut signal = Ok(());
    let record = py.detach(|| {
        let task: Task = serde_json::from_str(task).map_err(|why| TaskError::Refused(why.to_string()))?;
        let mut keep_going = |_: Time| {
            signal = Python::attach(|py| py.check_signals());
            signal.is_ok()
        };
        let summary = trusted(Simulator.run(&task, &mut NoSamples, &mut keep_going)?)?;
        let key = task.key(RESULTS_VERSION).map_err(|why| TaskError::Refused(why.to_string()))?;
        Ok::<_, TaskError>(serde_json::to_vec(&Record { key, version: RESULTS_VERSION.to_owned(), summary }))
    });
    signal?;
    match record {
        Ok(bytes) => {
            let bytes = bytes.map_err(|why| Error::new_err(why.to_string()))?;
            Ok(Some(PyBytes::new(py, &bytes).unbind()))
        }
        // The client repeats it and judges the failure.
        Err(_) => Ok(None),
    }
}
