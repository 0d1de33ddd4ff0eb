//! The keys of a study file.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::{Spanned, Value};

/// A study: scenarios, what is varied in them, and what is read from the runs.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// What the study is about.
    pub title: String,
    /// A letter or short name, which begins its rows' identifiers in reports; the file's name if not given.
    #[serde(default)]
    pub id: Option<String>,
    /// The work whose values are published: authors, title, year.
    #[serde(default)]
    pub cite: Option<String>,
    /// What was assumed throughout, a sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Mistakes and contradictions in the text that it is about.
    #[serde(default)]
    pub errata: Vec<String>,
    /// Texts that stand in several places, by name: `{texts.NAME}` in notes, titles, rows and explanations.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub texts: IndexMap<String, Spanned<String>>,
    /// What the sizes change.
    #[serde(default)]
    pub size: Sizes,
    /// Other assumptions under which every experiment is run again: v0, plain-start, tick, tso, tick+tso.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub columns: Vec<Spanned<String>>,
    /// Axes that several runs vary, and lists that rows and figures go over: as in `vary`.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub axes: IndexMap<String, Spanned<Value>>,
    /// What to run: a scenario each, with what is varied in it.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Group>")]
    pub runs: IndexMap<String, Group>,
    /// Expressions over a run by name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub quantities: IndexMap<String, Spanned<String>>,
    /// What is measured and judged.
    #[serde(default)]
    pub rows: Vec<Row>,
    /// What is drawn.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Sentences with what was measured.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Parts of a longer study, each with rows and figures of its own.
    #[serde(default)]
    pub experiments: Vec<Experiment>,
}

/// What the sizes of a study are.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sizes {
    /// With `--quick`: 2 seeds if not given.
    #[serde(default)]
    pub quick: Changes,
    /// Without a size: 5 seeds if not given.
    #[serde(default)]
    pub default: Changes,
    /// With `--full`: 10 seeds if not given.
    #[serde(default)]
    pub full: Changes,
}

/// What a size changes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    /// How many seeds a simulation has.
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    pub seeds: Option<Spanned<u32>>,
    /// The length of every run: "20 s".
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub duration: Option<Spanned<String>>,
    /// Where means begin: "5 s".
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub warmup: Option<Spanned<String>>,
    /// Every length that is not given here, times that: 0.1 for a tenth.
    #[serde(default)]
    #[schemars(with = "Option<f64>")]
    pub scale: Option<Spanned<f64>>,
    /// Of runs: other points than `only` names there.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub only: Option<Spanned<Value>>,
}

/// A number of seeds, or one for each value of an axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number, or a table of them by the value of an axis")]
pub(crate) enum Count {
    /// For every point.
    All(u32),
    /// By the value of an axis: `{ linked-cubic = 2 }`; other values have no such number.
    By(#[schemars(with = "std::collections::BTreeMap<String, u32>")] IndexMap<String, u32>),
}

/// A scenario and what is varied in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    /// The scenario's file, beside the study's; `{axis.file}` where an axis has several.
    #[schemars(with = "String")]
    pub scenario: Spanned<String>,
    /// What one of its simulations is; `{axis}` stands for an axis's value.
    #[serde(default)]
    pub title: Option<String>,
    /// The multipath flows' algorithm, or `flow=algorithm`.
    #[serde(default)]
    pub cc: Option<String>,
    /// Keys of the scenario and their values, as `--set` takes them; `*` stands for any part of a link's or flow's name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub set: IndexMap<String, Spanned<Value>>,
    /// Axes by name: a list of values; a table with key, values, names, range, steps, scale; or the name of one of the
    /// file's, or of some of its values: `{ axis = "cc", values = ["lia"] }`.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub vary: IndexMap<String, Spanned<Value>>,
    /// Axes whose values go together, in step; others are crossed.
    #[serde(default)]
    #[schemars(with = "Option<Vec<Vec<String>>>")]
    pub zip: Option<Spanned<Vec<Vec<String>>>>,
    /// The points that are run, where that is not "all": a list of tables with values of axes, `{ rate = 10, loss = ["none", "1e-4"] }`.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub only: Option<Spanned<Value>>,
    /// The length of a run; `{axis.field}` stands for a value's.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub duration: Option<Spanned<String>>,
    /// Where means begin.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub warmup: Option<Spanned<String>>,
    /// That many times the seeds, where runs are short.
    #[serde(default)]
    #[schemars(with = "Option<Count>")]
    pub repeats: Option<Spanned<Count>>,
    /// At most that many seeds, where runs are long and nothing is judged.
    #[serde(default)]
    #[schemars(with = "Option<Count>")]
    pub at_most: Option<Spanned<Count>>,
    /// Whether samples over time are kept, whatever rows and figures read.
    #[serde(default)]
    pub samples: bool,
    /// Other lengths with `--quick`.
    #[serde(default)]
    pub quick: Changes,
    /// Other lengths with `--full`.
    #[serde(default)]
    pub full: Changes,
}

