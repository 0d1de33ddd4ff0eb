//! A sweep in parts, for more runs than memory has room for: missing runs as tasks, and finished ones as files of tables.

use crate::algorithms::json;
use crate::errors::{Error, VersionError, input, refused};
use crate::lock::lock;
use crate::study::{Study, whole_names};
use crate::tables::{Names, ROWS, Run, table, unit};
use anabranch::studies::{Task, file, store::Record};
use anabranch::{RESULTS_VERSION, Size, Summary};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;

/// A run of a sweep: the start of SHA-256 of its values and seed.
type Id = [u8; 16];

/// The values of a point, as far as its runs' names depend on them.
fn point<T: AsRef<str>>(axes: &[(T, T)]) -> Sha256 {
    let mut sum = Sha256::new();
    for text in axes.iter().flat_map(|(axis, value)| [axis.as_ref(), value.as_ref()]) {
        sum.update((text.len() as u64).to_le_bytes());
        sum.update(text);
    }
    sum
}

fn id(point: &Sha256, seed: u64) -> Id {
    let whole: [u8; 32] = point.clone().chain_update(seed.to_le_bytes()).finalize().into();
    *whole.first_chunk().expect("16 of 32 bytes")
}

/// An axis of a sweep: its name, its values, and their unit if it is one.
type Axis = (String, Vec<String>, Option<&'static str>);

/// The axes of a sweep.
#[pyfunction]
pub fn axes(vary: Vec<String>, cc: Vec<String>) -> PyResult<Vec<Axis>> {
    let axes = file::axes(&vary, &cc).map_err(refused)?.into_iter();
    let of = |(name, values): (String, Vec<String>)| {
        let unit = unit(values.iter().map(String::as_str));
        (name, values, unit)
    };
    Ok(axes.map(of).collect())
}

/// The runs that a folder has.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Finished(Mutex<HashSet<Id>>);

#[pymethods]
impl Finished {
    #[new]
    fn new() -> Self {
        Finished(Mutex::default())
    }

    /// Adds runs.
    fn add(&self, ids: &[u8]) -> PyResult<()> {
        let (ids, rest) = ids.as_chunks();
        lock(&self.0).extend(ids);
        if rest.is_empty() { Ok(()) } else { Err(refused("a list of finished runs is cut off")) }
    }

    fn __len__(&self) -> usize {
        lock(&self.0).len()
    }

    /// How many runs of the product of these values and seeds are missing.
    fn missing(&self, py: Python<'_>, axes: Vec<(String, Vec<String>)>, seeds: Vec<u64>) -> usize {
        py.detach(|| {
            let done = lock(&self.0);
            let mut points = vec![vec![]];
            for (axis, values) in &axes {
                let longer = |point: Vec<_>| {
                    values.iter().map(move |value| [&*point, &[(axis.as_str(), value.as_str())]].concat())
                };
                points = points.into_iter().flat_map(longer).collect();
            }
            let missing = |values: Vec<(&str, &str)>| {
                let point = point(&values);
                seeds.iter().filter(|seed| !done.contains(&id(&point, **seed))).count()
            };
            points.into_iter().map(missing).sum()
        })
    }
}

/// Missing runs of a part of a sweep.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Part {
    /// The values of each point, and its task.
    points: Vec<(Vec<(String, String)>, Task)>,
    /// The points and seeds.
    runs: Vec<(usize, u64)>,
}

#[pymethods]
impl Part {
    /// The runs of a sweep on these seeds that are not finished.
    #[new]
    fn new(py: Python<'_>, sweep: Py<Study>, seeds: Vec<u64>, finished: Py<Finished>) -> PyResult<Self> {
        let study = &sweep.get().study;
        let plans =
            py.detach(|| study.experiments.iter().map(|each| each.plan(Size::Default)).collect::<Vec<_>>());
        let (mut points, mut runs) = (vec![], vec![]);
        let done = lock(&finished.get().0);
        for (setup, axes) in plans.iter().flat_map(|plan| plan.setups.iter().zip(&plan.axes)) {
            let sum = point(axes);
            let missing = seeds.iter().filter(|seed| !done.contains(&id(&sum, **seed)));
            let before = runs.len();
            runs.extend(missing.map(|seed| (points.len(), *seed)));
            if runs.len() > before {
                setup.scenario().map_err(|why| input(py, &why))?;
                points.push((axes.clone(), setup.task()));
            }
        }
        Ok(Part { points, runs })
    }

    fn __len__(&self) -> usize {
        self.runs.len()
    }

    /// The task of a run.
    fn task(&self, i: usize) -> PyResult<String> {
        let (point, seed) = self.runs[i];
        json(&self.points[point].1.clone().seed(seed))
    }
}

/// Finished runs, until they are written.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Shard {
    axes: Vec<String>,
    names: Names,
    runs: Mutex<Vec<(Id, Vec<String>, Summary)>>,
}

#[pymethods]
impl Shard {
    /// For a sweep with these axes, and these names of algorithms in tables.
    #[new]
    fn new(vary: Vec<String>, cc: Vec<String>, algorithms: HashMap<String, String>) -> PyResult<Self> {
        let all = axes(vary.clone(), cc)?;
        let units = all.iter().map(|(name, _, unit)| (name.clone(), *unit)).collect();
        let names = Names { axes: whole_names(&vary)?, algorithms, units };
        Ok(Shard { axes: all.into_iter().map(|(name, ..)| name).collect(), names, runs: Mutex::default() })
    }

    fn __len__(&self) -> usize {
        lock(&self.runs).len()
    }

    /// Adds a worker's record of a run.
    fn put(&self, part: &Part, i: usize, record: &[u8]) -> PyResult<()> {
        let wrong = |why: String| VersionError::new_err(format!("invalid record from a worker: {why}"));
        let record: Record = serde_json::from_slice(record).map_err(|why| wrong(why.to_string()))?;
        let (at, seed) = part.runs[i];
        if record.version != RESULTS_VERSION || record.summary.seed != seed {
            return Err(wrong("it belongs to another run, or to a version with other results".into()));
        }
        let values = &part.points[at].0;
        let value = |axis: &String| {
            values.iter().find(|(name, _)| name == axis).map_or(String::new(), |(_, v)| v.clone())
        };
        let id = id(&point(values), seed);
        lock(&self.runs).push((id, self.axes.iter().map(value).collect(), record.summary));
        Ok(())
    }

    /// Writes `runs.parquet`, `flows.parquet`, `subflows.parquet` and `links.parquet` into a folder, and forgets the runs.
    /// Returns their identities.
    fn write<'py>(&self, py: Python<'py>, folder: PathBuf) -> PyResult<Bound<'py, PyBytes>> {
        let runs = std::mem::take(&mut *lock(&self.runs));
        py.detach(|| {
            let axes: Vec<&str> = self.axes.iter().map(String::as_str).collect();
            let rows: Vec<Run<'_>> = runs
                .iter()
                .map(|(_, values, run)| (values.iter().map(String::as_str).collect(), run))
                .collect();
            for name in ROWS {
                let table = table(name, &axes, &rows, true, &self.names)?;
                let path = folder.join(name).with_extension("parquet");
                table.write(path).map_err(|why| Error::new_err(why.to_string()))?;
            }
            Ok::<_, PyErr>(())
        })?;
        Ok(PyBytes::new(py, &runs.iter().flat_map(|(id, ..)| *id).collect::<Vec<u8>>()))
    }
}
