//! The folders of studies and sweeps.

use anabranch::Place;
use clap::Args;
use std::path::{Path, PathBuf};

/// The folders of results and of runs.
#[derive(Debug, Args)]
pub struct KeptArgs {
    /// The folder that gets `studies/` and `report/`; by default `out/` and the study's name.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace earlier results of another size, more seeds, another version or another study file.
    #[arg(long)]
    pub replace: bool,
    /// The folder that keeps runs, instead of `store/` in the folder of results. Several commands may share it, even at once.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

impl KeptArgs {
    /// The folder of results of the study with that name, which is not one of the papers' results.
    pub fn out(&self, name: &str) -> PathBuf {
        let taken = ["algorithms", "book", "papers", "report", "store", "studies"].contains(&name);
        let name = if taken { format!("{name}-study") } else { name.to_owned() };
        self.out.clone().unwrap_or_else(|| Path::new("out").join(name))
    }

    /// The place of a campaign of the study with that name, which `command` repeats.
    pub fn place(&self, name: &str, command: String) -> Place {
        let (out, replace) = (self.out(name), self.replace);
        let store = Some(self.store.clone().unwrap_or_else(|| out.join("store")));
        Place { out, command, store, replace, ..Place::default() }
    }
}
