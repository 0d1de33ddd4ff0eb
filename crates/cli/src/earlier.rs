//! Earlier results that a command would replace: those that it would not make again stay unless `--replace` is given.

use crate::failure::Failure;
use crate::output::note;
use anabranch_record::{CaptureRead, Summary};
use miette::miette;
use std::path::Path;

/// Refuses to replace an earlier record, which the command `makes_again` or not; where it may be, says what the new one takes
/// the place of before it does, so that the user may end the command.
pub fn check(path: &Path, earlier: &Summary, makes_again: bool, replace: bool) -> Result<(), Failure> {
    if makes_again {
        return Ok(());
    }
    let Summary { scenario, seed, version, .. } = earlier;
    let path = path.display();
    let there = match &earlier.capture {
        Some(CaptureRead { interval_s, tcp, .. }) => {
            let tcp = if *tcp { ", with TCP connections" } else { "" };
            format!("{path} has a record of {scenario}, a sample each {interval_s} s{tcp}, version {version}")
        }
        None => format!("{path} has a run of {scenario}, seed {seed}, version {version}"),
    };
    replaces(&there, replace)
}

/// The same for the record of a capture that has other packets now.
pub fn check_changed(path: &Path, earlier: &Summary, replace: bool) -> Result<(), Failure> {
    let (path, file) = (path.display(), &earlier.scenario);
    replaces(&format!("{path} has a record of {file} as it was, with other packets"), replace)
}

fn replaces(there: &str, replace: bool) -> Result<(), Failure> {
    if !replace {
        let help = "another folder, or --replace to put this run in its place";
        return Err(Failure::Input(miette!(help = help, "{there}")));
    }
    note(&format!("{there}: this one replaces it"));
    Ok(())
}

/// The same for results of studies and of algorithms, each described.
pub fn check_results(there: &[String], replace: bool) -> Result<(), Failure> {
    if there.is_empty() || replace {
        return Ok(());
    }
    let help = "another --out, or --replace to put the new results in their place";
    Err(Failure::Input(miette!(help = help, "other results are there:\n{}", there.join("\n"))))
}