/// A part of a study.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Experiment {
    /// Its identifiers, its own first: a table, and the figures from the same runs. `{axis}` makes an experiment of each value.
    #[serde(deserialize_with = "some_ids")]
    #[schemars(with = "Vec<String>")]
    pub ids: Vec<Spanned<String>>,
    /// What it shows.
    pub title: String,
    /// The set-up and the choices.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Runs whose every simulation is made, whether a row reads it or not; all that rows and figures read are made anyway.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub runs: Vec<Spanned<String>>,
    /// Other assumptions, beside the study's.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub columns: Vec<Spanned<String>>,
    /// It leaves the paper's setting: what it judges does not count as the paper's.
    #[serde(default)]
    pub beyond: bool,
    /// It is run only where `--only` asks for it: true, a list of sizes, or a table of sizes with the values of its axis.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub on_request: Option<Spanned<Value>>,
    /// What is measured and judged.
    #[serde(default)]
    pub rows: Vec<Row>,
    /// What is drawn.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Sentences with what was measured.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// The message has the list's place so.
fn some_ids<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Spanned<String>>, D::Error> {
    let ids = Vec::deserialize(from)?;
    match ids.is_empty() {
        true => Err(D::Error::custom("an experiment has at least one identifier: ids = [\"…\"]")),
        false => Ok(ids),
    }
}

/// A sentence with means over seeds, or one for each value of the axes that it names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    /// The sentence; `{name:.2}` is a mean with two digits after the point.
    #[schemars(with = "String")]
    pub text: Spanned<String>,
    /// The means by name, an expression each.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub values: IndexMap<String, Spanned<String>>,
    /// Which runs it reads; the only ones if not given.
    #[serde(default)]
    pub runs: Option<String>,
    /// The values of axes that it does not name.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// Expressions are of the means over all seeds, not the means of each seed's.
    #[serde(default)]
    pub pooled: bool,
}

/// A value that is measured and judged, or one for each value of the axes that its identifier names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Its identifier; `{axis}` makes a row of each value: of an axis of its runs, or of the file.
    #[serde(default = "no_id")]
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// What is measured.
    #[serde(default)]
    pub what: Option<String>,
    /// Its unit.
    #[serde(default)]
    pub unit: Option<String>,
    /// Which runs it reads, or several, of each of which it is a row; the only ones if not given.
    #[serde(default)]
    pub runs: Option<Names>,
    /// The values of axes that the identifier does not name, or those that are meant of one that it names: a value, a list,
    /// or `{ kind = "coupled" }`, those whose field is that.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// Only where this holds: an expression of axes with numbers.
    #[serde(default, rename = "where")]
    #[schemars(with = "Option<String>")]
    pub only: Option<Spanned<String>>,
    /// What is measured: an expression over a run.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub of: Option<Spanned<String>>,
    /// What is computed, without a run.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub formula: Option<Spanned<String>>,
    /// Expressions that are claimed to ascend, or names with expressions: `{ LIA = '…' }`, or one expression with `over`.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub ascending: Option<Spanned<Value>>,
    /// The same; of which the last is claimed to be the highest.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub highest: Option<Spanned<Value>>,
    /// An axis with its values in the order that is claimed: `{ cc = ["lia", "olia", "{cc}"] }`.
    #[serde(default)]
    #[schemars(with = "Option<std::collections::BTreeMap<String, serde_json::Value>>")]
    pub over: Option<Spanned<IndexMap<String, Spanned<Value>>>>,
    /// The published value: a number, an expression, or a table of them by the value of an axis.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub published: Option<Spanned<Value>>,
    /// How the value follows from published ones, where it is not itself published.
    #[serde(default)]
    pub from: Option<String>,
    /// A published statement, judged by `rule`, or a table of them by the value of an axis.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub claim: Option<Spanned<Value>>,
    /// "near 1", "at least 1", "at most 0.7", "within 0.7..0.8", "printed" or "none"; without one a published value
    /// reproduces within 10 %, partly within 25 %.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub rule: Option<Spanned<String>>,
    /// Why the value differs, shown where it does not reproduce: a text, or a table of them by the value of an axis.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub because: Option<Spanned<Value>>,
    /// The same with a condition on `measured`, `low`, `high` (its interval) and `published`: the first that holds is shown.
    #[serde(default)]
    pub explain: Vec<Explanation>,
    /// Rows that stand together, for each value of this one's axes: they have its keys where they give none, and their
    /// identifiers, if they have any, follow its own after a dot, what they measure its `what` after a colon.
    #[serde(default)]
    pub rows: Vec<Row>,
}

