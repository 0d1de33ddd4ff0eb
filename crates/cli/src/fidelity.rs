//! `anabranch fidelity`: how far the simulator is from Linux.

use crate::failure::Failure;
use crate::output::print;
use crate::pages::fidelity::markdown;
use anabranch_record::quoted;
use anabranch_study::StudyResult;
use clap::Args;
use miette::miette;
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of `fidelity`.
#[derive(Debug, Args)]
pub struct FidelityArgs {
    /// Folders of results: what `paper`, `study` and `sweep` wrote with `--backend` into `--out`.
    #[arg(value_name = "DIR", default_value = "out")]
    pub folders: Vec<PathBuf>,
}

pub const EXAMPLES: &str = "\
Examples:
  anabranch fidelity
  anabranch fidelity out-kernel out-guest > fidelity.md";

/// `anabranch fidelity`.
pub fn fidelity(args: &FidelityArgs) -> Result<(), Failure> {
    let mut results = Vec::new();
    for folder in &args.folders {
        results.extend(read(folder)?);
    }
    let pages = markdown(&results);
    match pages.is_empty() {
        false => print(&pages),
        true => Err(Failure::input(miette!(
            help = "run `anabranch paper`, `study` or `sweep` with --backend kernel or guest, and name its --out here",
            "no result in {} has Linux beside the simulator",
            args.folders
                .iter()
                .map(|folder| quoted(&folder.display().to_string()))
                .collect::<Vec<_>>()
                .join(", ")
        ))),
    }
}

/// The results of papers and studies in a folder, by their files' names. Another command may be at work there.
fn read(folder: &Path) -> Result<Vec<StudyResult>, Failure> {
    let mut files = Vec::new();
    for below in ["papers", "studies"].map(|below| folder.join(below)) {
        let there = fs::read_dir(&below).into_iter().flatten().flatten().map(|entry| entry.path());
        files.extend(there.filter(|path| path.extension().is_some_and(|extension| extension == "json")));
    }
    files.sort();
    let read = |file: &PathBuf| {
        let cannot = |why: String| Failure::input(miette!("cannot read {}: {why}", file.display()));
        let text = fs::read(file).map_err(|why| cannot(why.to_string()))?;
        serde_json::from_slice(&text).map_err(|why| cannot(why.to_string()))
    };
    files.iter().map(read).collect()
}
