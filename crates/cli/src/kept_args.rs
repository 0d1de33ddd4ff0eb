//! Where studies and sweeps leave what they give.

use anabranch::Place;
use clap::Args;
use std::path::PathBuf;

/// The folder of results, and that of runs.
#[derive(Debug, Args)]
pub struct KeptArgs {
    /// Where `studies/` and `report/` are written.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace results there that were made with another size, other seeds, by another version or of another study file; without
    /// this, they stay.
    #[arg(long)]
    pub replace: bool,
    /// Where runs are kept, instead of `store/` in that folder: several commands may share it, also at once.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

impl KeptArgs {
    /// What the command repeats goes there.
    pub fn place(&self, command: String) -> Place {
        let (out, replace) = (self.out.clone(), self.replace);
        let store = Some(self.store.clone().unwrap_or_else(|| out.join("store")));
        Place { out, command, store, replace, ..Place::default() }
    }
}
