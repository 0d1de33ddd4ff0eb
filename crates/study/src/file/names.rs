//! Identifiers that stand for one thing in a whole study.

use super::error::Problem;
use crate::Size;
use std::collections::HashSet;
use std::ops::Range;

/// Those that a study has in a size.
#[derive(Default)]
pub(crate) struct Names {
    rows: HashSet<String>,
    figures: HashSet<String>,
    experiments: HashSet<String>,
}

/// So many rows are a mistake.
const MAX_ROWS: usize = 100_000;

impl Names {
    /// None yet, of each size.
    pub fn of_sizes() -> [(Size, Names); 3] {
        Size::ALL.map(|size| (size, Names::default()))
    }

    /// Notes that of a row.
    pub fn row(&mut self, id: &str, at: Range<usize>) -> Result<(), Problem> {
        if self.rows.len() == MAX_ROWS {
            return Err(Problem::at(at, format!("more than {MAX_ROWS} rows in one study"))
                .help("name fewer axes in identifiers, or make several studies of it"));
        }
        note(&mut self.rows, "rows", id, at)
    }

    /// Whether a row has it.
    pub fn has_row(&self, id: &str) -> bool {
        self.rows.contains(&id.to_lowercase())
    }

    /// Notes that of a figure.
    pub fn figure(&mut self, id: &str, at: Range<usize>) -> Result<(), Problem> {
        note(&mut self.figures, "figures", id, at)
    }

    /// Notes one of an experiment.
    pub fn experiment(&mut self, id: &str, at: Range<usize>) -> Result<(), Problem> {
        note(&mut self.experiments, "experiments", id, at)
    }
}

fn note(known: &mut HashSet<String>, what: &str, id: &str, at: Range<usize>) -> Result<(), Problem> {
    if id.trim().is_empty() {
        return Err(Problem::at(at, "an identifier is not empty"));
    }
    // `--only` takes small letters as well.
    match known.insert(id.to_lowercase()) {
        true => Ok(()),
        false => Err(Problem::at(at, format!("two {what} have the identifier `{id}`"))
            .help("name in it the axis whose values they are of: {AXIS}")),
    }
}
