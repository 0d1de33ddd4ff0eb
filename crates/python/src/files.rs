//! Records in folders, as the command writes them.

use crate::errors::{Error, MissingFileError, refused};
use crate::run::{self, RunRecord};
use crate::table::Table;
use anabranch::Summary;
use anabranch::records::{ReadError, Record};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Reads a run's folder.
#[pyfunction]
pub fn load(py: Python<'_>, folder: PathBuf) -> PyResult<RunRecord> {
    let record = py.detach(|| Record::read(&folder)).map_err(|why| match why {
        ReadError::Missing { .. } => MissingFileError::new_err(why.to_string()),
        why => refused(why.to_string()),
    })?;
    run::record_of(&record.summary, &record.samples)
}

/// Writes a run's folder, which has none yet: tables of two runs would mix.
#[pyfunction]
pub fn save(
    py: Python<'_>,
    folder: PathBuf,
    summary: &str,
    subflows: &Table,
    links: &Table,
    completions: &Table,
) -> PyResult<()> {
    let failed =
        |why: &dyn std::error::Error| Error::new_err(format!("cannot write {}: {why}", folder.display()));
    let summary = Summary::from_json(summary).map_err(|why| failed(&why))?;
    let file = folder.join("summary.json");
    if file.exists() {
        return Err(refused(format!(
            "{} has a run already ({}): save into another folder, or remove it",
            folder.display(),
            file.display()
        )));
    }
    py.detach(|| {
        std::fs::create_dir_all(&folder).map_err(|why| failed(&why))?;
        for (name, table) in [("subflows", subflows), ("links", links), ("completions", completions)] {
            if name == "completions" && table.is_empty() {
                continue;
            }
            let path = folder.join(name).with_extension("parquet");
            table.write(path).map_err(|why| failed(&why))?;
        }
        // Last: a folder without it is incomplete.
        summary.write(&file).map_err(|why| failed(&why))
    })
}
