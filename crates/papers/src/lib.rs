//! The papers, their experiments and verdicts.
//!
//! A paper is a file in `studies/`, with its scenarios beside it: see [`anabranch_study::file`]. The files are embedded here.
//! A new paper is its files, and a line in [`all`] and in [`scenarios`].

mod commands;
mod files;
pub mod scenarios;
pub mod standard;

pub use commands::commands;

use anabranch_study::Study;
use files::shipped;
use std::sync::{Arc, LazyLock};

/// Every paper, in the order of their letters, and then our own study.
pub fn all() -> &'static [Arc<Study>] {
    static ALL: LazyLock<Vec<Arc<Study>>> = LazyLock::new(|| {
        let papers = [
            shipped!("coupled-cubic"),
            shipped!("kato-lia-evaluation"),
            shipped!("wcompound"),
            shipped!("adw-balia"),
            shipped!("coupling-cubic"),
        ];
        papers.into_iter().map(Arc::new).collect()
    });
    &ALL
}

/// The paper with that name or letter, or of that experiment ("A-T4"), in any case.
pub fn find(name: &str) -> Option<&'static Arc<Study>> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    all()
        .iter()
        .find(|p| is(&p.id) || is(&p.name) || p.experiments.iter().flat_map(|d| &d.ids).any(|id| is(id)))
}
