//! Axes, and the points of their product.

use crate::format::significant;
use crate::parse::template::named;
use crate::parse::{OrAt, Problem, Spanned};
use anabranch_cc::registry;
use serde::Deserialize;
use std::collections::HashSet;
use toml::Value;

/// An axis's name and the subset of its values to use.
pub type AxisSubset = (String, Vec<String>);

/// An axis of a group of runs.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub name: String,
    /// The scenario's key that it sets, if any.
    pub key: Option<String>,
    pub values: Vec<AxisValue>,
    /// The values that the command line left out, by their identifiers.
    pub left_out: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AxisValue {
    /// The value in identifiers and for `--set`.
    pub id: String,
    /// For readers.
    pub label: String,
    /// Its number without the unit, if it has one.
    pub number: Option<f64>,
    /// Its other fields, if it is a table with an `id`.
    pub fields: toml::Table,
}

/// The text for `values` that means every algorithm.
const ALGORITHMS: &str = "all algorithms";

const MAX_VALUES: usize = 100_000;

impl Axis {
    /// Reads an axis, which may refer to the file's `shared` axes.
    pub fn read(name: &str, spec: &Spanned<Value>, shared: &[Axis]) -> Result<Self, Problem> {
        named(name, "an axis").or_at(spec.span())?;
        let described = match &**spec {
            Value::Array(values) => list(values).map(|values| (None, values)),
            Value::Table(table) if table.contains_key("axis") => some_of(name, table, shared),
            Value::Table(table) => of_table(name, table),
            Value::String(taken) => {
                shared_axis(taken, shared).map(|axis| (axis.key.clone(), axis.values.clone()))
            }
            _ => Err(Problem::new(
                "an axis must be a list of values, a table with `key` and `values` or `range`, or the name of one of [axes]",
            )),
        };
        let (key, mut values) = described.or_at(spec.span())?;
        let Some(unit) = values.first().map(|value| value.unit().to_owned()) else {
            return Err(spec.problem(format!("axis `{name}` has no values")));
        };
        let given = values.iter().all(|value| value.fields.contains_key("value"));
        if !given && values.iter().any(|value| value.unit() != unit) {
            // Numbers with different units, such as 500 kbit/s and 1 Mbit/s, are not comparable.
            values.iter_mut().for_each(|value| value.number = None);
        }
        // A key takes 1.0 BDP and 1 BDP as the same, but 6.1 and 6.10 may be texts.
        let plain = |value: &AxisValue| match number_and_unit(&value.id) {
            Some((number, unit)) if key.is_some() && value.fields.is_empty() && !unit.is_empty() => {
                format!("{number} {unit}")
            }
            _ => value.id.clone(),
        };
        let mut all: Vec<(String, &str)> = values.iter().map(|value| (plain(value), &*value.id)).collect();
        all.sort_unstable();
        if let Some(pair) = all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (one, same) = (pair[0].1, pair[1].1);
            let written = if one == same { String::new() } else { format!(", once as `{same}`") };
            return Err(spec.problem(format!("axis `{name}` has the value `{one}` twice{written}")).help(
                "remove one; steps of a range are rounded to four digits, so use fewer steps if two coincide",
            ));
        }
        Ok(Axis { name: name.into(), key, values, left_out: vec![] })
    }

    /// Its values that the command line asks for.
    fn asked<'o>(&'o self, of: &'o [AxisSubset]) -> impl Iterator<Item = &'o String> {
        of.iter().filter(move |(name, _)| *name == self.name).flat_map(|(_, values)| values)
    }

    /// Whether a value stays: every one if it asks for no value.
    fn keeps(&self, i: usize, of: &[AxisSubset]) -> bool {
        self.asked(of).next().is_none() || self.asked(of).any(|id| *id == self.values[i].id)
    }

    /// The index of a value.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.values.iter().position(|value| value.id == id)
    }

    /// The index of a value, or an error with suggestions.
    pub fn index(&self, value: &str) -> Result<usize, Problem> {
        let name = &self.name;
        self.find(value).ok_or_else(|| {
            if self.left_out.iter().any(|id| id == value) {
                let message =
                    format!("`--at` leaves out the value `{value}` of axis `{name}`, which this reads");
                return Problem::new(message).help(format!("add it: --at {name}={value},…"));
            }
            Problem::new(format!("axis `{name}` has no value `{value}`"))
                .suggest(value, self.values.iter().map(|value| value.id.as_str()))
        })
    }
}

