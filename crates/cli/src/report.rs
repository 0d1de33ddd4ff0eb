//! The report on everything that commands have left in the folder of results.

use crate::failure::Failure;
use crate::output::print;
use crate::results::Results;
use anabranch_study::Size;
use std::path::Path;

/// Writes the report on all results in `store`; `command` repeats what was just run.
///
/// `say` where it is: not where standard output is JSON.
pub fn write(store: &Results, command: String, say: bool) -> Result<(), Failure> {
    let size =
        |s: &Size| anabranch_report::SizeNote { name: s.name().into(), meaning: s.description().into() };
    let papers = anabranch_papers::all().iter().map(|paper| store.load(paper));
    let papers: Vec<_> = papers.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let studies = store.load_studies()?;
    let papers: Vec<_> = papers.into_iter().chain(studies).collect();
    let algorithms = store.algorithms()?;
    let context = anabranch_report::Context {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        sizes: Size::ALL.iter().map(size).collect(),
        notes: store.damaged(),
        ..Default::default()
    };
    let place = store.take_report()?;
    anabranch_report::write(place.folder(), &papers, &algorithms, &context)
        .map_err(|e| Failure::environment("there is no new report", &e))?;
    place.commit()?;
    let index = store.out().join(Path::new("report/index.html"));
    if say { print(&format!("Report: {}", index.display())) } else { Ok(()) }
}
