//! The report on everything that commands have left in the folder of results.

use crate::failure::Failure;
use crate::output::{counted, print};
use anabranch_cc::registry;
use anabranch_papers::standard::AlgorithmResult;
use anabranch_study::{Kind, Results, Size, StudyResult};
use miette::miette;
use std::path::Path;

/// Writes the report on all results in `store`; `command` repeats what was just run.
///
/// `say` where it is: not where standard output is JSON.
pub fn write(store: &Results, command: String, say: bool) -> Result<(), Failure> {
    let size =
        |s: &Size| anabranch_report::SizeNote { name: s.name().into(), meaning: s.description().into() };
    let papers = anabranch_papers::headings().map(|paper| store.load(Kind::Paper, &paper.name));
    let papers: Vec<_> = papers.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let studies: Vec<StudyResult> = store.load_all(Kind::Study)?;
    let algorithms = algorithms(store)?;
    let context = anabranch_report::Context {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        sizes: Size::ALL.iter().map(size).collect(),
        notes: store.damaged(),
        ..Default::default()
    };
    let place = store.take_report()?;
    let results = anabranch_report::Results { papers: &papers, studies: &studies, algorithms: &algorithms };
    anabranch_report::write(place.folder(), &results, &context)
        .map_err(|e| Failure::environment("there is no new report", &e))?;
    place.commit()?;
    let index = store.out().join(Path::new("report/index.html"));
    if say { print(&format!("Report: {}", index.display())) } else { Ok(()) }
}

/// What commands left of the registry's algorithms.
pub fn algorithms(store: &Results) -> Result<Vec<AlgorithmResult>, Failure> {
    let all = registry::ALL.iter().map(|entry| store.load(Kind::Algorithm, entry.name));
    Ok(all.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
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
