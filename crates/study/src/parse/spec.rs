//! The keys of a study file. The book's tables come from these comments; the text after "Example:" is their last column.

mod axes;
mod figures;
mod rows;

pub(crate) use figures::{Figure, Kind, Panel};
pub(crate) use rows::{Names, Row};

use super::Spanned;
use crate::result;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Value;

/// A study: scenarios, the axes to vary, and the quantities to read from the runs.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// The subject of the study. Example: `title = "Buffers and delays"`
    pub title: String,
    /// A letter or short name for reports; the file's name if not given. Example: `id = "D"`
    pub id: Option<String>,
    /// The work whose values are published. Example: `cite = "RFC 6356, section 2"`
    pub cite: Option<String>,
    /// Assumptions that hold throughout, a sentence each. Example: `notes = ["Both links have 20 Mbit/s."]`
    #[serde(default)]
    pub notes: Vec<String>,
    /// Mistakes and contradictions in the cited work. Example: `errata = ["Eq. 4 lacks a bracket."]`
    #[serde(default)]
    pub errata: Vec<String>,
    /// The claim at the top of the report, and the rows that judge it. Must stand before the file's first table. Example:
    /// `headline.claim = "LIA does no harm"`
    pub headline: Option<Headline>,
    /// Texts for repeated use: the text replaces `{texts.NAME}` in notes, titles, rows and explanations. Example: `texts.ours =
    /// "Not judged."`
    #[serde(default)]
    pub texts: IndexMap<String, Spanned<String>>,
    /// Seeds and lengths of the sizes `quick`, `default` and `full`. Example: `size.quick = { seeds = 2 }`
    #[serde(default)]
    pub size: Sizes,
    /// Sensitivity variants: every experiment is repeated under each, and a report shows the values beside the others. Example:
    /// `variants = ["v0", "tick"]`
    #[serde(default)]
    pub variants: Vec<Spanned<String>>,
    /// Axes that several runs vary, and lists that rows and figures iterate over. Example: `axes.part = ["mptcp", "tcp"]`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, axes::Axis>")]
    pub axes: IndexMap<String, Spanned<Value>>,
    /// The runs to make, by name: a scenario with its axes. Example: `[runs.links]`
    #[serde(default)]
    pub runs: IndexMap<String, Group>,
    /// Named expressions, for use in other expressions. Example: `quantities.taken = 'goodput("mptcp")'`
    #[serde(default)]
    pub quantities: IndexMap<String, Spanned<String>>,
    /// The measured and judged values. Example: `[[rows]]`
    #[serde(default)]
    pub rows: Vec<Row>,
    /// The figures to draw. Example: `[[figures]]`
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Sentences with measured means. Example: `[[findings]]`
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Sections of a long study, each with its own rows and figures. Example: `[[experiments]]`
    #[serde(default)]
    pub experiments: Vec<Experiment>,
}

/// A study's main claim.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Headline {
    /// The claim, in a sentence. Example: `claim = "LIA takes no more than a single-path flow"`
    pub claim: String,
    /// The rows that judge the claim: it holds if all of them are reproduced. Example: `judged = ["links.order"]`
    #[serde(deserialize_with = "some_rows")]
    pub judged: Vec<Spanned<String>>,
    /// Rows to show with the claim, by name; all must have the same unit. Example: `values = { LIA = "links.lia", Reno =
    /// "links.reno" }`
    #[serde(default)]
    pub values: IndexMap<String, Spanned<String>>,
}

impl From<Headline> for result::Headline {
    fn from(spec: Headline) -> Self {
        let id = Spanned::into_inner;
        result::Headline {
            claim: spec.claim,
            judged: spec.judged.into_iter().map(id).collect(),
            values: spec.values.into_iter().map(|(name, row)| (name, id(row))).collect(),
        }
    }
}

/// The sizes of a study.
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

/// The changes of a size.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    /// Only under `size`: the number of seeds, one run of every simulation each. Example: `seeds = 4`
    pub seeds: Option<Spanned<u32>>,
    /// The length of a run; by default the scenario's. Example: `duration = "20 s"`
    pub duration: Option<Spanned<String>>,
    /// The time from which means are taken. Example: `warmup = "5 s"`
    pub warmup: Option<Spanned<String>>,
    /// A factor for the lengths from the runs or the scenario, if this size does not give one. Example: `scale = 0.1`
    pub scale: Option<Spanned<f64>>,
    /// Only under `runs`: the points that this size runs, in place of the runs' own `only`. Example: `full.only = "all"`
    #[schemars(with = "Option<serde_json::Value>")]
    pub only: Option<Spanned<Value>>,
}

/// A number of seeds, or one for each value of an axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number, or a table of them by the value of an axis")]
pub(crate) enum Count {
    /// For every point.
    All(u32),
    /// By the value of an axis: `{ linked-cubic = 2 }`; it does not apply to other values.
    By(IndexMap<String, u32>),
}

