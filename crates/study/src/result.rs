//! The result of a study: rows with verdicts, figures, and the commands that reproduce them.
//!
//! Written as JSON by `anabranch paper`, read by the report.

pub use crate::fidelity::*;
pub use crate::shares::{Comparison, EquilibriumName, ShareRow, Shares};
pub use crate::stats::Estimate;

use crate::Size;
use crate::origin::Origin;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The results of a study's experiments.
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
    /// Seeds of rows from long runs; rows from short runs have more.
    pub seeds: u32,
    /// The version that ran it.
    pub version: String,
    /// The hash of the study's file and scenarios, unless it is a shipped paper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The command that reproduces it, unless it is a shipped paper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Commands that made its earlier experiments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_commands: Vec<String>,
    /// True if made without sensitivity variants: experiments then have no [`Experiment::variants`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_variants: bool,
    /// True if it was interrupted: incomplete experiments are missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Its subject and its assumptions, in a few sentences.
    pub notes: Vec<String>,
    /// Mistakes and contradictions found in the paper's text.
    pub errata: Vec<String>,
    /// The main claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<Headline>,
    /// Groups of rows, in the paper's order.
    pub experiments: Vec<Experiment>,
}

impl StudyResult {
    /// The seeds of its rows: "5 (20 for short runs)".
    pub fn seeds_of_rows(&self) -> String {
        let values = self.experiments.iter().flat_map(|e| &e.rows).flat_map(Row::values);
        match values.map(|ours| ours.values.len()).max() {
            Some(most) if most > self.seeds as usize => format!("{} ({most} for short runs)", self.seeds),
            _ => self.seeds.to_string(),
        }
    }

    /// The paper's own experiments and those beyond it, whose verdicts are counted separately.
    pub fn own_and_beyond(&self) -> [Vec<&Experiment>; 2] {
        let (beyond, own) = self.experiments.iter().partition(|e| e.beyond);
        [own, beyond]
    }

    /// Whether it is of the quick size, which gives values and no verdicts.
    pub fn is_provisional(&self) -> bool {
        self.size == Size::Quick.name()
    }

    /// The result as pages and tables show it: provisional rows have no other verdict.
    pub fn shown(&self) -> Cow<'_, StudyResult> {
        if !self.is_provisional() {
            return Cow::Borrowed(self);
        }
        let provisional = |verdict: &mut Verdict| {
            if !matches!(verdict, Verdict::NotJudged | Verdict::Failed) {
                *verdict = Verdict::Provisional;
            }
        };
        let mut shown = self.clone();
        for row in shown.experiments.iter_mut().flat_map(|e| &mut e.rows) {
            provisional(&mut row.verdict);
            row.crosses.clear();
            let others = row.others.iter_mut().chain(&mut row.interpretations);
            others.for_each(|other| provisional(&mut other.verdict));
        }
        Cow::Owned(shown)
    }

    /// Its rows that have a verdict on what the paper itself published.
    pub fn own_rows(&self) -> impl Iterator<Item = (&Experiment, &Row)> {
        let own = self.experiments.iter().filter(|e| !e.beyond);
        own.flat_map(|e| e.rows.iter().map(move |row| (e, row))).filter(|(_, row)| row.is_judged())
    }
}

/// A study's main claim, and the rows that judge it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Headline {
    /// The claim, in a sentence.
    pub claim: String,
    /// The identifiers of the rows that judge it: it holds if all of them are reproduced.
    pub judged: Vec<String>,
    /// Names of values with the identifiers of their rows, for the drawing.
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
    /// True if it departs from the paper's setting: its verdicts are counted separately.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond: bool,
    /// Its sensitivity variants and other backends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantName>,
    /// The variants that the command requested, by identifier: other backends and Linux-accurate hosts. A backend that can run no
    /// scenario is missing here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// Every value compared.
    pub rows: Vec<Row>,
    /// Figures drawn from the runs.
    pub figures: Vec<Figure>,
    /// The commands that reproduce it.
    pub runs: Vec<Run>,
    /// The simulator compared with other backends, if run on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fidelity: Vec<Fidelity>,
    /// The simulator with Linux-accurate hosts, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linux_hosts: Vec<LinuxHosts>,
}

/// A sensitivity variant or backend under which an experiment was repeated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VariantName {
    /// "v0".
    pub id: String,
    /// A short title.
    pub title: String,
    /// The difference from the default.
    pub meaning: String,
    /// True if another backend runs the scenarios: it could not run rows without a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_backend: bool,
    /// For a backend: its kernels, and the scenarios that it could not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// For a backend: the failed runs, with the reason. Its values exclude them.
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
    /// Our value; `None` if the claim orders several values, or the row failed.
    pub measured: Option<Estimate>,
    /// The values that a claim orders, each with its name, in the claimed order.
    #[serde(default)]
    pub compared: Vec<(String, Estimate)>,
    /// The rule, stated before the run.
    pub rule: String,
    /// True if the rule is a bound or an order: partly then means that only the means meet it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bound_or_order: bool,
    /// The rule's verdict on our value, over all interpretations of the text.
    pub verdict: Verdict,
    /// Other verdicts that its interval reaches, from best to worst.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crosses: Vec<Verdict>,
    /// The values under other interpretations of the paper's text, each named in place of a variant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interpretations: Vec<Other>,
    /// The reason for a difference, if any.
    pub explanation: Option<String>,
    /// The values in variants that change it, in the order of [`Experiment::variants`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Other>,
}