impl Row {
    /// How many of the keys it has that say what it reads: one, or none where its `rows` have it.
    pub fn reads(&self) -> usize {
        let texts = [&self.of, &self.formula].into_iter().flatten().count();
        texts + [&self.ascending, &self.highest].into_iter().flatten().count()
    }

    /// Whether it claims an order.
    pub fn compares(&self) -> bool {
        self.ascending.is_some() || self.highest.is_some()
    }

    /// A row of its `rows`, with its keys where that has none. Its axes have their values already.
    pub fn inner(&self, row: &Row) -> Row {
        let joined = |outer: &Option<String>, inner: &Option<String>| match (outer, inner) {
            (Some(outer), Some(inner)) => Some(format!("{outer}: {inner}")),
            (outer, inner) => inner.clone().or_else(|| outer.clone()),
        };
        let mut inner = row.clone();
        let id = match row.id.get_ref().as_str() {
            "" => self.id.get_ref().clone(),
            own => format!("{}.{own}", self.id.get_ref()),
        };
        // Without an identifier of its own it has no place either.
        let place = if row.id.span().is_empty() { self.id.span() } else { row.id.span() };
        inner.id = Spanned::new(place, id);
        inner.what = joined(&self.what, &row.what);
        inner.unit = row.unit.clone().or_else(|| self.unit.clone());
        if row.reads() == 0 {
            inner.of.clone_from(&self.of);
            inner.formula.clone_from(&self.formula);
            inner.ascending.clone_from(&self.ascending);
            inner.highest.clone_from(&self.highest);
        }
        if inner.compares() || row.reads() == 0 {
            inner.over = row.over.clone().or_else(|| self.over.clone());
        }
        inner.runs = row.runs.clone().or_else(|| self.runs.clone());
        inner.published = row.published.clone().or_else(|| self.published.clone());
        inner.from = row.from.clone().or_else(|| self.from.clone());
        inner.claim = row.claim.clone().or_else(|| self.claim.clone());
        inner.rule = row.rule.clone().or_else(|| self.rule.clone());
        inner.because = row.because.clone().or_else(|| self.because.clone());
        if row.explain.is_empty() {
            inner.explain.clone_from(&self.explain);
        }
        inner
    }
}

/// A name, or several.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a name, or a list of names")]
pub(crate) enum Names {
    /// One.
    One(String),
    /// A list.
    Several(Vec<String>),
}

impl Names {
    /// All of them.
    pub fn all(&self) -> &[String] {
        match self {
            Names::One(name) => std::slice::from_ref(name),
            Names::Several(names) => names,
        }
    }
}

/// That of a row within another that continues nothing.
fn no_id() -> Spanned<String> {
    Spanned::new(0..0, String::new())
}

/// An explanation that cannot outlive its truth.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Explanation {
    /// When it holds.
    #[schemars(with = "String")]
    pub when: Spanned<String>,
    /// What it says.
    pub text: String,
    /// The row or runs that show it, with and without the cause.
    #[serde(default)]
    pub by: Option<String>,
}

