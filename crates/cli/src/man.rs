//! `anabranch man`: the manual pages, made of the command line's own description.

use crate::args::Cli;
use crate::failure::Failure;
use clap::CommandFactory;
use std::fs;
use std::path::Path;

/// Writes `anabranch.1` and a page per command into a directory.
pub fn write(dir: &Path) -> Result<(), Failure> {
    fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
        .map_err(|e| Failure::environment(format!("cannot write into {}", dir.display()), &e))
}
