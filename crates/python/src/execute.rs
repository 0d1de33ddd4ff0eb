//! Tasks, made by a worker: whatever process that is, it gives back the same bytes.

use crate::errors::{Error, VersionError};
use anabranch_net::Time;
use anabranch_record::NoSamples;
use anabranch_study::store::{self, Record, program_in};
use anabranch_study::task::trusted;
use anabranch_study::{Backend, Simulator, Task, TaskError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::os::fd::RawFd;
use std::path::Path;
use std::sync::OnceLock;

/// The hash of this very extension module: outcomes of another one are another program's.
#[pyfunction]
pub fn build(py: Python<'_>) -> PyResult<&'static str> {
    static BUILD: OnceLock<String> = OnceLock::new();
    if let Some(build) = BUILD.get() {
        return Ok(build);
    }
    let file: String = py.import("anabranch._anabranch")?.getattr("__file__")?.extract()?;
    let hash = py.detach(|| program_in(Path::new(&file)));
    let hash = hash.map_err(|why| Error::new_err(format!("{file} cannot be read: {why}")))?;
    Ok(BUILD.get_or_init(|| hash))
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

/// Runs tasks for a client of that build: of each its record, or nothing where it failed.
#[pyfunction]
pub fn execute(py: Python<'_>, tasks: Vec<String>, client: &str) -> PyResult<Vec<Option<Py<PyBytes>>>> {
    let own = build(py)?;
    if own != client {
        return Err(VersionError::new_err(format!(
            "the worker has another build of anabranch, {}, than the client, {}: install the same wheel on both",
            &own[..12],
            client.get(..12).unwrap_or(client)
        )));
    }
    tasks.iter().map(|task| one(py, task, own)).collect()
}

fn one(py: Python<'_>, task: &str, version: &str) -> PyResult<Option<Py<PyBytes>>> {
    let mut signal = Ok(());
    let record = py.detach(|| {
        let task: Task = serde_json::from_str(task).map_err(|why| TaskError::Refused(why.to_string()))?;
        let mut keep_going = |_: Time| {
            signal = Python::attach(|py| py.check_signals());
            signal.is_ok()
        };
        let summary = trusted(Simulator.run(&task, &mut NoSamples, &mut keep_going)?)?;
        let key = task.key(version).map_err(|why| TaskError::Refused(why.to_string()))?;
        Ok::<_, TaskError>(serde_json::to_vec(&Record { key, version: version.to_owned(), summary }))
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
