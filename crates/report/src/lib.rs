//! The HTML report: published values and ours, redrawn figures, and the commands that reproduce them.
//!
//! [`write()`] turns recorded [`Results`] into a folder of plain files that opens from disk without a network. The same results
//! and [`Context`] always give the same bytes: no clock, no environment.
//!
//! Each page is a function of the `Plan` in `pages`. The plan names every page, row and data file in advance, so that pages can
//! link to each other. A new kind of page needs a module there and a group in the navigation.

use anabranch_record::WriteError;
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
mod input;
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
pub use folder::{algorithms_in, write_on};
pub use input::{Context, Results};
pub use matplotlib::style_sheet;
pub use multiples::multiples;
pub use pages::equation::typeset;
pub use picture::page_of_charts;
pub use style::THEORY;
pub use tex::{in_tex, tex};

/// Writes the report to `dir`, which is created: `index.html`, `methods.html`, a page for each paper, each study and each advice,
/// `algorithms.html` and a page for each algorithm of the registry (with its standard cases, where there are results of
/// them), `laboratory.html` where the context has it, the scripts and styles in `assets/` and the figures' values in `data/`.
///
/// # Errors
/// A file or folder that cannot be written.
pub fn write(dir: &Path, results: &Results<'_>, context: &Context) -> Result<(), WriteError> {
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
