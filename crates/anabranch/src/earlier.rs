//! Earlier files that new ones would replace. None is what was read; of results those that would not be made again stay, unless
//! they may be replaced.

use crate::Error;
use crate::error::told;
use anabranch_record::output::Notify;
use anabranch_record::{CaptureRead, Summary};
use std::path::{Path, PathBuf};

/// Refuses to replace an earlier record; where it may be, says what the new one takes the place of before it does, so that the
/// user may cancel it.
pub fn check(path: &Path, earlier: &Summary, replace: bool, note: Notify) -> Result<(), Error> {
    let Summary { scenario, seed, version, .. } = earlier;
    let path = path.display();
    let there = match &earlier.capture {
        Some(CaptureRead { interval_s, tcp, .. }) => {
            let tcp = if *tcp { ", with TCP connections" } else { "" };
            format!("{path} has a record of {scenario}, a sample each {interval_s} s{tcp}, version {version}")
        }
        None => format!("{path} has a run of {scenario}, seed {seed}, version {version}"),
    };
    replaces(&there, replace, note)
}

/// The same for the record of a capture that has other packets now.
pub fn check_changed(path: &Path, earlier: &Summary, replace: bool, note: Notify) -> Result<(), Error> {
    let (path, file) = (path.display(), &earlier.scenario);
    replaces(&format!("{path} has a record of {file} as it was, with other packets"), replace, note)
}

fn replaces(there: &str, replace: bool, note: Notify) -> Result<(), Error> {
    if !replace {
        let help = "another folder, or --replace to put this run in its place";
        return Err(told(there.to_owned(), Some(help)));
    }
    note(&format!("{there}: this one replaces it"));
    Ok(())
}

/// The same for results of studies and of algorithms, each described.
pub fn check_results(there: &[String], replace: bool) -> Result<(), Error> {
    if there.is_empty() || replace {
        return Ok(());
    }
    let help = "another --out, or --replace to put the new results in their place";
    Err(told(format!("other results are there:\n{}", there.join("\n")), Some(help)))
}

/// What two names of one file have in common.
#[cfg(unix)]
fn id(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    file.metadata().ok().map(|there| (there.dev(), there.ino()))
}

/// What two names of one file have in common; hard links have not.
#[cfg(windows)]
fn id(file: &Path) -> Option<PathBuf> {
    file.canonicalize().ok()
}

/// Refuses to write a file that was read, by whatever name.
pub(crate) fn is_no_input(option: &str, file: &Path, inputs: &[PathBuf]) -> Result<(), Error> {
    let Some(own) = id(file) else { return Ok(()) };
    match inputs.iter().find(|input| id(input).as_ref() == Some(&own)) {
        None => Ok(()),
        Some(input) => {
            let same = if input == file { String::new() } else { format!(" as {}", input.display()) };
            let (file, help) = (file.display(), Some("give another name"));
            Err(told(format!("`{option}` is to write {file}, which the command reads{same}"), help))
        }
    }
}