impl Row {
    /// Its value in the variant with that identifier; `None` if the variant changes nothing.
    pub fn other(&self, variant: &str) -> Option<&Other> {
        self.others.iter().find(|other| other.variant == variant)
    }

    /// Its value, or the values that a claim orders.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Estimate> {
        self.measured.iter().chain(self.compared.iter().map(|(_, ours)| ours))
    }

    /// The origin of its difference from the published value, by the first backend that determines it; `None` if it is reproduced or
    /// has no verdict.
    pub fn origin(&self) -> Option<Origin> {
        let differs = matches!(self.verdict, Verdict::Partly | Verdict::NotReproduced);
        differs.then(|| {
            let mut origins = self.others.iter().filter_map(|other| other.origin);
            origins.find(|origin| *origin != Origin::Undetermined).unwrap_or(Origin::Undetermined)
        })
    }

    /// Whether more seeds may change its verdict: the interval includes another one. A bound or an order is then partly met.
    pub fn is_open(&self) -> bool {
        let has_interval = self.measured.as_ref().is_none_or(|measured| measured.half_width.is_some());
        let only_the_mean = self.verdict == Verdict::Partly && self.is_bound_or_order;
        !self.crosses.is_empty() || only_the_mean && has_interval
    }

    /// True if it has a verdict on a published value.
    pub fn is_judged(&self) -> bool {
        !matches!(self.verdict, Verdict::NotJudged | Verdict::Failed)
    }
}

/// A row's value in a variant or interpretation, judged by the row's rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// The variant's identifier, or the interpretation's name.
    pub variant: String,
    /// As [`Row::measured`].
    pub measured: Option<Estimate>,
    /// As [`Row::compared`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<(String, Estimate)>,
    /// The rule's verdict on it; for a variant, over all interpretations.
    pub verdict: Verdict,
    /// For a backend, on a row that the simulator reproduces partly or not: the origin of the difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The error, if it failed.
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
    /// Not published: the row is ours.
    #[default]
    Nothing,
}

impl Published {
    /// The number, in the row's unit, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Published::Value(value) | Published::Derived { value, .. } => Some(*value),
            Published::Claim(_) | Published::Nothing => None,
        }
    }
}

/// How the verdicts of a study are worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// Of published values: "reproduced".
    Published,
    /// Of claims that nobody published: "holds".
    Claims,
}

impl Wording {
    /// A verdict in words.
    pub fn label(self, verdict: Verdict) -> &'static str {
        match (self, verdict) {
            (Wording::Published, Verdict::Reproduced) => "reproduced",
            (Wording::Published, Verdict::Partly) => "partly",
            (Wording::Published, Verdict::NotReproduced) => "not reproduced",
            (Wording::Claims, Verdict::Reproduced) => "holds",
            (Wording::Claims, Verdict::Partly) => "holds partly",
            (Wording::Claims, Verdict::NotReproduced) => "does not hold",
            (_, Verdict::Undetermined) => "undetermined",
            (_, Verdict::NotJudged) => "not judged",
            (_, Verdict::Failed) => "failed",
            (_, Verdict::Provisional) => "provisional",
        }
    }

    /// What the main experiments are of: "beyond the paper".
    pub fn work(self) -> &'static str {
        match self {
            Wording::Published => "paper",
            Wording::Claims => "main experiments",
        }
    }

    /// The rule of a row.
    pub fn rule(self, rule: &str) -> Cow<'_, str> {
        match self {
            Wording::Published => Cow::Borrowed(rule),
            Wording::Claims => Cow::Owned(
                rule.replace("reproduced", "holds")
                    .replace("of the published value", "of the expected value")
                    .replace("there is no published value to compare with", "the row claims nothing"),
            ),
        }
    }
}

/// A figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// "A-F5".
    pub id: String,
    /// Caption.
    pub title: String,
    /// Its panels, as in the paper.
    pub panels: Vec<Panel>,
    /// The number of points without a value, and the first one's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// One plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// "(a) subflow 1".
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The kind of marks.
    pub mark: Mark,
    /// The series.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Title with unit.
    pub title: String,
    /// Logarithmic?
    pub log: bool,
    /// The paper's limits, if given.
    pub domain: Option<(f64, f64)>,
}

impl Axis {
    /// With limits by the data.
    pub fn new(title: &str, log: bool) -> Self {
        Axis { title: title.into(), log, domain: None }
    }
}

/// The kind of a panel's marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Points joined in order.
    #[default]
    Line,
    /// Points.
    Point,
    /// Grouped bars: each point's `label` is its place on the horizontal axis.
    Bar,
    /// Grouped box plots: a box for the points of a series that have one `label`, which is its place on the horizontal
    /// axis. The points are the values themselves, such as one of each seed.
    Box,
    /// A tile for each series (row) and each point's `label` (column), coloured by its value. The vertical axis's limits are the
    /// worst and the best value, in this order; their geometric mean is neutral.
    Tile,
}

/// A named sequence of points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    pub fn at(x: f64, y: f64) -> Self {
        Point { x, y, half_width: None, label: None }
    }

    /// A bar without an interval.
    pub fn bar(label: &str, y: f64) -> Self {
        Point { label: Some(label.into()), ..Point::at(0.0, y) }
    }
}

/// A command that reproduces a run, and its scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its title.
    pub title: String,
    /// `anabranch run …`.
    pub command: String,
    /// The scenario file's name.
    pub scenario: String,
    /// Its text.
    pub text: String,
    /// The identifier of its variant; `None` for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Its goodputs compared with theory; missing if the network changes or a run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Shares>,
}
