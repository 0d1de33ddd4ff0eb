//! A paper as it is written down here.

use anabranch_study::{self as study, Column, Plan, Size, Study};

/// A paper and its experiments.
pub(crate) struct Paper {
    /// Its letter: "A".
    pub id: &'static str,
    /// Its name on the command line and in file names.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Authors, venue, year.
    pub citation: &'static str,
    /// What it is about; what was assumed throughout.
    pub notes: &'static [&'static str],
    /// Mistakes and contradictions in its text.
    pub errata: &'static [&'static str],
    /// The seeds of a long run, for each size.
    pub seeds: fn(Size) -> u32,
    /// What stands beside the default in each of its experiments that it changes.
    pub columns: &'static [&'static Column],
    /// Its tables and figures in order, and then ours beyond it.
    pub experiments: &'static [Definition],
}

/// A table or figure of a paper, or an experiment beyond it.
pub(crate) struct Definition {
    /// Its identifiers, the experiment's own first: a table, and the figures from the same runs.
    pub ids: &'static [&'static str],
    /// What it shows.
    pub title: &'static str,
    /// The set-up, and the choices where the paper is silent.
    pub notes: &'static [&'static str],
    /// Writes it down for a size.
    pub plan: fn(Size) -> Plan,
}

impl Paper {
    /// It, as the engine takes it.
    pub fn study(&self) -> Study {
        Study {
            id: self.id.into(),
            name: self.name.into(),
            title: self.title.into(),
            citation: self.citation.into(),
            notes: owned(self.notes),
            errata: owned(self.errata),
            seeds: Box::new(self.seeds),
            hash: None,
            usual_sizes: true,
            columns: self.columns.to_vec(),
            experiments: self.experiments.iter().map(Definition::of_study).collect(),
        }
    }
}

impl Definition {
    fn of_study(&self) -> study::Definition {
        study::Definition {
            ids: owned(self.ids),
            title: self.title.into(),
            notes: owned(self.notes),
            plan: Box::new(self.plan),
        }
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