/// A scenario's key and the values.
type KeyAndValues = (Option<String>, Vec<AxisValue>);

/// The index of the axis of that name, or the problem that there is none.
pub(crate) fn position(
    axes: &[Axis],
    name: &str,
    problem: impl FnOnce() -> String,
) -> Result<usize, Problem> {
    let known = axes.iter().map(|axis| axis.name.as_str());
    let found = axes.iter().position(|axis| axis.name == name);
    found.ok_or_else(|| Problem::new(problem()).suggest(name, known))
}

/// One of the file's axes.
fn shared_axis<'a>(name: &str, shared: &'a [Axis]) -> Result<&'a Axis, Problem> {
    position(shared, name, || format!("[axes] has no `{name}`")).map(|i| &shared[i])
}

/// `{ axis = "cc", values = ["lia"] }`: some values of one of the file's.
fn some_of(name: &str, table: &toml::Table, shared: &[Axis]) -> Result<KeyAndValues, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SomeOf {
        axis: String,
        values: Option<Vec<Value>>,
        key: Option<String>,
    }
    let SomeOf { axis, values, key } = Value::Table(table.clone()).try_into().map_err(|_| {
        Problem::new(format!("axis `{name}` may only have the keys `axis`, `values` and `key`"))
            .help("for example { axis = \"cc\", values = [\"lia\", \"olia\"] }")
    })?;
    let of = shared_axis(&axis, shared)?;
    let value = |id: &Value| of.index(&written(id)).map(|i| of.values[i].clone());
    let values = values.map_or_else(|| Ok(of.values.clone()), |ids| ids.iter().map(value).collect());
    Ok((key.or(of.key.clone()), values?))
}

fn of_table(name: &str, table: &toml::Table) -> Result<KeyAndValues, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Keys {
        key: Option<String>,
        values: Option<Value>,
        names: Option<Vec<Value>>,
        range: Option<String>,
        steps: Option<usize>,
        scale: Option<String>,
    }
    let keys = Value::Table(table.clone()).try_into::<Keys>();
    let keys = keys.map_err(|why| Problem::new(format!("axis `{name}`: {}", why.message())))?;
    let mut values = match (keys.values, keys.range) {
        (Some(Value::Array(values)), None) => list(&values)?,
        (Some(Value::String(all)), None) if all == ALGORITHMS => {
            registry::ALL.iter().map(|entry| AxisValue::plain(entry.name.to_owned())).collect()
        }
        (None, Some(range)) => {
            let steps = match keys.steps {
                Some(steps) if steps >= 2 => steps,
                Some(_) => return Err(Problem::new("`steps` must be a whole number of at least 2")),
                None => return Err(Problem::new("a range needs `steps`").help("for example steps = 12")),
            };
            let log = match keys.scale.as_deref() {
                None | Some("linear") => false,
                Some("log") => true,
                Some(other) => {
                    let problem = Problem::new(format!("`{other}` is not a scale"));
                    return Err(problem.help("the scales are: linear, log"));
                }
            };
            self::range(&range, steps, log)?
        }
        _ => {
            return Err(Problem::new(format!(
                "axis `{name}` needs either `values`, a list or \"{ALGORITHMS}\", or `range`, a text"
            ))
            .help("for example range = \"0.1..4 BDP\", steps = 12, scale = \"log\""));
        }
    };
    if let Some(names) = keys.names {
        Problem::new(format!("`names` of axis `{name}` must have one text for each value"))
            .unless(names.len() == values.len())?;
        for (value, name) in values.iter_mut().zip(&names) {
            value.label = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
        }
    }
    Ok((keys.key, values))
}

