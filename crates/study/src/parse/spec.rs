//! The keys of a study file. The book's tables are made of these comments; what follows "Example:" is their last column.

mod axes;
mod figures;
mod rows;

pub(crate) use figures::{Figure, Kind, Panel};
pub(crate) use rows::{Names, Row};

use crate::result;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::{Spanned, Value};

/// A study: scenarios, what is varied in them, and what is read from the runs.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// What the study is about. Example: `title = "Buffers and delays"`
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
    /// The claim that a report begins with, and the rows that answer it. Before the file's first table. Example: `headline.claim = "LIA
    /// does no harm"`
    pub headline: Option<Headline>,
    /// Texts that stand in several places: `{texts.NAME}` in notes, titles, rows and explanations is replaced by the text. Example:
    /// `texts.ours = "Not judged."`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub texts: IndexMap<String, Spanned<String>>,
    /// Seeds and lengths of the sizes `quick`, `default` and `full`. Example: `size.quick = { seeds = 2 }`
    #[serde(default)]
    pub size: Sizes,
    /// Other assumptions under which every experiment is run again; a report shows their results in columns beside the first ones.
    /// Example: `columns = ["v0", "tick"]`
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub columns: Vec<Spanned<String>>,
    /// Axes that several runs vary, and lists that rows and figures go over. Example: `axes.part = ["mptcp", "tcp"]`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, axes::Axis>")]
    pub axes: IndexMap<String, Spanned<Value>>,
    /// What to run, by name: a scenario with its axes. Example: `[runs.links]`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, Group>")]
    pub runs: IndexMap<String, Group>,
    /// Names for expressions, which other expressions may use. Example: `quantities.taken = 'goodput("mptcp")'`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub quantities: IndexMap<String, Spanned<String>>,
    /// What is measured and judged. Example: `[[rows]]`
    #[serde(default)]
    pub rows: Vec<Row>,
    /// What is drawn. Example: `[[figures]]`
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Sentences with measured means. Example: `[[findings]]`
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Parts of a long study, each with rows and figures of its own. Example: `[[experiments]]`
    #[serde(default)]
    pub experiments: Vec<Experiment>,
}

/// What a study claims above all.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Headline {
    /// The claim, in a sentence. Example: `claim = "LIA takes no more than a single-path flow"`
    pub claim: String,
    /// The rows that judge it: it holds where all of them reproduce. Example: `judged = ["links.order"]`
    #[schemars(with = "Vec<String>")]
    pub judged: Vec<Spanned<String>>,
    /// Rows of one unit whose values are shown, by name. Example: `values = { LIA = "links.lia", Reno = "links.reno" }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
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
    /// Under `size` alone: the number of seeds, each of which is a run of every simulation. Example: `seeds = 4`
    #[schemars(with = "Option<u32>")]
    pub seeds: Option<Spanned<u32>>,
    /// The length of a run; the scenario's if not given. Example: `duration = "20 s"`
    #[schemars(with = "Option<String>")]
    pub duration: Option<Spanned<String>>,
    /// When means begin; what happens before counts for nothing. Example: `warmup = "5 s"`
    #[schemars(with = "Option<String>")]
    pub warmup: Option<Spanned<String>>,
    /// A factor for the lengths, as runs or scenario have them, that this size does not give. Example: `scale = 0.1`
    #[schemars(with = "Option<f64>")]
    pub scale: Option<Spanned<f64>>,
    /// Under `runs` alone: the points that this size runs, in place of the runs' own `only`. Example: `full.only = "all"`
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
    /// The scenario's file, beside the study's. An axis may have several: `"{network.file}"`. Example: `scenario = "two-links.toml"`
    #[schemars(with = "String")]
    pub scenario: Spanned<String>,
    /// The name of a simulation in reports, with `{AXIS}` for an axis's value. Example: `title = "{cc}, {buffer}"`
    pub title: Option<String>,
    /// The algorithm of the multipath flows, or of a flow: `flow=algorithm`. Example: `cc = "{cc}"`
    pub cc: Option<String>,
    /// Keys of the scenario with values. `*` stands for any part of a link's or flow's name, and `tcp.KEY` for that key of every flow.
    /// Example: `set."links.*.aqm" = "codel"`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub set: IndexMap<String, Spanned<Value>>,
    /// The axes, by name. Example: `vary.cc = ["lia", "olia"]`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, axes::Axis>")]
    pub vary: IndexMap<String, Spanned<Value>>,
    /// Lists of axes of equal length whose values go together in step; other axes are crossed. Example: `zip = [["rate", "delay"]]`
    #[schemars(with = "Option<Vec<Vec<String>>>")]
    pub zip: Option<Spanned<Vec<Vec<String>>>>,
    /// The points that are run, where that is not all of them; rows, figures and `*` go over these. Example: `only = [{ rate = 10, loss
    /// = ["none", "1e-4"] }, { rate = 100 }]`
    #[schemars(with = "Option<serde_json::Value>")]
    pub only: Option<Spanned<Value>>,
    /// The length of a run, with `{AXIS.FIELD}` for a value's. Example: `duration = "60 s"`
    #[schemars(with = "Option<String>")]
    pub duration: Option<Spanned<String>>,
    /// When means begin. Example: `warmup = "10 s"`
    #[schemars(with = "Option<String>")]
    pub warmup: Option<Spanned<String>>,
    /// A factor for the number of seeds, where runs are short and differ much; or a table of factors by an axis's value. Example:
    /// `repeats = 4`
    #[schemars(with = "Option<Count>")]
    pub repeats: Option<Spanned<Count>>,
    /// The largest number of seeds, where runs are long and no row judges them; or a table of such by an axis's value. Example:
    /// `at_most = { linked-cubic = 2 }`
    #[schemars(with = "Option<Count>")]
    pub at_most: Option<Spanned<Count>>,
    /// Whether samples over time are kept though no row or figure reads them. Example: `samples = true`
    #[serde(default)]
    pub samples: bool,
    /// What is different with `--quick`: lengths, or `only`. Example: `quick.duration = "6 s"`
    #[serde(default)]
    pub quick: Changes,
    /// The same with `--full`. Example: `full = { duration = "600 s" }`
    #[serde(default)]
    pub full: Changes,
}