/// A figure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    /// Its identifier; `{axis}` makes a figure of each value.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// Its caption.
    pub title: String,
    /// How it is drawn.
    pub kind: Kind,
    /// Which runs it reads, or several, of each of which it is a figure; the only ones if not given.
    #[serde(default)]
    pub runs: Option<Names>,
    /// The axis along the horizontal; or several, with a place for each combination that is run; or a place for each of some
    /// expressions, by name: `{ MPTCP = "…" }`; not for lines over time.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub x: Option<Spanned<Value>>,
    /// Where along the horizontal the points of lines stand, if not at the axis's numbers: an expression, of which the mean
    /// is taken.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub x_of: Option<Spanned<String>>,
    /// The axis of which each value is a series.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub by: Option<Spanned<String>>,
    /// The axis of which each value is a panel.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub panel: Option<Spanned<String>>,
    /// The values of the other axes, and which values of those that it goes over.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// What is drawn, where all series are the same quantity.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub of: Option<Spanned<String>>,
    /// What is drawn, series by series: names with expressions.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub series: IndexMap<String, Spanned<String>>,
    /// Whether panels' titles begin with (a), (b), ….
    #[serde(default)]
    pub letters: bool,
    /// Panels with keys of their own.
    #[serde(default)]
    pub panels: Vec<Panel>,
    /// Only the points of the horizontal axis where this holds: an expression of axes with numbers.
    #[serde(default, rename = "where")]
    #[schemars(with = "Option<String>")]
    pub only: Option<Spanned<String>>,
    /// Bars, series by series, of several runs and without `x`: names with tables of labels with expressions.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>>")]
    pub bars: IndexMap<String, IndexMap<String, Spanned<String>>>,
    /// Published series: names with the values along the horizontal axis, or with tables of labels with numbers.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub published: IndexMap<String, Spanned<Value>>,
    /// Curves: names with formulas, in which the horizontal axis's name is the place along it.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub curves: IndexMap<String, Spanned<String>>,
    /// The horizontal axis's title; the axis's name if not given.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub x_title: Option<Spanned<String>>,
    /// The vertical axis's title, with its unit.
    #[serde(default)]
    pub y_title: Option<String>,
    /// The limits of the horizontal axis; of a run that ends before them all is shown.
    #[serde(default)]
    #[schemars(with = "Option<(f64, f64)>")]
    pub x_limits: Option<Spanned<(f64, f64)>>,
    /// Which axes are logarithmic: "x", "y" or "xy"; what is not above 0 has no place on them.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub log: Option<Spanned<String>>,
    /// Expressions are of the means over all seeds, not the means of each seed's, and have no interval.
    #[serde(default)]
    #[schemars(with = "bool")]
    pub pooled: Option<Spanned<bool>>,
    /// The limits of the vertical axis; of a heat map the worst value and the best.
    #[serde(default)]
    #[schemars(with = "Option<(f64, f64)>")]
    pub limits: Option<Spanned<(f64, f64)>>,
}

/// A panel of a figure. What it does not have it takes from the figure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Panel {
    /// Its title.
    pub title: String,
    /// The vertical axis's title, with its unit.
    #[serde(default)]
    pub y_title: Option<String>,
    /// The values of axes here.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// What is along the horizontal.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub x: Option<Spanned<Value>>,
    /// The axis of which each value is a series.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub by: Option<Spanned<String>>,
    /// What is drawn, where all series are the same quantity.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub of: Option<Spanned<String>>,
    /// What is drawn: names with expressions.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub series: IndexMap<String, Spanned<String>>,
    /// The limits of the vertical axis.
    #[serde(default)]
    #[schemars(with = "Option<(f64, f64)>")]
    pub limits: Option<Spanned<(f64, f64)>>,
}

impl Figure {
    /// Whether an axis is logarithmic, `x` or `y`.
    pub fn is_log(&self, axis: char) -> bool {
        self.log.as_ref().is_some_and(|log| log.get_ref().contains(axis))
    }

    /// Whether expressions are of the means over all seeds.
    pub fn is_pooled(&self) -> bool {
        self.pooled.as_ref().is_some_and(|pooled| *pooled.get_ref())
    }
}

/// How a figure is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Means with intervals over an axis of numbers, joined.
    Lines,
    /// Grouped bars of means.
    Bars,
    /// Grouped boxes of the seeds' values.
    Boxes,
    /// Tiles, coloured by their mean.
    Heat,
    /// Lines over time of the first seed's run.
    Time,
}

/// The JSON Schema (draft 2020-12) of a study file, made from the types that read it.
pub fn json_schema() -> serde_json::Value {
    schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<File>()
        .to_value()
}