fn list(values: &[Value]) -> Result<Vec<AxisValue>, Problem> {
    Problem::new(format!("the axis has {} values, the limit is {MAX_VALUES}", values.len()))
        .unless(values.len() <= MAX_VALUES)?;
    values.iter().map(AxisValue::read).collect()
}

impl AxisValue {
    fn plain(id: String) -> Self {
        let number = id[..digits(&id)].parse().ok();
        AxisValue { label: id.clone(), id, number, fields: toml::Table::new() }
    }

    /// The unit after its number.
    pub fn unit(&self) -> &str {
        self.id[digits(&self.id)..].trim()
    }

    fn read(value: &Value) -> Result<Self, Problem> {
        if !is_finite(value) {
            let value = written(value);
            return Err(Problem::new(format!("the value `{value}` contains a number that is not finite")));
        }
        match value {
            Value::Table(table) if table.contains_key("id") => {
                let id = written(&table["id"]);
                let label = table.get("name").map_or_else(|| id.clone(), written);
                table.keys().try_for_each(|field| named(field, "a field"))?;
                let message = format!("`set` of the value `{id}` must be a table of keys and values");
                Problem::new(message)
                    .help("for example set = { \"links.*.queue\" = \"1 BDP\" }")
                    .unless(table.get("set").is_none_or(Value::is_table))?;
                let plain = AxisValue::plain(id);
                let number = table.get("value").map_or(Ok(plain.number), |value| {
                    number(value).map(Some).ok_or_else(|| {
                        Problem::new(format!("`value` of the value `{}` must be a number", plain.id))
                    })
                })?;
                Ok(AxisValue { label, fields: table.clone(), number, ..plain })
            }
            Value::Array(_) | Value::Datetime(_) => {
                Err(Problem::new("a value must be a text, a number or a table"))
            }
            other => Ok(AxisValue::plain(written(other))),
        }
    }

    /// The value of `{axis}` or `{axis.field}`.
    pub fn field(&self, field: Option<&str>) -> Option<String> {
        match field {
            None => Some(self.id.clone()),
            Some("name") => Some(self.label.clone()),
            Some(field) => self.fields.get(field).map(written),
        }
    }

    /// The scenario's keys in its table `set`.
    pub fn set(&self) -> Option<&toml::Table> {
        self.fields.get("set").and_then(Value::as_table)
    }

    /// A field that is a list of numbers.
    pub fn field_numbers(&self, field: &str) -> Option<Vec<f64>> {
        self.fields.get(field)?.as_array()?.iter().map(number).collect()
    }

    /// A field as a number.
    pub fn field_number(&self, field: Option<&str>) -> Option<f64> {
        match field {
            None => self.number,
            Some(field) => number(self.fields.get(field)?),
        }
    }
}

pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|n| n as f64))
}

/// A value's number and its unit, which is empty without one.
pub(crate) fn number_and_unit(id: &str) -> Option<(f64, &str)> {
    let (number, unit) = id.split_at(digits(id));
    Some((number.parse().ok()?, unit.trim()))
}

/// The length of a value's number, such as 1e-3, before its unit.
fn digits(id: &str) -> usize {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E');
    let most = id.find(|c: char| !is_part(c)).unwrap_or(id.len());
    let is_number = |end: &usize| id[..*end].parse::<f64>().is_ok_and(f64::is_finite);
    let digits = (1..=most).rev().find(is_number).unwrap_or(0);
    // 2/3 and 10.0.0.1 are not numbers with units.
    let is_unit = |c: char| c.is_whitespace() || c.is_alphabetic() || c == '%';
    if id[digits..].chars().next().is_none_or(is_unit) { digits } else { 0 }
}

