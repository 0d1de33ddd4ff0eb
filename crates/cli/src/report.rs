//! The report on everything that commands have left in the folder of results.

use crate::failure::Failure;
use crate::output::print;
use crate::results::Results;
use anabranch_papers::Size;

/// Writes the report on all results in `store`; `command` repeats what was just run.
///
/// `say` where it is: not where standard output is JSON.
pub fn write(store: &Results, command: String, say: bool) -> Result<(), Failure> {
    let size =
        |s: &Size| anabranch_report::SizeNote { name: s.name().into(), meaning: s.description().into() };
    let context = anabranch_report::Context {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command,
        sizes: Size::ALL.iter().map(size).collect(),
        ..Default::default()
    };
    let papers: Vec<_> = anabranch_papers::all().iter().filter_map(|paper| store.load(paper)).collect();
    let folder = store.out().join("report");
    anabranch_report::write(&folder, &papers, &store.algorithms(), &context)
        .map_err(|e| Failure::environment("the report is incomplete", &e))?;
    if say { print(&format!("Report: {}", folder.join("index.html").display())) } else { Ok(()) }
}
