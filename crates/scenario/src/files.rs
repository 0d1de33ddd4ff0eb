//! Files that a scenario names: they become a part of its text, so that the text is all there is to a run, wherever it is made.

use crate::diagnostic::{At, Place, Problems};
use crate::tree::{self, Node, Value};
use crate::{Overrides, ScenarioError, Source};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest file, in bytes: some minutes of opportunities at 100 Mbit/s.
const LONGEST: u64 = 16_000_000;

impl Source {
    /// The files that it and the changes name and that its text has not got, in `folder`.
    pub fn files(&self, overrides: &Overrides, folder: &Path) -> Vec<PathBuf> {
        let ignored = &mut Problems::default();
        let root =
            Place::whole(&self.name, &self.text, ignored).and_then(|whole| tree::document(&whole, ignored));
        let names = root.map_or_else(Vec::new, |root| missing(root, overrides));
        names.into_iter().map(|name| folder.join(name.value)).collect()
    }

    /// With the files that it and its changes name and that are not yet in it, at its end: `[files."NAME"]`. Relative names are those
    /// below `folder`. Mistakes that [`crate::load`] finds are left to it.
    ///
    /// # Errors
    /// Those files that cannot be read, or are no text; and a `files` in braces, to which no file can be added.
    pub fn with_files(mut self, overrides: &Overrides, folder: &Path) -> Result<Source, ScenarioError> {
        let mut problems = Problems::default();
        let ignored = &mut Problems::default();
        let root =
            Place::whole(&self.name, &self.text, ignored).and_then(|whole| tree::document(&whole, ignored));
        let Some(root) = root else { return Ok(self) };
        let own = key(&root, "files").cloned();
        if own.as_ref().is_some_and(|own| !matches!(own.value, Value::Table(_))) {
            return Ok(self);
        }
        for At { value: name, place } in missing(root, overrides) {
            if let Some(At { place: braces, .. }) =
                own.as_ref().filter(|own| own.place.text().starts_with('{'))
            {
                problems.add(
                    braces,
                    format!("cannot add the file `{name}` to `files` in braces"),
                    "an inline table cannot be extended",
                    "write each file as its own table, [files.\"NAME\"] with the key `text`; missing files are then read",
                );
                break;
            }
            match content(folder, &name) {
                Ok(content) => put(&mut self.text, &name, &content),
                Err(why) => problems.add(
                    &place,
                    format!("cannot read `{name}`: {why}"),
                    "this file",
                    "the path is relative to the folder of the scenario file",
                ),
            }
        }
        problems.check(Some(self))
    }
}

/// The files that a scenario names and has not got, each once.
fn missing(mut root: Node, overrides: &Overrides) -> Vec<At<String>> {
    overrides.apply(&mut root, &mut Problems::default());
    let mut names: Vec<At<String>> = Vec::new();
    for node in naming(&root) {
        if let At { value: Value::String(name), place } = node
            && key(&root, "files").and_then(|files| key(files, name)).is_none()
            && names.iter().all(|known| known.value != *name)
        {
            names.push(At { value: name.clone(), place: place.clone() });
        }
    }
    names
}

/// Where names of files are: traces of links, and distributions of applications.
fn naming(root: &Node) -> impl Iterator<Item = &Node> {
    let traces = children(key(root, "links")).filter_map(|link| key(link, "trace"));
    let traces = traces.map(|trace| key(trace, "file").unwrap_or(trace));
    let flows = match key(root, "flows").map(|flows| &flows.value) {
        Some(Value::Array(flows)) => &flows[..],
        _ => &[],
    };
    let draws = flows.iter().flat_map(|flow| children(key(flow, "application")));
    traces.chain(draws.filter_map(|draw| key(draw, "file")))
}

fn key<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    match &node.value {
        Value::Table(table) => table.get(key),
        _ => None,
    }
}

fn children(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    let table = node.and_then(|node| match &node.value {
        Value::Table(table) => Some(table),
        _ => None,
    });
    table.into_iter().flat_map(|table| table.0.iter().map(|(_, child)| child))
}

fn content(folder: &Path, name: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = File::open(folder.join(name)).map_err(|why| why.to_string())?;
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|why| why.to_string())?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("larger than {} MB", LONGEST / 1_000_000));
    }
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_owned())?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    // What TOML's literal strings cannot hold is in no such file.
    let wrong = |line: &str| line.contains("'''") || line.chars().any(|c| c.is_control() && c != '\t');
    match text.lines().position(wrong) {
        Some(line) => Err(format!("line {} has control characters or '''", line + 1)),
        None => Ok(text),
    }
}

fn put(text: &mut String, name: &str, content: &str) {
    // A JSON string is one of TOML, too.
    let name = serde_json::Value::from(name);
    let end = if content.ends_with('\n') || content.is_empty() { "" } else { "\n" };
    *text += &format!("\n\n[files.{name}]\ntext = '''\n{content}{end}'''\n");
}