/// Whether all its numbers are finite, as axes and JSON require.
fn is_finite(value: &Value) -> bool {
    match value {
        Value::Float(x) => x.is_finite(),
        Value::Array(list) => list.iter().all(is_finite),
        Value::Table(table) => table.values().all(is_finite),
        _ => true,
    }
}

/// A value as `--set` takes it: a text without its quotes, a table on one line.
pub(crate) fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(x) => format!("{x:?}"),
        Value::Array(values) => values.iter().map(written).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The same of each value of a list, or of a single value.
pub(crate) fn each_written(values: &Value) -> Vec<String> {
    values.as_array().map_or_else(|| vec![written(values)], |list| list.iter().map(written).collect())
}

/// A value as a scenario's key takes it: a list stays one.
pub(crate) fn assigned(value: &Value) -> String {
    match value {
        Value::Array(_) => value.to_string(),
        other => written(other),
    }
}

/// `0.1..4 BDP` in that many steps.
pub(crate) fn range(text: &str, steps: usize, log: bool) -> Result<Vec<AxisValue>, Problem> {
    let wrong = |why: &str| {
        Problem::new(format!("`{text}` is not a valid range: {why}")).help("for example 0.1..4 BDP")
    };
    let (from, rest) = text.split_once("..").ok_or_else(|| wrong("`..` is missing"))?;
    let rest = rest.trim();
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e');
    let (to, unit) = rest.split_at(rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()));
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let (from, to) = (number(from), number(to));
    let (from, to) = from.zip(to).ok_or_else(|| wrong("give a number on each side of `..`"))?;
    wrong("a logarithmic range must be above 0").unless(!log || from > 0.0 && to > 0.0)?;
    let is_wide = !(to - from).is_finite() || log && !(to / from).is_normal();
    wrong("the range is too wide").unless(!is_wide)?;
    wrong(&format!("more than {MAX_VALUES} steps")).unless(steps <= MAX_VALUES)?;
    let unit = unit.trim();
    let step = |i: usize| {
        let part = i as f64 / (steps - 1) as f64;
        let x = if log { from * (to / from).powf(part) } else { from + (to - from) * part };
        // People read the steps: four digits suffice.
        let x = significant(x, 4);
        AxisValue::plain(if unit.is_empty() { x.to_string() } else { format!("{x} {unit}") })
    };
    Ok((0..steps).map(step).collect())
}

/// For each axis the first axis in its `zip` list, or itself.
pub(crate) fn leaders(axes: &[Axis], together: &[Vec<String>]) -> Result<Vec<usize>, Problem> {
    let named_axis =
        |name: &String| position(axes, name, || format!("`zip` names `{name}`, which is not an axis"));
    let mut leader: Vec<usize> = (0..axes.len()).collect();
    let mut named = HashSet::new();
    for names in together {
        let group = names.iter().map(named_axis).collect::<Result<Vec<_>, _>>()?;
        Problem::new("a list in `zip` needs at least two axes")
            .help("for example zip = [[\"rate\", \"buffer\"]]")
            .unless(group.len() >= 2)?;
        for axis in &group {
            let (first, this) = (&axes[group[0]], &axes[*axis]);
            Problem::new(format!("`zip` names `{}` twice", this.name))
                .help("put all axes that vary together in one list")
                .unless(named.insert(*axis))?;
            let (of_first, of_this) = (first.values.len(), this.values.len());
            let message = format!(
                "`{}` has {of_first} values and `{}` has {of_this}: axes in one list of `zip` must have the same number of values",
                first.name, this.name
            );
            Problem::new(message).unless(of_first == of_this)?;
            leader[*axis] = group[0];
        }
    }
    Ok(leader)
}

