//! The study file: TOML with the runs to make, the quantities to read, the claims to judge and the figures to draw.
//!
//! [`load`] returns a [`Study`], or a [`FileError`] with the mistake, its position and a correction.

#[cfg(test)]
mod tests;

pub use crate::parse::FileError;
pub use crate::parse::spec::json_schema;
pub use crate::resolve::axes::AxisSubset;
pub use crate::resolve::sweep::{Sweep, axes, parts, sweep};

use crate::parse::{Problem, spec};
use crate::plan::{Study, definitions};
use crate::resolve::network::Scenarios;
use crate::resolve::resolved::Resolved;
use crate::setup::ScenarioFile;
use crate::tables::tidy;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// Reads a study file, with `of` restricted to subsets of its axes. Scenario files are in `folder`.
pub fn load(name: &str, text: &str, folder: &Path, of: &[AxisSubset]) -> Result<Arc<Study>, FileError> {
    read(name, &stem(name), text, &|scenario| from_disk(folder, scenario), of, true).map(Arc::new)
}

/// The same from standard input; scenario files are in the current folder.
pub fn of_stdin(text: &str, of: &[AxisSubset]) -> Result<Arc<Study>, FileError> {
    let find = |scenario: &str| from_disk(Path::new(""), scenario);
    read("standard input", "stdin", text, &find, of, true).map(Arc::new)
}

/// Reads the study of a sweep, whose text comes from [`sweep`]; `--print-study` prints it. Its scenario is one of `scenarios`, or a
/// file.
pub fn of_sweep(stem: &str, text: &str, scenarios: &[ScenarioFile]) -> Result<Arc<Study>, FileError> {
    let find = |asked: &str| known(scenarios, asked).map_or_else(|| from_disk(Path::new(""), asked), Ok);
    read("--print-study", stem, text, &find, &[], true).map(Arc::new)
}

/// Reads a study from memory with its scenarios, restricted to subsets of its axes.
pub fn embedded(
    name: &str,
    text: &str,
    scenarios: &[ScenarioFile],
    of: &[AxisSubset],
) -> Result<Study, FileError> {
    read(name, &stem(name), text, &in_memory(scenarios), of, true)
}

/// The same without a trial of its plans, which takes most of the time: they are known to have no mistake.
pub fn shipped(
    name: &str,
    text: &str,
    scenarios: &[ScenarioFile],
    of: &[AxisSubset],
) -> Result<Study, FileError> {
    read(name, &stem(name), text, &in_memory(scenarios), of, false)
}

fn in_memory(scenarios: &[ScenarioFile]) -> impl Fn(&str) -> Result<ScenarioFile, String> {
    |asked| known(scenarios, asked).ok_or_else(|| "it is not among the study's scenarios".to_owned())
}

fn stem(name: &str) -> Cow<'_, str> {
    Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy())
}

fn known(scenarios: &[ScenarioFile], asked: &str) -> Option<ScenarioFile> {
    scenarios.iter().find(|file| &*file.name == asked).cloned()
}

/// A study's names.
#[derive(Clone, Debug, PartialEq)]
pub struct Heading {
    /// Its letter or short name.
    pub id: String,
    /// Its name on the command line and in file names.
    pub name: String,
    /// Its title.
    pub title: String,
}

/// Reads only the heading of the study of that name.
///
/// # Errors
/// [`FileError`] if the keys before its first table are invalid TOML or lack a title.
pub fn heading(name: &str, text: &str) -> Result<Heading, FileError> {
    #[derive(serde::Deserialize)]
    struct First {
        id: Option<String>,
        title: String,
    }
    // Nothing after the first table's name is a key of the file itself.
    let first = text.split_once("\n[").map_or(text, |(first, _)| first);
    let First { id, title } =
        toml::from_str(first).map_err(|error| Problem::of_toml(error).within(name, text))?;
    let id = id.unwrap_or_else(|| name.to_owned());
    Ok(Heading { id, name: name.to_owned(), title })
}

fn from_disk(folder: &Path, name: &str) -> Result<ScenarioFile, String> {
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(ScenarioFile { name: name.into(), path: path.display().to_string().into(), text: text.into() })
}

/// Parses the text, resolves its names, and, if asked to, tries a plan for each experiment and size.
fn read(
    name: &str,
    stem: &str,
    text: &str,
    scenarios: Scenarios<'_>,
    of: &[AxisSubset],
    try_plans: bool,
) -> Result<Study, FileError> {
    let read = || -> Result<Study, Problem> {
        let mut file: spec::File = toml::from_str(text).map_err(|error| match is_scenario(text) {
            true => Problem::new("this is a scenario, not a study").help(
                "run it with `anabranch run FILE` or vary its keys with `anabranch sweep`; in Python: `anabranch.run`, `anabranch.sweep`",
            ),
            false => Problem::of_toml(error),
        })?;
        let resolved = Resolved::of(&mut file, (name, text), scenarios, of)?;
        resolved.axes_beside(|group, axis| {
            let is_column = |name: &str| tidy::COLUMNS.iter().any(|(known, ..)| *known == name);
            // A table of several backends has a column for them.
            let is_backend = axis.name == "backend" && group.spec.backend.is_none();
            if is_column(&axis.name) || ["runs", "texts"].contains(&&*axis.name) || is_backend {
                return Some("the study already uses that name".into());
            }
            let numbers = tidy::numbers(axis).filter(|name| is_column(name))?;
            Some(format!("the table of all runs already has a column `{numbers}`"))
        })?;
        definitions::study(file, resolved, stem, of, try_plans)
    };
    read().map_err(|problem| problem.within(name, text))
}

/// Whether the file is a scenario: flows and links, but no runs.
fn is_scenario(text: &str) -> bool {
    let table = text.parse::<toml::Table>().unwrap_or_default();
    table.contains_key("flows") && table.contains_key("links") && !table.contains_key("runs")
}
