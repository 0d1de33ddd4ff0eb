//! Tasks, made by a worker: whatever process that is, it gives back the same bytes.

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

/// The version of what runs give: outcomes of another one are not used.
#[pyfunction]
pub fn build() -> &'static str {
    RESULTS_VERSION
}

/// This thread is about to fork.
#[pyfunction]
pub fn before_fork() {
    store::before_fork();
}

/// It has forked. The descriptors that the child must not keep: claims end with their owner.
#[pyfunction]
pub fn after_fork() -> Vec<RawFd> {
    store::after_fork()
}

/// Runs tasks for a client of that version of results: of each its record, or nothing where it failed.
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
        // The client makes it again itself, and judges it.
        Err(_) => Ok(None),
    }
}
