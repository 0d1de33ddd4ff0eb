//! The settings that the experiments of a file share.

use super::axes::Axis;
use super::group::Group;
use crate::parse::spec::Sizes;
use crate::parse::template::Texts;
use crate::parse::{FileError, Problem, Spanned};
use indexmap::IndexMap;

pub(crate) struct Resolved {
    pub groups: Vec<Group>,
    /// The file's axes, for runs, rows and figures.
    pub axes: Vec<Axis>,
    pub quantities: IndexMap<String, Spanned<String>>,
    pub texts: Texts,
    pub sizes: Sizes,
    /// Where the file's lines begin.
    pub lines: Vec<usize>,
    /// Its name, as messages have it, and its text.
    pub source: (String, String),
    /// The hash of the file, its scenarios and the chosen subsets.
    pub hash: String,
}

impl Resolved {
    /// The line of a place in the file, from 1.
    pub fn line(&self, place: usize) -> usize {
        self.lines.partition_point(|begin| *begin <= place)
    }

    /// Adds the file to a problem.
    pub fn error(&self, problem: Problem) -> FileError {
        problem.within(&self.source.0, &self.source.1)
    }

    pub fn group(&self, name: &str) -> Result<usize, Problem> {
        let found = self.groups.iter().position(|group| group.name == name);
        let known = self.groups.iter().map(|group| group.name.as_str());
        found.ok_or_else(|| Problem::new(format!("there are no runs `{name}`")).suggest(name, known))
    }

    /// The named group, or the only one.
    pub fn group_or_only(&self, name: Option<&str>) -> Result<usize, Problem> {
        match (name, &self.groups[..]) {
            (Some(name), _) => self.group(name),
            (None, [_]) => Ok(0),
            (None, []) => {
                Err(Problem::new("the study has no [runs]").help("add [runs.NAME] with a scenario"))
            }
            (None, groups) => {
                let known = groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>().join(", ");
                Err(Problem::new("the study has several runs: choose one")
                    .help(format!("add runs = …, one of: {known}")))
            }
        }
    }
}
