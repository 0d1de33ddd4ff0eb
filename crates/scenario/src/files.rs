//! Files that a scenario refers to: they are embedded in its text, so that the text alone defines a run.

use crate::diagnostic::{At, Place, Problems};
use crate::distinct::distinct_by;
use crate::tree::{Node, Value};
use crate::{Overrides, ScenarioError, Source};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file, in bytes: some minutes of opportunities at 100 Mbit/s.
const LONGEST: u64 = 16_000_000;

impl Source {
    /// The paths, in `folder`, of the files that the scenario and the overrides refer to and that are not embedded.
    pub fn files(&self, overrides: &Overrides, folder: &Path) -> Vec<PathBuf> {
        let root = self.parse(&mut Problems::default());
        let names = root.map_or_else(Vec::new, |root| missing_files(root, overrides));
        names.into_iter().map(|name| folder.join(name.value)).collect()
    }

    /// Appends the missing files that the scenario and the overrides refer to, as `[files."NAME"]`. Relative names are relative
    /// to `folder`. [`crate::load`] reports other problems.
    ///
    /// # Errors
    /// Files that cannot be read or are not text, and an inline table `files`, which cannot be extended.
    pub fn with_files(self, overrides: &Overrides, folder: &Path) -> Result<Source, ScenarioError> {
        self.with_files_of(overrides, &|name| read_text(folder, name))
    }

    /// The same, with a function that returns a file's text, or why it cannot be read.
    pub fn with_files_of(
        mut self,
        overrides: &Overrides,
        read: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Source, ScenarioError> {
        let Some(root) = self.parse(&mut Problems::default()) else { return Ok(self) };
        let own = root.get("files").cloned();
        if own.as_ref().is_some_and(|own| own.table().is_none()) {
            return Ok(self);
        }
        let mut problems = Problems::default();
        for At { value: name, place } in missing_files(root, overrides) {
            if let Some(At { place: braces, .. }) =
                own.as_ref().filter(|own| own.place.text().starts_with('{'))
            {
                let message = format!("cannot add the file `{name}` to `files` in braces");
                let help = "write each file as its own table, [files.\"NAME\"] with the key `text`; missing files are then read";
                problems.add(braces, message, "an inline table cannot be extended", help);
                break;
            }
            match read(&name) {
                Ok(content) => append_file(&mut self.text, &name, &content),
                Err(why) => {
                    let help = "the path is relative to the folder of the scenario file";
                    problems.add(&place, format!("cannot read `{name}`: {why}"), "this file", help);
                }
            }
        }
        problems.check(Some(self))
    }
}

/// The files that a scenario refers to and does not contain, without duplicates.
fn missing_files(mut root: Node, overrides: &Overrides) -> Vec<At<String>> {
    overrides.apply(&mut root, &mut Problems::default());
    let files = root.get("files");
    let names = file_references(&root).filter_map(|node| Some((node.string()?, &node.place)));
    let missing = names.filter(|(name, _)| files.and_then(|files| files.get(name)).is_none());
    let at = |(name, place): (&String, &Place)| At { value: name.clone(), place: place.clone() };
    distinct_by(missing, |(name, _)| *name).into_iter().map(at).collect()
}

/// The values that refer to files: traces of links, and distributions of applications.
fn file_references(root: &Node) -> impl Iterator<Item = &Node> {
    let traces = children(root.get("links")).filter_map(|link| link.get("trace"));
    let traces = traces.map(|trace| trace.get("file").unwrap_or(trace));
    let flows = match root.get("flows").map(|flows| &flows.value) {
        Some(Value::Array(flows)) => &flows[..],
        _ => &[],
    };
    let draws = flows.iter().flat_map(|flow| children(flow.get("application")));
    traces.chain(draws.filter_map(|draw| draw.get("file")))
}

fn children(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    node.and_then(Node::table).into_iter().flat_map(|table| table.0.iter().map(|(_, child)| child))
}

fn read_text(folder: &Path, name: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = File::open(folder.join(name)).map_err(|why| why.to_string())?;
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|why| why.to_string())?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("larger than {} MB", LONGEST / 1_000_000));
    }
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8 text".to_owned())?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    // TOML's literal strings cannot hold these.
    let wrong = |line: &str| line.contains("'''") || line.chars().any(|c| c.is_control() && c != '\t');
    match text.lines().position(wrong) {
        Some(line) => Err(format!("line {} has control characters or '''", line + 1)),
        None => Ok(text),
    }
}

fn append_file(text: &mut String, name: &str, content: &str) {
    // A JSON string is one of TOML, too.
    let name = serde_json::Value::from(name);
    let end = if content.ends_with('\n') || content.is_empty() { "" } else { "\n" };
    *text += &format!("\n\n[files.{name}]\ntext = '''\n{content}{end}'''\n");
}
