//! The report on everything that commands have left in the folder of results.

use crate::failure::Failure;
use crate::output::{counted, print};
use anabranch_report::FolderError;
use anabranch_study::Results;
use miette::miette;
use std::{env, fs};

/// Writes the report on all results in `store`; `command` repeats what was just run.
///
/// `say` where it is: not where standard output is JSON.
pub fn write(store: &Results, command: String, say: bool) -> Result<(), Failure> {
    let index = anabranch_report::write_on(store, command, laboratory()).map_err(|error| match error {
        FolderError::ResultFolder(error) => error.into(),
        FolderError::Report(error) => Failure::environment("there is no new report", &error),
    })?;
    if say { print(&format!("Report: {}", index.display())) } else { Ok(()) }
}

/// The page that simulates, as `make page` leaves it beside the binary, or an installation in `share`.
fn laboratory() -> Option<String> {
    let binary = env::current_exe().ok()?;
    let folder = binary.parent()?.parent()?;
    let places = ["page/laboratory.html", "share/anabranch/laboratory.html"];
    places.iter().find_map(|place| fs::read_to_string(folder.join(place)).ok())
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
