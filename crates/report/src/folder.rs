//! The report on everything that was left in a folder of results.

use crate::{Context, ReportError, SizeNote, write};
use anabranch_cc::registry;
use anabranch_papers::standard::AlgorithmResult;
use anabranch_record::output::OutputError;
use anabranch_study::{Kind, Results, Size, StudyResult};
use std::path::PathBuf;

/// Why there is no new report.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder, or a result in it, cannot be had.
    #[error(transparent)]
    ResultFolder(#[from] OutputError),
    /// A page cannot be written.
    #[error("the new report is missing")]
    Report(#[from] ReportError),
}

/// Writes the report on all results in `store`; `command` repeats what was just run, or is still `running`, `laboratory` is the page
/// that simulates. Returns the report's first page.
///
/// # Errors
/// [`FolderError`]: then an earlier report stays.
pub fn write_on(
    store: &Results,
    command: String,
    laboratory: Option<String>,
    running: bool,
) -> Result<PathBuf, FolderError> {
    let size = |s: &Size| SizeNote { name: s.name().into(), meaning: s.description().into() };
    let mut papers: Vec<StudyResult> = Vec::new();
    for paper in anabranch_papers::headings() {
        let result: Option<StudyResult> = store.load(Kind::Paper, &paper.name)?;
        // Results of earlier versions lack it.
        papers.extend(result.map(|r| StudyResult { headline: r.headline.or(paper.headline), ..r }));
    }
    let studies: Vec<StudyResult> = store.load_all(Kind::Study)?;
    let algorithms = algorithms_in(store)?;
    let context = Context {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        sizes: Size::ALL.iter().map(size).collect(),
        notes: store.damaged(),
        laboratory,
        running,
        ..Context::default()
    };
    let place = store.take_report()?;
    let results = crate::Results { papers: &papers, studies: &studies, algorithms: &algorithms };
    write(place.folder(), &results, &context)?;
    place.commit()?;
    Ok(store.out().join("report/index.html"))
}

/// The results of the registry's algorithms from earlier commands.
///
/// # Errors
/// Where one of them cannot be had.
pub fn algorithms_in(store: &Results) -> Result<Vec<AlgorithmResult>, OutputError> {
    let all = registry::ALL.iter().map(|entry| store.load(Kind::Algorithm, entry.name));
    Ok(all.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