/// A scenario and its axes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    /// The scenario file, relative to the study's folder. An axis may choose among several: `"{network.file}"`. Example:
    /// `scenario = "two-links.toml"`
    pub scenario: Spanned<String>,
    /// The name of a simulation in reports, with `{AXIS}` for an axis's value. Example: `title = "{cc}, {buffer}"`
    pub title: Option<Spanned<String>>,
    /// The algorithm of the multipath flows, or of a flow: `flow=algorithm`. Example: `cc = "{cc}"`
    pub cc: Option<Spanned<String>>,
    /// The backend: `sim`, the default, or another of `run --backend`. An option `--backend` and variants leave out runs with
    /// a backend of their own. Example: `backend = "noq"`
    pub backend: Option<Spanned<String>>,
    /// Values for keys of the scenario. `*` matches any characters in a link's or flow's name; `tcp.KEY` sets the key for every
    /// flow. Example: `set."links.*.aqm" = "codel"`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub set: IndexMap<String, Spanned<Value>>,
    /// The axes, by name. Example: `vary.cc = ["lia", "olia"]`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, axes::Axis>")]
    pub vary: IndexMap<String, Spanned<Value>>,
    /// Lists of axes that vary together, value by value; they must have equal length. All other axes are crossed. Example: `zip =
    /// [["rate", "delay"]]`
    pub zip: Option<Spanned<Vec<Vec<String>>>>,
    /// The points to run, if not all; rows, figures and `*` cover only these, and `at(…)` reads no others. Example: `only = [{ rate
    /// = 10, loss = ["none", "1e-4"] }, { rate = 100 }]`
    #[schemars(with = "Option<serde_json::Value>")]
    pub only: Option<Spanned<Value>>,
    /// The length of a run, with `{AXIS.FIELD}` for a value's. Example: `duration = "60 s"`
    pub duration: Option<Spanned<String>>,
    /// The time from which means are taken. Example: `warmup = "10 s"`
    pub warmup: Option<Spanned<String>>,
    /// A factor for the number of seeds, for short runs with large variance; or a table of factors by an axis's value. Example:
    /// `repeats = 4`
    pub repeats: Option<Spanned<Count>>,
    /// The largest number of seeds, for long runs that no row judges; or a table of these by an axis's value. Example: `at_most =
    /// { linked-cubic = 2 }`
    pub at_most: Option<Spanned<Count>>,
    /// Whether to keep samples over time even if no row or figure reads them. Example: `samples = true`
    #[serde(default)]
    pub samples: bool,
    /// Changes with `--quick`: lengths, or `only`. Example: `quick.duration = "6 s"`
    #[serde(default)]
    pub quick: Changes,
    /// The same with `--full`. Example: `full = { duration = "600 s" }`
    #[serde(default)]
    pub full: Changes,
}

/// A section of a study.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Experiment {
    /// The experiment's identifier, then those of its figures. `{AXIS}` in the first makes one experiment for each value, which
    /// its title, notes, rows and figures share. Example: `ids = ["B-T2", "B-F5"]`
    #[serde(deserialize_with = "some_ids")]
    pub ids: Vec<Spanned<String>>,
    /// Its subject. Example: `title = "Throughput against Reno"`
    pub title: String,
    /// The set-up and the choices, a sentence each. Example: `notes = ["The buffer is not given."]`
    #[serde(default)]
    pub notes: Vec<String>,
    /// Runs to make even if no row or figure reads them; axes in `ids` belong to these. Example: `runs = ["links"]`
    #[serde(default)]
    pub runs: Vec<Spanned<String>>,
    /// Sensitivity variants, in addition to the study's. Example: `variants = ["tick"]`
    #[serde(default)]
    pub variants: Vec<Spanned<String>>,
    /// Whether it departs from the paper's setting: its verdicts are then counted separately. Example: `beyond = true`
    #[serde(default)]
    pub beyond: bool,
    /// Whether it runs only with `--only ID`: true, a list of sizes, or a table of sizes with values of the axis in `ids`.
    /// Example: `on_request = { quick = [100, 1000], default = 1000 }`
    #[schemars(with = "Option<serde_json::Value>")]
    pub on_request: Option<Spanned<Value>>,
    /// The measured and judged values. Example: `[[experiments.rows]]`
    #[serde(default)]
    pub rows: Vec<Row>,
    /// The figures to draw. Example: `[[experiments.figures]]`
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Sentences with measured means. Example: `[[experiments.findings]]`
    #[serde(default)]
    pub findings: Vec<Finding>,
}

fn some_ids<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Spanned<String>>, D::Error> {
    some(from, "an experiment needs at least one identifier: ids = [\"…\"]")
}

fn some_rows<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Spanned<String>>, D::Error> {
    some(from, "a headline needs at least one row that judges it: judged = [\"…\"]")
}

/// A list with elements. It has an own error, so that the message has the list's position.
fn some<'de, D: Deserializer<'de>>(from: D, message: &str) -> Result<Vec<Spanned<String>>, D::Error> {
    let list = Vec::deserialize(from)?;
    if list.is_empty() { Err(D::Error::custom(message)) } else { Ok(list) }
}

/// A sentence with means over seeds, or one for each value of the axes that it names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    /// The sentence. `{NAME:.2}` is a mean with two decimals; `{AXIS}` makes one sentence for each value. Example: `text =
    /// "{cc.name} has {share:.2} fair shares"`
    pub text: Spanned<String>,
    /// An expression for each mean, by name. Example: `values = { share = 'share("mptcp")' }`
    #[serde(default)]
    pub values: IndexMap<String, Spanned<String>>,
    /// The runs to read; optional if the study has only one. Example: `runs = "links"`
    pub runs: Option<String>,
    /// Values of the axes that `text` does not name. Example: `at = { buffer = "1 BDP" }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// Whether to evaluate an expression once, with each function's mean over all seeds, instead of per seed: needed if the
    /// divisor can be 0 in a seed. Example: `pooled = true`
    #[serde(default)]
    pub pooled: bool,
}

/// The JSON Schema (draft 2020-12) of a study file, made from the types that read it.
pub fn json_schema() -> serde_json::Value {
    schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<File>()
        .to_value()
}
