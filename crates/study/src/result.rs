//! The result of a study: rows with verdicts, figures, and the commands that repeat them.
//!
//! Written as JSON by `anabranch paper`, read by the report.

pub use crate::fidelity::*;
pub use crate::shares::{Comparison, EquilibriumName, ShareRow, Shares};
pub use crate::stats::Estimate;

use serde::{Deserialize, Serialize};

/// A study's experiments, run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StudyResult {
    /// Its letter in lists: "A", "B", ….
    pub id: String,
    /// Its short name on the command line and in file names: "coupled-cubic".
    pub name: String,
    /// Its title.
    pub title: String,
    /// Authors, venue, year.
    pub citation: String,
    /// Which size was run: "quick", "default" or "full".
    pub size: String,
    /// Seeds of a row from long runs; rows from short ones have more.
    pub seeds: u32,
    /// The version that ran it.
    pub version: String,
    /// The hash of the study's file and scenarios, where it is not a shipped paper: another one is another study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The command that repeats it, where it is not a shipped paper's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Commands that made what it has from before that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_commands: Vec<String>,
    /// True where it was not run again under other assumptions: experiments then have no [`Experiment::columns`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_columns: bool,
    /// True where it was interrupted: experiments that were not complete then are missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Its subject and its assumptions, in a few sentences.
    pub notes: Vec<String>,
    /// Mistakes and contradictions found in the paper's text.
    pub errata: Vec<String>,
    /// What it claims above all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<Headline>,
    /// Groups of rows, in the paper's order.
    pub experiments: Vec<Experiment>,
}

impl StudyResult {
    /// The seeds of its rows: "5 (20 for short runs)".
    pub fn seeds_of_rows(&self) -> String {
        let rows = self.experiments.iter().flat_map(|e| &e.rows);
        let all = rows.flat_map(|r| r.measured.iter().chain(r.compared.iter().map(|(_, ours)| ours)));
        match all.map(|ours| ours.values.len()).max() {
            Some(most) if most > self.seeds as usize => format!("{} ({most} for short runs)", self.seeds),
            _ => self.seeds.to_string(),
        }
    }

    /// The experiments of the paper itself, and those that leave its setting: where there are verdicts of both, each are
    /// counted by themselves.
    pub fn own_and_beyond(&self) -> [Vec<&Experiment>; 2] {
        let (beyond, own) = self.experiments.iter().partition(|e| e.beyond);
        [own, beyond]
    }

    /// Its rows that have a verdict on what the paper itself published.
    pub fn own_rows(&self) -> impl Iterator<Item = (&Experiment, &Row)> {
        let own = self.experiments.iter().filter(|e| !e.beyond);
        own.flat_map(|e| e.rows.iter().map(move |row| (e, row))).filter(|(_, row)| row.is_judged())
    }
}

/// What a study claims above all, and the rows that answer it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Headline {
    /// The claim, in a sentence.
    pub claim: String,
    /// The rows that judge it, by their identifiers: it holds where all of them reproduce.
    pub judged: Vec<String>,
    /// Names of values with the identifiers of their rows, for a sentence and a drawing.
    pub values: Vec<(String, String)>,
}

/// A table or figure of the paper, or an experiment beyond it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// "A-T4".
    pub id: String,
    /// Its title.
    pub title: String,
    /// Context for the reader: the set-up, the choices where the paper is silent.
    pub notes: Vec<String>,
    /// True where it leaves the paper's own setting: its verdicts are not the paper's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond: bool,
    /// Under which other assumptions it was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<VariantName>,
    /// The columns that the command asked for, by their identifiers: of backends beside the simulator, and of Linux hosts. A backend that
    /// cannot run any of the scenarios has no column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// Every value compared.
    pub rows: Vec<Row>,
    /// Figures drawn from the runs.
    pub figures: Vec<Figure>,
    /// The command that repeats it.
    pub runs: Vec<Run>,
    /// The simulator beside other backends, where it was run on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fidelity: Vec<Fidelity>,
    /// The simulator with Linux hosts, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linux_hosts: Vec<LinuxHosts>,
}

/// An assumption under which an experiment was run beside the default: a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VariantName {
    /// "v0".
    pub id: String,
    /// For readers, short.
    pub title: String,
    /// The difference from the default.
    pub meaning: String,
    /// True where the difference is what runs the scenarios: a row without a value there could not be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_backend: bool,
    /// Of a backend: on which kernels it ran, and what could not be run there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Of a backend: the runs that failed, with the reason. They are left out of its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
}

