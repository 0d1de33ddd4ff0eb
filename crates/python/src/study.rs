//! A study, from a file or a sweep.

use crate::campaign::Campaign;
use crate::errors::{input, python_error, refused};
use anabranch::{Changes, Options, Scenario, Size, study_of_text};
use anabranch_study::file::{self, AxisSubset};
use anabranch_study::{ScenarioFile, work_with_runs};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A valid study.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Study {
    study: Arc<anabranch_study::Study>,
    /// Whether it comes with the package.
    shipped: bool,
}

#[pymethods]
impl Study {
    /// Reads a study file; `at` restricts axes to some values. Its scenarios are relative to the file.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf, text: &str, at: Vec<AxisSubset>) -> PyResult<Self> {
        let study = study_of_text(&path, text, &at).map_err(|error| python_error(py, &error))?;
        Ok(Study { study, shipped: false })
    }

    /// Finds a shipped paper by its name, its letter or one of its experiments.
    #[staticmethod]
    fn of_paper(py: Python<'_>, name: &str) -> PyResult<Self> {
        let known = || anabranch_papers::headings().map(|paper| paper.name).collect::<Vec<_>>().join(", ");
        let study = py.detach(|| anabranch_papers::find(name)).cloned();
        let study =
            study.ok_or_else(|| refused(py, format!("unknown paper `{name}`; known: {}", known())))?;
        Ok(Study { study, shipped: true })
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
        let read = Scenario::of_text(file, &text, changes);
        let toml = read.and_then(|read| read.sweep(file, &vary, &cc, seeds));
        let toml = toml.map_err(|error| python_error(py, &error))?;
        let scenario = ScenarioFile { name: file.into(), path: file.into(), text: text.into() };
        let study = file::embedded(&format!("{name}.toml"), &toml, &[&scenario], &[]);
        Ok(Study { study: study.map_err(|error| input(py, &error))?.into(), shipped: false })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.study.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.study.title
    }

    /// A campaign of the study, with the kept runs in `store`.
    fn campaign(
        &self,
        py: Python<'_>,
        size: &str,
        seeds: Option<u32>,
        only: Option<String>,
        columns: bool,
        store: Option<PathBuf>,
    ) -> PyResult<Campaign> {
        let size = Size::ALL.into_iter().find(|known| known.name() == size);
        let size = size.ok_or_else(|| refused(py, "`size` must be `quick`, `default` or `full`"))?;
        let options = Options { size, seeds, only, without_columns: !columns, beside: vec![] };
        let work = py.detach(|| work_with_runs(&self.study, &options));
        let work = work.map_err(|error| python_error(py, &error.into()))?;
        let whole = options.only.is_none();
        Campaign::new(py, self.study.clone(), self.shipped, whole, work, store)
    }
}
