//! Files that a command writes for the user: none of them is what it reads, and none of another kind is replaced.

use crate::failure::Failure;
use miette::miette;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Refuses a file that the command reads, by whatever name.
pub fn is_no_input(option: &str, file: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let id = |there: Metadata| (there.dev(), there.ino());
    let Ok(own) = file.metadata().map(id) else { return Ok(()) };
    match inputs.iter().find(|input| input.metadata().is_ok_and(|there| id(there) == own)) {
        None => Ok(()),
        Some(input) => {
            let same = if input == file { String::new() } else { format!(" as {}", input.display()) };
            let help = "give another name";
            Err(Failure::Input(miette!(
                help = help,
                "`{option}` is to write {}, which the command reads{same}",
                file.display()
            )))
        }
    }
}