/// One value, published and ours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Unique within the paper: "A-T4.subflow1".
    pub id: String,
    /// The measured quantity.
    pub what: String,
    /// Its unit: "segments", "Mbit/s", "" for a ratio.
    pub unit: String,
    /// The paper's value.
    pub published: Published,
    /// Our value; `None` where the claim orders several, or the row failed.
    pub measured: Option<Estimate>,
    /// The values that a claim orders, each with its name, in the claimed order.
    #[serde(default)]
    pub compared: Vec<(String, Estimate)>,
    /// The rule, stated before the run.
    pub rule: String,
    /// The rule's verdict on our value; where the text has several readings, over all of them.
    pub verdict: Verdict,
    /// Verdicts that other values within its interval would have, from best to worst.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crosses: Vec<Verdict>,
    /// The same in other readings that the paper's text allows, each named in place of a column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Other>,
    /// Why it differs, where it does.
    pub explanation: Option<String>,
    /// The same under other assumptions, in the order of [`Experiment::columns`], where they change it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Other>,
}

impl Row {
    /// Its value under the assumption of that identifier; `None` where the assumption changes nothing.
    pub fn other(&self, column: &str) -> Option<&Other> {
        self.others.iter().find(|other| other.column == column)
    }

    /// True where it has a verdict on a published value.
    pub fn is_judged(&self) -> bool {
        !matches!(self.verdict, Verdict::NotJudged | Verdict::Failed)
    }
}

/// A row's value under another assumption, judged by the row's rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// The column's identifier, or the reading's name.
    pub column: String,
    /// As [`Row::measured`].
    pub measured: Option<Estimate>,
    /// As [`Row::compared`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<(String, Estimate)>,
    /// The rule's verdict on it; of a column over all readings of the text.
    pub verdict: Verdict,
    /// The error, where it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// A paper's statement about a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Published {
    /// A number, in the row's unit.
    Value(f64),
    /// A number that follows from published ones.
    Derived {
        /// It, in the row's unit.
        value: f64,
        /// Its derivation: "4730 ÷ 5950".
        from: String,
    },
    /// A statement without a number.
    Claim(String),
    /// Nothing: the row is ours, beyond the paper.
    #[default]
    Nothing,
}

impl Published {
    /// The number, in the row's unit, where there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Published::Value(value) | Published::Derived { value, .. } => Some(*value),
            Published::Claim(_) | Published::Nothing => None,
        }
    }
}

/// The outcome of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Within the band, or the claim holds.
    Reproduced,
    /// Within the wider band, or the means are in order but intervals touch.
    Partly,
    /// Outside.
    NotReproduced,
    /// Some readings that the paper's text allows refute it, and others do not.
    Undetermined,
    /// Nothing published to compare with.
    #[default]
    NotJudged,
    /// It could not be measured: a simulation failed, or its seeds did not vary it. `explanation` says why; the command
    /// then exits with an error.
    Failed,
}

/// A figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// "A-F5".
    pub id: String,
    /// Caption.
    pub title: String,
    /// One plot each, as the paper divides it.
    pub panels: Vec<Panel>,
    /// The number of points without a value, and the reason of the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// One plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// "(a) subflow 1".
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The manner in which series are drawn.
    pub mark: Mark,
    /// The series.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Title with unit.
    pub title: String,
    /// Logarithmic?
    pub log: bool,
    /// Limits as in the paper, where it gives them.
    pub domain: Option<(f64, f64)>,
}

/// The manner in which a panel's series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Points joined in order.
    Line,
    /// Points.
    Point,
    /// Grouped bars: each point's `label` is its place on the horizontal axis.
    Bar,
    /// Grouped box plots: a box for the points of a series that have one `label`, which is its place on the horizontal
    /// axis. The points are the values themselves, such as one of each seed.
    Box,
    /// A tile for each series (down) and each point's `label` (across), coloured by its value on the vertical axis's
    /// scale. That axis's limits are the worst value and the best, in this order, and their geometric mean is neutral.
    Tile,
}

/// A named sequence of points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Legend entry.
    pub name: String,
    /// The published values, drawn apart from ours?
    pub published: bool,
    /// The points.
    pub points: Vec<Point>,
}

/// One point of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Horizontal value (unused for bars and boxes).
    pub x: f64,
    /// Vertical value.
    pub y: f64,
    /// Half the width of the 95 % interval.
    pub half_width: Option<f64>,
    /// Category of a bar or box.
    pub label: Option<String>,
}

impl Point {
    /// Without an interval.
    pub(crate) fn at(x: f64, y: f64) -> Self {
        Point { x, y, half_width: None, label: None }
    }

    /// A bar without an interval.
    pub(crate) fn bar(label: &str, y: f64) -> Self {
        Point { label: Some(label.into()), ..Point::at(0.0, y) }
    }
}

/// A command that repeats a run, and the scenario behind it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What it is.
    pub title: String,
    /// `anabranch run …`.
    pub command: String,
    /// The scenario file's name.
    pub scenario: String,
    /// Its text.
    pub text: String,
    /// The identifier of the column that it is of; none of the default's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Its goodputs beside what theory gives; missing where the network changes meanwhile or a run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Shares>,
}