/// The axes with their requested values. Axes of one leader vary together: all of them keep what each of them keeps.
pub(crate) fn parts(axes: &[Axis], leader: &[usize], of: &[AxisSubset]) -> Result<Vec<Axis>, Problem> {
    let part = |(axis, first): (&Axis, &usize)| {
        let together = || axes.iter().zip(leader).filter(|(_, other)| *other == first).map(|(axis, _)| axis);
        let stays = |i: &usize| together().all(|axis| axis.keeps(*i, of));
        let (kept, others): (Vec<usize>, Vec<usize>) = (0..axis.values.len()).partition(stays);
        if kept.is_empty() {
            let lacking = together().find(|axis| (0..axis.values.len()).all(|i| !axis.keeps(i, of)));
            let Some(axis) = lacking else {
                return Err(Problem::new(
                    "axes in one list of `zip` never have the requested values at once",
                ));
            };
            let message = format!("axis `{}` has none of the requested values", axis.name);
            let (asked, known) = (axis.asked(of).next(), axis.values.iter().map(|value| value.id.as_str()));
            return Err(Problem::new(message).suggest(asked.map_or("", String::as_str), known));
        }
        let values = kept.into_iter().map(|i| axis.values[i].clone()).collect();
        let left_out = others.into_iter().map(|i| axis.values[i].id.clone()).collect();
        Ok(Axis { values, left_out, ..axis.clone() })
    };
    axes.iter().zip(leader).map(part).collect()
}

/// Every point: an index of each axis's values. The last axis varies fastest; zipped axes vary as one.
pub(crate) fn points(axes: &[Axis], leader: &[usize]) -> Result<Vec<Vec<usize>>, Problem> {
    let mut points = vec![vec![0; axes.len()]];
    for axis in (0..axes.len()).filter(|axis| leader[*axis] == *axis) {
        let count = points.len().saturating_mul(axes[axis].values.len());
        if count > MAX_POINTS {
            let message =
                format!("the study has at least {count} simulations per seed, the limit is {MAX_POINTS}");
            return Err(Problem::new(message).help("vary fewer values, or split the study"));
        }
        let with = |point: &[usize], value| {
            let followers = point.iter().zip(leader);
            followers.map(|(i, leader)| if *leader == axis { value } else { *i }).collect()
        };
        let values = 0..axes[axis].values.len();
        points = points.iter().flat_map(|point| values.clone().map(|value| with(point, value))).collect();
    }
    Ok(points)
}

