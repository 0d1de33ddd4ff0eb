//! The papers' definitions, their columns and shares, and the standard cases of algorithms.

mod adw_balia;
mod coupled_cubic;
mod coupling;
mod definitions;
mod shares;
mod standard;
mod variants;
mod wcompound;

use anabranch_papers::SIMULATOR;
use anabranch_study::{Options, Size, Study, StudyResult, run_one, work};
use std::sync::Arc;

/// The quick size with this number of seeds, of all experiments or of one.
fn quick_options(seeds: u32, only: Option<&str>) -> Options {
    Options { size: Size::Quick, seeds: Some(seeds), only: only.map(Into::into), ..Options::default() }
}

fn run(study: &Arc<Study>, options: &Options) -> StudyResult {
    run_one(SIMULATOR, work(study, options).unwrap(), &|_| (), &|| true).unwrap()
}
