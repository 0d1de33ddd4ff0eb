//! A study, from a file or a sweep.

use crate::algorithms::json;
use crate::campaign::Campaign;
use crate::errors::{python_error, refused, warn};
use crate::tables::{Names, ROWS, table};
use anabranch::papers::SIMULATOR;
use anabranch::studies::file::{self, AxisSubset};
use anabranch::studies::{ScenarioFile, work_with_runs};
use anabranch::{Changes, Options, Scenario, Size, StudyResult, study_of_text, sweep_error};
use pyo3::prelude::*;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A valid study.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Study {
    pub study: Arc<anabranch::studies::Study>,
    /// Whether it comes with the package.
    shipped: bool,
    /// The names of axes in tables, where they differ.
    axes: HashMap<String, String>,
}

#[pymethods]
impl Study {
    /// Reads a study file; `at` restricts axes to some values. Its scenarios are relative to the file.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf, text: &str, at: Vec<AxisSubset>) -> PyResult<Self> {
        let study = study_of_text(&path, text, &at).map_err(|error| python_error(py, &error))?;
        Ok(Study { study, shipped: false, axes: HashMap::new() })
    }

    /// Finds a shipped paper by its name, its letter or one of its experiments.
    #[staticmethod]
    fn of_paper(py: Python<'_>, name: &str) -> PyResult<Self> {
        let known = || anabranch::papers::headings().map(|paper| paper.name).collect::<Vec<_>>().join(", ");
        let study = py.detach(|| anabranch::papers::find(name)).cloned();
        let study = study.ok_or_else(|| refused(format!("unknown paper `{name}`; known: {}", known())))?;
        Ok(Study { study, shipped: true, axes: HashMap::new() })
    }

    /// Converts a sweep of a scenario's text to a study.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn of_sweep(
        py: Python<'_>,
        name: &str,
        file: &str,
        text: String,
        vary: Vec<String>,
        cc: Vec<String>,
        set: Vec<String>,
        duration: Option<String>,
        seeds: u32,
    ) -> PyResult<Self> {
        let changes = Changes { set, duration, ..Changes::default() };
        let read = Scenario::of_text(file, &text, changes).map_err(|error| python_error(py, &error))?;
        // The caller of the package is two frames up.
        warn(py, read.warnings(), 2)?;
        let toml = read.sweep(file, &vary, &cc, Some(seeds)).map_err(|error| python_error(py, &error))?;
        let scenario = ScenarioFile { name: file.into(), path: file.into(), text: text.into() };
        let study = file::embedded(&format!("{name}.toml"), &toml, &[scenario], &[]);
        // Only a file can be checked by the command that the error suggests.
        let study = study.map_err(|error| match Path::new(file).is_file() {
            true => python_error(py, &sweep_error(&error, &toml)),
            false => refused(error.to_string()),
        });
        let study = study?.into();
        Ok(Study { study, shipped: false, axes: whole_names(&vary)? })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.study.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.study.title
    }

    /// A campaign of the study, with the kept runs in `store`, the seeds from 1 on or those that are listed, the names of
    /// algorithms in tables, and that under which runs are stored.
    #[allow(clippy::too_many_arguments)]
    fn campaign(
        &self,
        py: Python<'_>,
        size: &str,
        seeds: Option<u32>,
        listed: Option<Vec<u64>>,
        only: Option<String>,
        variants: bool,
        algorithms: HashMap<String, String>,
        identity: String,
        store: Option<PathBuf>,
    ) -> PyResult<Campaign> {
        let size = Size::ALL.into_iter().find(|known| known.name() == size);
        let size = size.ok_or_else(|| refused("`size` must be `quick`, `default` or `full`"))?;
        let options = Options { size, seeds, only, without_variants: !variants, beside: vec![] };
        let work = py.detach(|| work_with_runs(&self.study, &options));
        let mut work = work.map_err(|error| python_error(py, &error.into()))?;
        let simulations = work.simulations.on(SIMULATOR).map_err(|why| refused(&why))?;
        work.simulations = simulations.identified(&identity);
        if let Some(listed) = listed {
            work.simulations = work.simulations.on_seeds(&listed);
        }
        let whole = options.only.is_none();
        let names = Names { axes: self.axes.clone(), algorithms, ..Names::default() };
        Campaign::new(py, self.study.clone(), self.shipped, whole, work, names, (identity, store))
    }
}

/// A study's result, as its file has it, as pages and tables show it.
#[pyfunction]
pub fn shown(text: &str) -> PyResult<String> {
    let result: StudyResult = serde_json::from_str(text).map_err(|why| {
        refused(format!("it is not the result of a study that this version can read: {why}"))
    })?;
    json(&*result.shown())
}

/// The names of a sweep's axes that are not the study's: the whole keys where several end with the same word, whatever their order,
/// and where tables have a column of that name.
pub fn whole_names(vary: &[String]) -> PyResult<HashMap<String, String>> {
    let words =
        |text: &str| text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect::<String>();
    let keys: Vec<&str> = vary.iter().filter_map(|spec| Some(spec.split_once('=')?.0.trim())).collect();
    let last = |key: &str| words(key.rsplit('.').next().unwrap_or(key));
    let is_shared = |key: &str| keys.iter().filter(|other| last(other) == last(key)).count() > 1;
    let mut taken = HashSet::new();
    for rows in ROWS {
        taken.extend(table(rows, &[], &[], true, &Names::default())?.column_names());
    }
    let axes = file::axes(vary, &[]).map_err(refused)?;
    let named = axes.into_iter().zip(&keys).filter(|((name, _), key)| is_shared(key) || taken.contains(name));
    Ok(named.map(|((name, _), key)| (name, words(key))).collect())
}
