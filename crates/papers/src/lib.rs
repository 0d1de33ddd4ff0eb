//! The papers, their experiments and verdicts.
//!
//! A paper is a folder in `studies/papers/` with a study file and its scenarios: see [`anabranch_study::file`]. The files are embedded
//! here; a scenario of several papers lies in the folder above.
//! A new paper is its files, and a line in the list of files and in [`scenarios`].

mod commands;
mod files;
pub mod scenarios;
mod simulator;
pub mod standard;

pub use commands::commands;
pub use files::is_own;
pub use simulator::{RESULTS_VERSION, SIMULATOR, Simulator, ended, task_error};

use anabranch_study::file::Heading;
use anabranch_study::{Study, StudyResult, Wording};
use files::{FILES, File};
use std::sync::{Arc, LazyLock};

/// Every paper, in the order of their letters, and then our own study.
pub fn all() -> &'static [Arc<Study>] {
    static ALL: LazyLock<Vec<Arc<Study>>> =
        LazyLock::new(|| FILES.iter().map(|file| Arc::new(file.read(&[]))).collect());
    &ALL
}

/// The files of measurements on Linux, by backend, the stock kernel first: see [`anabranch_study::Measurements`].
pub static MEASURED: [(&str, &[u8]); 2] = [
    ("guest-6.12", include_bytes!("../studies/linux/guest-6.12.jsonl.gz")),
    ("kernel", include_bytes!("../studies/linux/kernel.jsonl.gz")),
];

/// The name of each, in the same order, without reading the papers themselves.
pub fn headings() -> impl Iterator<Item = Heading> {
    FILES.iter().map(File::heading)
}

/// The paper with that name or letter, or of that experiment ("A-T4"), in any case.
pub fn find(name: &str) -> Option<&'static Arc<Study>> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    all()
        .iter()
        .find(|p| is(&p.id) || is(&p.name) || p.experiments.iter().flat_map(|d| &d.ids).any(|id| is(id)))
}

/// How the verdicts on a result are worded: only of what somebody published are values reproduced.
pub fn wording(result: &StudyResult) -> Wording {
    let published = || {
        let mut rows = result.experiments.iter().flat_map(|e| &e.rows);
        rows.any(|row| row.published.value().is_some())
    };
    let is_paper = |name: &str| FILES.iter().any(|file| file.name == name);
    match is_own(&result.name) {
        false if is_paper(&result.name) || published() => Wording::Published,
        _ => Wording::Claims,
    }
}
