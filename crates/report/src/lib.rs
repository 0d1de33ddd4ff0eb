//! The HTML report: published values and ours, redrawn figures, and the commands that reproduce them.
//!
//! [`write()`] turns recorded [`StudyResult`]s and [`AlgorithmResult`]s into a folder of plain files that opens from disk
//! without a network. The same results and [`Context`] always give the same bytes: no clock, no environment.
//!
//! Each page is a function of the `Plan` in `pages`. The plan names every page, row and data file in advance, so that pages can
//! link to each other. A new kind of page needs a module there and a group in the navigation.

use anabranch_advice::Advice;
use anabranch_papers::standard::AlgorithmResult;
use anabranch_study::StudyResult;
use std::borrow::Cow;
use std::path::Path;

mod boxes;
mod bundle;
mod chart;
mod cite;
mod csv;
mod dots;
mod downsample;
mod folder;
mod goals;
mod headline;
mod laboratory;
mod layout;
mod matplotlib;
mod multiples;
mod pages;
mod picture;
mod plan;
mod prose;
mod ratio;
mod remarks;
mod scales;
mod search;
mod site;
mod style;
mod table;
mod tex;
mod verdict;
mod visible;

pub mod svg;

pub use csv::{VALUES, values};
pub use folder::{FolderError, algorithms_in, write_on};
pub use matplotlib::style_sheet;
pub use multiples::multiples;
pub use pages::equation::typeset;
pub use picture::page_of_charts;
pub use site::ReportError;
pub use style::THEORY;
pub use tex::{in_tex, tex};

/// Facts about the run as a whole, provided by the caller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The version that wrote the report.
    pub version: String,
    /// The command that reproduces everything: "make reproduce".
    pub command: String,
    /// The day on which it was written: "2026-11-26".
    pub date: Option<String>,
    /// The commit of the program's source, if known.
    pub commit: Option<String>,
    /// The machine, if it should be shown.
    pub machine: Option<String>,
    /// The sizes a run can have, smallest first.
    pub sizes: Vec<SizeNote>,
    /// Further remarks for the overview.
    pub notes: Vec<String>,
    /// The laboratory page, if available.
    pub laboratory: Option<String>,
    /// Whether the command is still running: results of the quick size are provisional, and pages reload.
    pub running: bool,
}

/// A size of the papers' experiments. Other studies define their own sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeNote {
    /// Its name, as in [`StudyResult::size`].
    pub name: String,
    /// Durations and seeds, in a sentence.
    pub meaning: String,
}

/// The results to report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Results<'a> {
    /// The shipped papers.
    pub papers: &'a [StudyResult],
    /// Users' studies and sweeps, counted separately.
    pub studies: &'a [StudyResult],
    /// Advice on scenarios.
    pub advice: &'a [Advice],
    /// Algorithms in the standard cases.
    pub algorithms: &'a [AlgorithmResult],
}

/// Writes the report to `dir`, which is created: `index.html`, `methods.html`, a page for each paper, each study and each advice,
/// `algorithms.html` and a page for each algorithm of the registry (with its standard cases, where there are results of
/// them), `laboratory.html` where the context has it, the scripts and styles in `assets/` and the figures' values in `data/`.
///
/// # Errors
/// A file or folder that cannot be written.
pub fn write(dir: &Path, results: &Results<'_>, context: &Context) -> Result<(), ReportError> {
    let (papers, studies) = (shown(results.papers), shown(results.studies));
    let plan = plan::Plan::new(&Results { papers: &papers, studies: &studies, ..*results }, context);
    let mut site = site::Site::with_assets();
    // Before the pages, which link to it.
    if let Some(laboratory) = &context.laboratory {
        site.add(layout::LABORATORY, laboratory.clone());
    }
    pages::overview::add(&plan, &mut site);
    for paper in plan.papers_and_studies() {
        pages::paper::add(&plan, paper, &mut site);
    }
    for advice in &plan.advice {
        pages::advice::add(&plan, advice, &mut site);
    }
    pages::algorithms::add(&plan, &mut site);
    for algorithm in &plan.algorithms {
        pages::algorithm::add(&plan, algorithm, &mut site);
    }
    pages::methods::add(&plan, &mut site);
    search::add(&plan, &mut site);
    site.write(dir)
}

/// The results as pages show them: see [`StudyResult::shown`].
fn shown(results: &[StudyResult]) -> Cow<'_, [StudyResult]> {
    match results.iter().any(StudyResult::is_provisional) {
        true => results.iter().map(|result| result.shown().into_owned()).collect(),
        false => Cow::Borrowed(results),
    }
}
