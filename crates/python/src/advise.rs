//! Advice on an algorithm for a scenario.

use crate::algorithms::json;
use crate::errors::python_error;
use crate::run::{Named, scenario};
use anabranch::advise::ALGORITHMS;
use anabranch::{AdviseOptions, Cancel, Watch};
use pyo3::prelude::*;
use std::thread;
use std::time::Duration;

/// The interval at which signals are checked.
const LOOK: Duration = Duration::from_millis(100);

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
    jobs: Option<u32>,
) -> PyResult<String> {
    let scenario = scenario(py, source, set, vec![])?;
    let cc = cc.unwrap_or_else(|| ALGORITHMS.map(str::to_owned).to_vec());
    // Without a number, the library would ask a pool of threads that does not survive a fork.
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let jobs = Some(jobs.unwrap_or(cores));
    let options = AdviseOptions { flow, cc, buffers, seeds, jobs, ..AdviseOptions::default() };
    let cancel = Cancel::default();
    let mut signal = Ok(());
    let advice = thread::scope(|scope| {
        let advising = scope.spawn(|| {
            let watch = Watch { cancel: cancel.clone(), ..Watch::default() };
            anabranch::advise(&scenario, &options, &watch)
        });
        while !advising.is_finished() {
            py.detach(|| thread::sleep(LOOK));
            if signal.is_ok() {
                signal = py.check_signals();
                if signal.is_err() {
                    cancel.cancel();
                }
            }
        }
        advising.join()
    });
    signal?;
    let advice = advice.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    json(&advice.map_err(|error| python_error(py, &error))?)
}