/// A part of a study.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Experiment {
    /// Its identifiers, of which the first is its own and the others those of its figures. `{AXIS}` in the first makes an experiment of
    /// each value; its title, notes, rows and figures then have that value. Example: `ids = ["B-T2", "B-F5"]`
    #[serde(deserialize_with = "some_ids")]
    #[schemars(with = "Vec<String>")]
    pub ids: Vec<Spanned<String>>,
    /// What it shows. Example: `title = "Throughput against Reno"`
    pub title: String,
    /// The set-up and the choices, a sentence each. Example: `notes = ["The buffer is not given."]`
    #[serde(default)]
    pub notes: Vec<String>,
    /// Runs that are made though no row or figure reads them; an axis in `ids` is one of theirs. Example: `runs = ["links"]`
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub runs: Vec<Spanned<String>>,
    /// Other assumptions, beside the study's. Example: `columns = ["tick"]`
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub columns: Vec<Spanned<String>>,
    /// Whether it leaves the paper's setting: its verdicts are then not counted as the paper's. Example: `beyond = true`
    #[serde(default)]
    pub beyond: bool,
    /// Whether it is run only with `--only ID`: true, a list of sizes, or a table of sizes with values of the axis in `ids`. Example:
    /// `on_request = { quick = [100, 1000], default = 1000 }`
    #[schemars(with = "Option<serde_json::Value>")]
    pub on_request: Option<Spanned<Value>>,
    /// What is measured and judged. Example: `[[experiments.rows]]`
    #[serde(default)]
    pub rows: Vec<Row>,
    /// What is drawn. Example: `[[experiments.figures]]`
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Sentences with measured means. Example: `[[experiments.findings]]`
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// The message has the list's place so.
fn some_ids<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Spanned<String>>, D::Error> {
    let ids = Vec::deserialize(from)?;
    match ids.is_empty() {
        true => Err(D::Error::custom("an experiment needs at least one identifier: ids = [\"…\"]")),
        false => Ok(ids),
    }
}

/// A sentence with means over seeds, or one for each value of the axes that it names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    /// The sentence. `{NAME:.2}` is a mean with two digits after the point; `{AXIS}` makes a sentence of each value. Example: `text =
    /// "{cc.name} has {share:.2} fair shares"`
    #[schemars(with = "String")]
    pub text: Spanned<String>,
    /// The means, by name, an expression each. Example: `values = { share = 'share("mptcp")' }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub values: IndexMap<String, Spanned<String>>,
    /// The runs that it reads; the study's only ones if not given. Example: `runs = "links"`
    pub runs: Option<String>,
    /// The values of axes that it does not name. Example: `at = { buffer = "1 BDP" }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// Whether an expression is evaluated once, with each function's mean over all seeds, and not for each seed. Some ratios exist only
    /// so: a seed in which the divisor is 0 has none. Example: `pooled = true`
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
