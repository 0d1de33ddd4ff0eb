//! The folders of studies and sweeps.

use anabranch::Place;
use clap::Args;
use std::path::PathBuf;

/// The folders of results and of runs.
#[derive(Debug, Args)]
pub struct KeptArgs {
    /// The folder that gets `studies/` and `report/`.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace earlier results of another size, other seeds, another version or another study file.
    #[arg(long)]
    pub replace: bool,
    /// The folder that keeps runs, instead of `store/` in the folder of results. Several commands may share it, even at once.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

impl KeptArgs {
    /// The place of a campaign that `command` repeats.
    pub fn place(&self, command: String) -> Place {
        let (out, replace) = (self.out.clone(), self.replace);
        let store = Some(self.store.clone().unwrap_or_else(|| out.join("store")));
        Place { out, command, store, replace, ..Place::default() }
    }
}
