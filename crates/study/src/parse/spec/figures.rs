//! The keys of figures and of their panels.

use super::rows::Names;
use crate::parse::Spanned;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Value;

/// A figure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    /// The identifier. `{AXIS}` makes one figure for each value. Example: `id = "F1"`
    pub id: Spanned<String>,
    /// The caption. Example: `title = "Share by buffer"`
    pub title: String,
    /// The kind of chart: `lines`, `bars`, `boxes`, `heat` or `time`. Example: `kind = "lines"`
    pub kind: Kind,
    /// The runs to read, by name; a list makes one figure for each. Optional if the study has only one. Example: `runs = "links"`
    pub runs: Option<Names>,
    /// The horizontal axis: an axis; a list of axes, with a position for each of their points; or a table of names with
    /// expressions, with a position for each. Not for `time`. Example: `x = "buffer"`
    #[schemars(with = "Option<serde_json::Value>")]
    pub x: Option<Spanned<Value>>,
    /// For `lines`: an expression for a point's horizontal position, instead of the axis's number. Example: `x_of =
    /// 'cwnd("mptcp", 1)'`
    pub x_of: Option<Spanned<String>>,
    /// The axis with one series for each value. Example: `by = "cc"`
    pub by: Option<Spanned<String>>,
    /// The axis with one panel for each value; a panel's title is the value's name, with the axis before a number. Example: `panel = "delay"`
    pub panel: Option<Spanned<String>>,
    /// The values of other axes, or the values to show. Example: `at = { buffer = "1 BDP" }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// The expression to draw. Example: `of = "share"`
    pub of: Option<Spanned<String>>,
    /// Instead of `of`: one series for each of several expressions. Example: `series = { LIA = 'cwnd("mptcp", 1)' }`
    #[serde(default)]
    pub series: IndexMap<String, Spanned<String>>,
    /// Whether panels' titles begin with (a), (b), …. Example: `letters = true`
    #[serde(default)]
    pub letters: bool,
    /// Panels with their own keys, instead of `panel`. Example: `panels = [{ title = "near", at = { delay = "10 ms" } }]`
    #[serde(default)]
    pub panels: Vec<Panel>,
    /// A condition on axes with numbers: draws only the points of `x` that meet it. Example: `where = "loss > 1e-3"`
    #[serde(rename = "where")]
    pub only: Option<Spanned<String>>,
    /// Bars of several runs, instead of `x`: for each series a table of labels with expressions. Example: `bars.ours = { LIA =
    /// 'at(runs = links, goodput("mptcp"))' }`
    #[serde(default)]
    pub bars: IndexMap<String, IndexMap<String, Spanned<String>>>,
    /// Published series: values in the order of `x`, or tables of labels with numbers (for `boxes`, with the ends of a range);
    /// for `time` one constant number. If `panel` is an axis, the names are those of the panels. Example: `published.paper = [12.3, 16.6]`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub published: IndexMap<String, Spanned<Value>>,
    /// For `lines`: formulas of the axis `x`, drawn from its lowest to its highest value. Example: `curves."Eq. 6" = "1.22 /
    /// sqrt(loss)"`
    #[serde(default)]
    pub curves: IndexMap<String, Spanned<String>>,
    /// For `lines`: the title of the horizontal axis; by default `x_of`, or the axis's name and the unit of its values. Example: `x_title = "buffer (BDP)"`
    pub x_title: Option<Spanned<String>>,
    /// The title of the vertical axis, with its unit. Example: `y_title = "goodput (Mbit/s)"`
    pub y_title: Option<String>,
    /// For `lines` and `time`: values that the horizontal axis includes; it is longer if the points need it. Example: `x_limits = [10.0, 25.0]`
    pub x_limits: Option<Spanned<(f64, f64)>>,
    /// The logarithmic axes: `x`, `y` or `xy`. Values of 0 or less are left out. Without `log` and `x_limits`, the horizontal axis of
    /// `lines` is logarithmic if its values span more than two decades. Example: `log = "xy"`
    pub log: Option<Spanned<String>>,
    /// Whether to evaluate an expression once, with each function's mean over all seeds, instead of per seed; points then have no
    /// interval. Example: `pooled = true`
    pub pooled: Option<Spanned<bool>>,
    /// Values that the vertical axis includes; it is longer if the points need it. For `heat`, the values of the worst and the best colour, above 0. Example: `limits = [0.0, 2.0]`
    pub limits: Option<Spanned<(f64, f64)>>,
}

/// A panel of a figure. Missing keys come from the figure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Panel {
    /// The panel's title. Example: `title = "Scenario 1"`
    pub title: String,
    /// The title of the vertical axis, with its unit. Example: `y_title = "goodput (Mbit/s)"`
    pub y_title: Option<String>,
    /// The values of axes in this panel. Example: `at = { network = "S1" }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// The horizontal axis: an axis; a list of axes, with a position for each of their points; or a table of names with
    /// expressions, with a position for each. Not for `time`. Example: `x = "buffer"`
    #[schemars(with = "Option<serde_json::Value>")]
    pub x: Option<Spanned<Value>>,
    /// The axis with one series for each value. Example: `by = "cc"`
    pub by: Option<Spanned<String>>,
    /// The expression to draw. Example: `of = "share"`
    pub of: Option<Spanned<String>>,
    /// Instead of `of`: one series for each of several expressions. Example: `series = { LIA = 'cwnd("mptcp", 1)' }`
    #[serde(default)]
    pub series: IndexMap<String, Spanned<String>>,
    /// Values that the vertical axis includes; it is longer if the points need it. For `heat`, the values of the worst and the best colour, above 0. Example: `limits = [0.0, 2.0]`
    pub limits: Option<Spanned<(f64, f64)>>,
    /// For `time`: published constants, such as means. Example: `published = { LIA = 849 }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub published: IndexMap<String, Spanned<Value>>,
}

impl Figure {
    /// Whether an axis is logarithmic, `x` or `y`.
    pub fn is_log(&self, axis: char) -> bool {
        self.log.as_ref().is_some_and(|log| log.contains(axis))
    }

    /// Whether expressions use the means over all seeds.
    pub fn is_pooled(&self) -> bool {
        self.pooled.as_ref().is_some_and(|pooled| **pooled)
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
