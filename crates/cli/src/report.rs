//! The report on everything that commands have left in the folder of results.

use crate::failure::Failure;
use crate::output::{counted, print};
use anabranch_report::FolderError;
use anabranch_study::Results;
use miette::miette;

/// Writes the report on all results in `store`; `command` repeats what was just run.
///
/// `say` where it is: not where standard output is JSON.
pub fn write(store: &Results, command: String, say: bool) -> Result<(), Failure> {
    let index = anabranch_report::write_on(store, command).map_err(|error| match error {
        FolderError::Place(error) => error.into(),
        FolderError::Report(error) => Failure::environment("there is no new report", &error),
    })?;
    if say { print(&format!("Report: {}", index.display())) } else { Ok(()) }
}

/// A failure where an earlier result was damaged.
pub fn check(store: &Results) -> Result<(), Failure> {
    match store.damaged().len() {
        0 => Ok(()),
        n => Err(Failure::Result(miette!(
            "{} of earlier commands could not be read: the report is without",
            counted(n, "result")
        ))),
    }
}
