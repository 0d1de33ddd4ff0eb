//! The keys of rows and of their explanations.

use crate::parse::Spanned;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Value;

/// A value to measure and judge, or one for each value of the axes that its identifier names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// The identifier. `{AXIS}`, an axis of its runs or of the file, makes one row for each value. Example: `id = "T1.{cc}"`
    #[serde(default = "no_id")]
    pub id: Spanned<String>,
    /// The measured quantity, for readers. Example: `what = "{cc.name}: goodput"`
    pub what: Option<String>,
    /// The unit of the value. Example: `unit = "Mbit/s"`
    pub unit: Option<String>,
    /// The runs to read, by name; a list makes one row for each. Optional if the study has only one. Example: `runs = "links"`
    pub runs: Option<Names>,
    /// Values of axes. An axis that `id` does not name needs one value. Of an axis that `id` names, a list or a field (`{ kind =
    /// "coupled" }`) selects values. Example: `at = { cc = ["lia", "olia"], buffer = "1 BDP" }`
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub at: IndexMap<String, Spanned<Value>>,
    /// A condition on axes with numbers: makes only the rows that meet it. Example: `where = "loss > 1e-3"`
    #[serde(rename = "where")]
    pub only: Option<Spanned<String>>,
    /// The measured value: an expression over a run. Example: `of = 'goodput("mptcp")'`
    pub of: Option<Spanned<String>>,
    /// Instead of `of`: a computed value, which reads no run. Example: `formula = "1.22 / sqrt(loss)"`
    pub formula: Option<Spanned<String>>,
    /// Instead of `of`: expressions that are claimed to ascend, as a list or by name; or a single expression with `over`.
    /// Example: `ascending = { LIA = "at(cc = lia, share)", Reno = "at(cc = reno, share)" }`
    #[schemars(with = "Option<serde_json::Value>")]
    pub ascending: Option<Spanned<Value>>,
    /// As `ascending`, but only the last is claimed to exceed each of the others. Example: `highest = "share"`
    #[schemars(with = "Option<serde_json::Value>")]
    pub highest: Option<Spanned<Value>>,
    /// For a single expression in `ascending` or `highest`: an axis with its values in the claimed order. Example: `over = { cc =
    /// ["lia", "olia", "{cc}"] }`
    #[schemars(with = "Option<std::collections::BTreeMap<String, serde_json::Value>>")]
    pub over: Option<Spanned<IndexMap<String, Spanned<Value>>>>,
    /// The published value: a number, a list (its mean counts), an expression, or a table of these by an axis's value. Example:
    /// `published = { lia = 12.3, reno = 16.6 }`
    #[schemars(with = "Option<serde_json::Value>")]
    pub published: Option<Spanned<Value>>,
    /// The derivation of the published value, if it is not printed itself. Example: `from = "mean of four runs"`
    pub from: Option<String>,
    /// Instead of `published`: a published statement, judged by `rule`; or a table of these by an axis's value. Example: `claim =
    /// "an equal share"`
    #[schemars(with = "Option<serde_json::Value>")]
    pub claim: Option<Spanned<Value>>,
    /// The rule that judges the row: `near NUMBER`, `at least NUMBER`, `at most NUMBER`, `within FROM..TO`, `printed` or `none`. Example: `rule = "at least 1"`
    pub rule: Option<Spanned<String>>,
    /// The reason for a difference, shown if the row is not reproduced; or a table of texts by an axis's value. Use it for
    /// reasons that do not depend on the measurement, such as a different set-up. `[[v0: …]]` in a reason is shown only if the
    /// sensitivity variant `v0` was run. Example: `because = "The buffer is not given."`
    #[schemars(with = "Option<serde_json::Value>")]
    pub because: Option<Spanned<Value>>,
    /// Reasons for a difference, each with a condition on the measurement. Example: `explain = [{ when = "measured < 1", text =
    /// "…" }]`
    #[serde(default)]
    pub explain: Vec<Explanation>,
    /// Other interpretations that the paper's text allows, written as in `rows`: `what` names each and makes one for each value
    /// of its axes, and `at` may change values. The verdict considers all. Example: `interpretations = [{ what =
    /// "{place.name}", runs = "lossy" }]`
    #[serde(default)]
    pub interpretations: Vec<Row>,
    /// Inner rows, which inherit this row's keys and are repeated for each value of its axes. Their `id` and `what` are appended
    /// to its own; an inner row without `id` is this row in another case. Example: `rows = [{ at = { cc = "lia" }, published =
    /// 0.75 }, { at = { cc = "olia" } }]`
    #[serde(default)]
    pub rows: Vec<Row>,
}

impl Row {
    /// The number of keys with an expression to read: 1, or 0 if its `rows` have it.
    pub fn reads(&self) -> usize {
        let texts = [&self.of, &self.formula].into_iter().flatten().count();
        texts + [&self.ascending, &self.highest].into_iter().flatten().count()
    }

    /// Whether it says itself what is expected.
    pub fn is_judged(&self) -> bool {
        self.published.is_some() || self.claim.is_some() || self.compares()
    }

    /// Whether one of its `rows` does.
    pub fn holds_verdict(&self) -> bool {
        self.rows.iter().any(|row| row.is_judged() || row.holds_verdict())
    }

    pub fn compares(&self) -> bool {
        self.ascending.is_some() || self.highest.is_some()
    }

    /// One of its `rows` with the inherited keys. The axes already have values.
    pub fn inner(&self, row: &Row) -> Row {
        let joined = |outer: &Option<String>, inner: &Option<String>| match (outer, inner) {
            (Some(outer), Some(inner)) => Some(format!("{outer}: {inner}")),
            (outer, inner) => inner.clone().or_else(|| outer.clone()),
        };
        let mut inner = row.clone();
        inner.id = match row.id.as_str() {
            "" if row.id.span().is_empty() => self.id.clone(),
            // Written, but empty: its own place.
            "" => Spanned::new(row.id.span(), self.id.to_string()),
            own => Spanned::new(row.id.span(), format!("{}.{own}", *self.id)),
        };
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
        if row.interpretations.is_empty() {
            inner.interpretations.clone_from(&self.interpretations);
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

/// The identifier of an inner row that appends nothing.
fn no_id() -> Spanned<String> {
    Spanned::new(0..0, String::new())
}

/// An explanation with the condition under which it is true.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Explanation {
    /// The condition, on `measured`, the ends of its interval `low` and `high`, `published`, and numbers of axes. Example: `when =
    /// "measured < published"`
    pub when: Spanned<String>,
    /// The explanation. Example: `text = "Headers are not counted."`
    pub text: String,
    /// The row or the runs that show it. Example: `by = "row T1.headers"`
    pub by: Option<String>,
}
