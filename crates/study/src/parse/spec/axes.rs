//! The keys of axes, for the schema. `resolve/axes.rs` reads them, with a message of its own for each mistake.
#![expect(dead_code, reason = "only the schema is made from these")]

use schemars::JsonSchema;
use std::collections::BTreeMap;

/// An axis: a list of its values, a table that describes it, or the name of one of the file's `axes`.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum Axis {
    /// Its values.
    Values(Vec<AxisValue>),
    /// A description.
    Table(AxisTable),
    /// One of the file's.
    Named(String),
}

/// An axis that is more than a list of values.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisTable {
    /// The scenario's key that the axis sets. Without a key, use `{AXIS}` in `cc`, `set` or `scenario`. Example: `key =
    /// "links.*.queue"`
    key: Option<String>,
    /// The values, or `"all algorithms"` for every algorithm of the registry. Example: `values = ["10 ms", "40 ms"]`
    values: Option<Values>,
    /// The values' names for readers, in the same order. Example: `names = ["near", "far"]`
    names: Option<Vec<AxisValue>>,
    /// Instead of `values`: the first and the last value, with their unit. Example: `range = "0.5..2 BDP"`
    range: Option<String>,
    /// The number of values of a range, both ends included; each is rounded to four digits. Example: `steps = 12`
    steps: Option<u32>,
    /// Whether the steps of a range are equal differences, `"linear"`, or equal ratios, `"log"`. Example: `scale = "log"`
    scale: Option<String>,
    /// One of the file's `axes`, of which `values` selects some. Example: `axis = "cc"`
    axis: Option<String>,
}

/// The values of an axis.
#[derive(JsonSchema)]
#[serde(untagged)]
enum Values {
    /// Each of them.
    List(Vec<AxisValue>),
    /// "all algorithms"
    All(String),
}

/// A value of an axis.
#[derive(JsonSchema)]
#[serde(untagged)]
pub(crate) enum AxisValue {
    /// A text, as `--set` takes it.
    Text(String),
    /// A number.
    Number(f64),
    /// A value with fields.
    Table(AxisFields),
    /// Yes or no.
    Switch(bool),
}

/// A value of an axis with fields.
#[derive(JsonSchema)]
pub(crate) struct AxisFields {
    /// The value in identifiers, tables and on the command line; it replaces `{AXIS}`. Example: `id = "lossy"`
    id: String,
    /// The value's name for readers: `{AXIS.name}`. Example: `name = "1 % loss"`
    name: Option<String>,
    /// Keys of the scenario that this value sets. Example: `set = { "links.long.delay" = "80 ms" }`
    set: Option<BTreeMap<String, serde_json::Value>>,
    /// The value's number in figures and expressions, if `id` is not a number. Example: `value = 0.01`
    value: Option<f64>,
    /// Fields of your own: `{AXIS.KEY}` in texts, `AXIS.KEY` in expressions.
    #[serde(flatten)]
    own: BTreeMap<String, serde_json::Value>,
}