/// Larger studies are mistakes, or should be split.
pub(crate) const MAX_POINTS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(name: &str, toml: &str) -> Result<Axis, String> {
        #[derive(serde::Deserialize)]
        struct One {
            a: Spanned<Value>,
        }
        let one: One = toml::from_str(&format!("a = {toml}")).unwrap();
        Axis::read(name, &one.a, &[]).map_err(|problem| problem.message)
    }

    fn ids(axis: &Axis) -> Vec<&str> {
        axis.values.iter().map(|value| value.id.as_str()).collect()
    }

    /// By hand: ten times in two logarithmic steps is √10 each.
    #[test]
    fn ranges() {
        let log = axis("q", r#"{ key = "links.a.queue", range = "0.1..10 BDP", steps = 3, scale = "log" }"#)
            .unwrap();
        assert_eq!(ids(&log), ["0.1 BDP", "1 BDP", "10 BDP"]);
        assert_eq!(log.values[0].number, Some(0.1));
        let linear = axis("n", r#"{ range = "1..4", steps = 4 }"#).unwrap();
        assert_eq!(ids(&linear), ["1", "2", "3", "4"]);
        for (wrong, why) in [
            (r#"{ range = "1-4", steps = 4 }"#, "`..` is missing"),
            (r#"{ range = "0..4", steps = 4, scale = "log" }"#, "above 0"),
            (r#"{ range = "1..4" }"#, "needs `steps`"),
            (r#"{ range = "1..4", steps = 4, scale = "cubic" }"#, "not a scale"),
            (r#"{ value = [1] }"#, "unknown field `value`"),
            ("[]", "no values"),
            ("[1, 1]", "twice"),
            (r#"{ key = "k", values = ["1 BDP", "1.0BDP"] }"#, "the value `1 BDP` twice, once as `1.0BDP`"),
            ("[1.0, inf]", "a number that is not finite"),
            (r#"[{ id = "lia", value = nan }]"#, "a number that is not finite"),
            (r#"[{ id = "lia", losses = [0.1, -inf] }]"#, "a number that is not finite"),
            (r#"{ range = "-1e308..1e308", steps = 3 }"#, "too wide"),
            (r#"{ range = "1e-200..1e200", steps = 3, scale = "log" }"#, "too wide"),
            ("3", "an axis must be a list"),
        ] {
            let message = axis("a", wrong).unwrap_err();
            assert!(message.contains(why), "{wrong}: {message}");
        }
    }

    #[test]
    fn values_and_their_fields() {
        let cases =
            axis("case", r#"[{ id = "equal", name = "equal paths", loss = 1e-3 }, "lia", 3]"#).unwrap();
        assert_eq!(ids(&cases), ["equal", "lia", "3"]);
        assert_eq!(cases.values[0].field(Some("name")).unwrap(), "equal paths");
        assert_eq!(cases.values[0].field_number(Some("loss")), Some(1e-3));
        // Names beside a number.
        assert_eq!(cases.values[2].number, None);
        assert_eq!(axis("n", "[1, 3]").unwrap().values[1].number, Some(3.0));
        assert_eq!(axis("n", r#"["1e-3", "2e-4"]"#).unwrap().values[1].number, Some(2e-4));
        for (value, number, unit) in [
            ("1E7 bit/s", Some(1e7), "bit/s"),
            ("1.5e+3 bit/s", Some(1500.0), "bit/s"),
            ("-3", Some(-3.0), ""),
            ("5 %", Some(5.0), "%"),
            ("10ms", Some(10.0), "ms"),
            ("2 elephants", Some(2.0), "elephants"),
            ("3 e", Some(3.0), "e"),
            ("1e999", None, "1e999"),
            ("inf", None, "inf"),
            ("2/3", None, "2/3"),
            ("10.0.0.1", None, "10.0.0.1"),
            ("µ", None, "µ"),
        ] {
            let read = AxisValue::plain(value.into());
            assert_eq!((read.number, read.unit()), (number, unit), "{value}");
        }
        let given = axis("cc", r#"[{ name = "lia", pacing = true }]"#).unwrap();
        assert!(given.values[0].id.starts_with('{'), "{:?}", given.values[0].id);
        let named = axis("cc", r#"{ values = ["lia", "olia"], names = ["LIA", "OLIA"] }"#).unwrap();
        assert_eq!(named.values[1].label, "OLIA");
        let texts = axis("release", r#"{ key = "name", values = ["6.1", "6.10"] }"#).unwrap();
        assert_eq!(ids(&texts), ["6.1", "6.10"]);
    }

    #[test]
    fn crossed_and_together() {
        let all = axis("cc", r#"{ values = "all algorithms" }"#).unwrap();
        assert!(ids(&all).contains(&"lia") && all.values.len() == registry::ALL.len());
        let axes = [axis("a", "[1, 2]").unwrap(), axis("b", "[3, 4]").unwrap(), axis("c", "[5, 6]").unwrap()];
        let of = |zip: &[&[&str]]| {
            let zip = zip.iter().map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            leaders(&axes, &zip.collect::<Vec<_>>()).and_then(|leaders| points(&axes, &leaders))
        };
        let crossed = of(&[]).unwrap();
        assert_eq!((crossed.len(), &crossed[1]), (8, &vec![0, 0, 1]));
        assert_eq!(of(&[&["a", "c"]]).unwrap(), [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]]);
        for (wrong, why) in [
            (&[&["a", "x"][..]][..], "`zip` names `x`, which is not an axis"),
            (&[&["a"]], "at least two"),
            (&[&["a", "a"]], "`a` twice"),
            (&[&["a", "b"], &["b", "c"]], "`b` twice"),
        ] {
            let message = of(wrong).unwrap_err().message;
            assert!(message.contains(why), "{message}");
        }
    }
}
