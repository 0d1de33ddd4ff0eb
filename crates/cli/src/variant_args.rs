//! The sensitivity variants of papers and studies.

use crate::output::note;
use anabranch::studies::file::renamed;
use clap::Args;
use std::fmt;

/// `--no-variants`, and its old name.
#[derive(Debug, Args)]
pub struct VariantArgs {
    /// Do not run the sensitivity variants, such as the arithmetic of out-of-tree MPTCP (v0.9x). Halves the time of a paper.
    #[arg(long)]
    no_variants: bool,
    #[arg(long, hide = true)]
    no_columns: bool,
}

impl VariantArgs {
    /// Whether the variants are left out.
    pub fn left_out(&self) -> bool {
        self.no_variants || self.no_columns
    }

    /// Prints a note if the option has its old name.
    pub fn check(&self) {
        if self.no_columns {
            note(&renamed("`--no-columns`", "`--no-variants`"));
        }
    }
}

/// The option on a command line, after a space.
impl fmt::Display for VariantArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.left_out() { " --no-variants" } else { "" })
    }
}
