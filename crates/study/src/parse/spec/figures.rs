//! The keys of figures and of their panels.

use super::rows::Names;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Spanned, Value};

/// A figure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    /// The identifier. `{AXIS}` makes a figure of each value. Example: `id = "F1"`
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// The caption. Example: `title = "Share by buffer"`
    pub title: String,
    /// How it is drawn: `lines`, `bars`, `boxes`, `heat` or `time`. Example: `kind = "lines"`
    pub kind: Kind,
    /// The runs that it reads, by name; several make a figure of each. The study's only ones if not given. Example: `runs = "links"`
    pub runs: Option<Names>,
    /// What is along the horizontal: an axis; a list of axes, with a place for each of their points; or a table of names with
    /// expressions, a place each. Not for `time`. Example: `x = "buffer"`
    #[schemars(with = "Option<serde_json::Value>")]
    pub x: Option<Spanned<Value>>,
    /// For `lines`: an expression whose mean is a point's place along the horizontal, where that is not the axis's number. Example:
    /// `x_of = 'cwnd("mptcp", 1)'`
    #[schemars(with = "Option<String>")]
    pub x_of: Option<Spanned<String>>,
    /// The axis of which each value is a series. Example: `by = "cc"`
    #[schemars(with = "Option<String>")]
    pub by: Option<Spanned<String>>,
    /// The axis of which each value is a panel. Example: `panel = "delay"`
    #[schemars(with = "Option<String>")]
    pub panel: Option<Spanned<String>>,
    /// The values of other axes, or which values it goes over. Example: `at = { buffer = "1 BDP" }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// The value that is drawn: an expression. Example: `of = "share"`
    #[schemars(with = "Option<String>")]
    pub of: Option<Spanned<String>>,
    /// In place of `of`: a series for each of several expressions. Example: `series = { LIA = 'cwnd("mptcp", 1)' }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub series: IndexMap<String, Spanned<String>>,
    /// Whether panels' titles begin with (a), (b), …. Example: `letters = true`
    #[serde(default)]
    pub letters: bool,
    /// Panels with keys of their own, in place of `panel`. Example: `panels = [{ title = "near", at = { delay = "10 ms" } }]`
    #[serde(default)]
    pub panels: Vec<Panel>,
    /// A condition on axes with numbers: only these places of `x` are drawn. Example: `where = "loss > 1e-3"`
    #[serde(rename = "where")]
    #[schemars(with = "Option<String>")]
    pub only: Option<Spanned<String>>,
    /// Bars of several runs, in place of `x`: series with tables of labels with expressions. Example: `bars.ours = { LIA = 'at(runs =
    /// links, goodput("mptcp"))' }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, std::collections::BTreeMap<String, String>>")]
    pub bars: IndexMap<String, IndexMap<String, Spanned<String>>>,
    /// Published series: values in the order of `x`, or tables of labels with numbers or, of `boxes`, with the ends of a range; of `time` a
    /// number that holds throughout. Where `panel` is an axis, the panel that it stands in. Example: `published.paper = [12.3, 16.6]`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub published: IndexMap<String, Spanned<Value>>,
    /// For `lines`: formulas over `x`, whose name is the place along it; drawn from its lowest value to its highest. Example:
    /// `curves."Eq. 6" = "1.22 / sqrt(loss)"`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub curves: IndexMap<String, Spanned<String>>,
    /// For `lines`: the title of the horizontal axis; the axis's name if not given. Example: `x_title = "buffer (BDP)"`
    #[schemars(with = "Option<String>")]
    pub x_title: Option<Spanned<String>>,
    /// The title of the vertical axis, with its unit. Example: `y_title = "goodput (Mbit/s)"`
    pub y_title: Option<String>,
    /// For `lines` and `time`: the limits of the horizontal axis. Example: `x_limits = [10.0, 25.0]`
    #[schemars(with = "Option<(f64, f64)>")]
    pub x_limits: Option<Spanned<(f64, f64)>>,
    /// Which axes are logarithmic: `x`, `y` or `xy`. Values that are not above 0 are left out. Example: `log = "xy"`
    #[schemars(with = "Option<String>")]
    pub log: Option<Spanned<String>>,
    /// Whether an expression is evaluated once, with each function's mean over all seeds, and not for each seed; points then have no
    /// interval. Example: `pooled = true`
    #[schemars(with = "Option<bool>")]
    pub pooled: Option<Spanned<bool>>,
    /// The limits of the vertical axis; of `heat`, the values of the worst and of the best colour. Example: `limits = [0.0, 2.0]`
    #[schemars(with = "Option<(f64, f64)>")]
    pub limits: Option<Spanned<(f64, f64)>>,
}

/// A panel of a figure. What it does not have it takes from the figure.
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
    /// What is along the horizontal: an axis; a list of axes, with a place for each of their points; or a table of names with
    /// expressions, a place each. Not for `time`. Example: `x = "buffer"`
    #[schemars(with = "Option<serde_json::Value>")]
    pub x: Option<Spanned<Value>>,
    /// The axis of which each value is a series. Example: `by = "cc"`
    #[schemars(with = "Option<String>")]
    pub by: Option<Spanned<String>>,
    /// The value that is drawn: an expression. Example: `of = "share"`
    #[schemars(with = "Option<String>")]
    pub of: Option<Spanned<String>>,
    /// In place of `of`: a series for each of several expressions. Example: `series = { LIA = 'cwnd("mptcp", 1)' }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub series: IndexMap<String, Spanned<String>>,
    /// The limits of the vertical axis; of `heat`, the values of the worst and of the best colour. Example: `limits = [0.0, 2.0]`
    #[schemars(with = "Option<(f64, f64)>")]
    pub limits: Option<Spanned<(f64, f64)>>,
    /// For `time`: published values that hold throughout, such as means. Example: `published = { LIA = 849 }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub published: IndexMap<String, Spanned<Value>>,
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
