//! The report on everything that was left in a folder of results.

use crate::{Context, write};
use anabranch_advice::Advice;
use anabranch_cc::registry;
use anabranch_papers::standard::AlgorithmResult;
use anabranch_record::output::OutputError;
use anabranch_study::{Kind, Results, StudyResult};
use chrono::DateTime;
use std::env;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes the report on all results in `store`; `command` repeats what was just run, or is still `running`, `laboratory` is the page
/// that simulates. Returns the report's first page.
///
/// # Errors
/// Where the folder, or a result in it, cannot be had, or a page cannot be written: then an earlier report stays.
pub fn write_on(
    store: &Results,
    command: String,
    laboratory: Option<String>,
    running: bool,
) -> Result<PathBuf, OutputError> {
    let papers =
        anabranch_papers::headings().filter_map(|paper| store.load(Kind::Paper, &paper.name).transpose());
    let papers = papers.collect::<Result<Vec<StudyResult>, _>>()?;
    let studies: Vec<StudyResult> = store.load_all(Kind::Study)?;
    let advice: Vec<Advice> = store.load_all(Kind::Advice)?;
    let algorithms = algorithms_in(store)?;
    let context = Context {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        notes: store.damaged(),
        laboratory,
        running,
        date: Some(today()),
        // Set by who runs it from a checkout, as the Makefile does.
        commit: env::var("ANABRANCH_COMMIT").ok().filter(|commit| !commit.is_empty()),
        machine: Some(machine()),
    };
    let place = store.take_report()?;
    let results =
        crate::Results { papers: &papers, studies: &studies, advice: &advice, algorithms: &algorithms };
    let written = write(place.folder(), &results, &context);
    written.map_err(|e| OutputError::because("cannot write the report", &e))?;
    place.commit()?;
    Ok(store.out().join("report/index.html"))
}

/// The day in UTC, or the day of `SOURCE_DATE_EPOCH` where it is set, for reports with the same bytes.
fn today() -> String {
    let fixed = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    let day = DateTime::from_timestamp(fixed.unwrap_or_else(now), 0);
    day.map(|day| day.format("%Y-%m-%d").to_string()).unwrap_or_default()
}

/// The host's name, where the system reports it, and its kind.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let kind = format!("{} {}, {cores} cores", env::consts::OS, env::consts::ARCH);
    match name.trim() {
        "" => kind,
        name => format!("{name} ({kind})"),
    }
}

/// The results of the registry's algorithms from earlier commands.
///
/// # Errors
/// Where one of them cannot be had.
pub fn algorithms_in(store: &Results) -> Result<Vec<AlgorithmResult>, OutputError> {
    registry::ALL.iter().filter_map(|entry| store.load(Kind::Algorithm, entry.name).transpose()).collect()
}
