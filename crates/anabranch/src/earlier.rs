//! Earlier files that new ones would replace. A command never replaces its own input. It replaces the result of another
//! command only on request.

use crate::error::input_error;
use crate::{Error, Scenario};
use anabranch_record::output::Notify;
use anabranch_record::{CaptureRead, Summary};
use std::path::{Path, PathBuf};

/// Refuses to replace an earlier record of another run, unless `replace`. Then a note describes it before the new record
/// replaces it, so that the user can cancel.
pub fn check(path: &Path, earlier: &Summary, replace: bool, note: Notify) -> Result<(), Error> {
    refuse_or_note(&described(path, earlier), replace, note)
}

/// The same if the run of that scenario is another one, with the difference.
pub(crate) fn check_run(
    path: &Path,
    earlier: &Summary,
    new: &Scenario,
    replace: bool,
    note: Notify,
) -> Result<(), Error> {
    match &differences(earlier, new)[..] {
        [] => Ok(()),
        some => {
            let there = described(path, earlier);
            refuse_or_note(&format!("{there}; this one has {}", some.join(", ")), replace, note)
        }
    }
}

/// What the new run has that the earlier one has not.
fn differences(earlier: &Summary, new: &Scenario) -> Vec<String> {
    let mut all = Vec::new();
    if earlier.version != env!("CARGO_PKG_VERSION") {
        all.push(format!("version {}", env!("CARGO_PKG_VERSION")));
    }
    if earlier.seed != new.seed {
        all.push(format!("seed {}", new.seed));
    }
    if earlier.scenario_hash == new.hash {
        return all;
    }
    if earlier.scenario != new.name || earlier.capture.is_some() {
        all.push(format!("the scenario {}", new.name));
        return all;
    }
    let seconds = new.duration.as_secs_f64();
    if earlier.duration_s != seconds {
        all.push(format!("a duration of {seconds} s instead of {} s", earlier.duration_s));
    }
    let flows = earlier
        .flows
        .iter()
        .filter_map(|there| Some((there, new.flows.iter().find(|flow| flow.name == there.name)?)));
    for (there, here) in flows.filter(|(there, here)| there.cc != here.cc.entry.name) {
        all.push(format!("{} with {} instead of {}", here.name, here.cc.entry.name, there.cc));
    }
    if all.is_empty() {
        all.push("other values of the scenario".to_owned());
    }
    all
}

fn described(path: &Path, earlier: &Summary) -> String {
    let Summary { scenario, seed, version, .. } = earlier;
    let path = path.display();
    match &earlier.capture {
        Some(CaptureRead { interval_s, tcp, .. }) => {
            let tcp = if *tcp { ", with TCP connections" } else { "" };
            format!("{path} has a record of {scenario}, a sample each {interval_s} s{tcp}, version {version}")
        }
        // A recording has no seed.
        None if earlier.scenario_hash.is_empty() => {
            format!("{path} has a record of the {scenario}, version {version}")
        }
        None => format!("{path} has a run of {scenario}, seed {seed}, version {version}"),
    }
}

/// The same for the record of a capture whose packets have changed.
pub fn check_changed(path: &Path, earlier: &Summary, replace: bool, note: Notify) -> Result<(), Error> {
    let (path, file) = (path.display(), &earlier.scenario);
    refuse_or_note(&format!("{path} has a record of an earlier {file} with other packets"), replace, note)
}

fn refuse_or_note(there: &str, replace: bool, note: Notify) -> Result<(), Error> {
    if !replace {
        let help = "give another folder, or add --replace to replace it";
        return Err(input_error(there.to_owned(), Some(help)));
    }
    note(&format!("{there}: this one replaces it"));
    Ok(())
}

/// The same for results of studies and algorithms; `there` describes each.
pub fn check_results(there: &[String], replace: bool) -> Result<(), Error> {
    if there.is_empty() || replace {
        return Ok(());
    }
    let help = "give another --out, or add --replace to replace them";
    Err(input_error(format!("the folder has results of other commands:\n{}", there.join("\n")), Some(help)))
}

/// The identity of a file, which two names of it share.
#[cfg(unix)]
fn id(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    file.metadata().ok().map(|there| (there.dev(), there.ino()))
}

/// The identity of a file, which two names of it share; hard links do not.
#[cfg(windows)]
fn id(file: &Path) -> Option<PathBuf> {
    file.canonicalize().ok()
}

/// Refuses to write a file that the command reads, under any name.
pub(crate) fn refuse_input_as_output(option: &str, file: &Path, inputs: &[PathBuf]) -> Result<(), Error> {
    let Some(own) = id(file) else { return Ok(()) };
    let Some(input) = inputs.iter().find(|input| id(input).as_ref() == Some(&own)) else { return Ok(()) };
    let same = if input == file { String::new() } else { format!(" as {}", input.display()) };
    let why = format!("`{option}` would overwrite {}, which the command reads{same}", file.display());
    Err(input_error(why, Some("give another file")))
}
