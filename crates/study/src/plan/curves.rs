//! Lines of a figure without runs: published values, and formulas of the horizontal axis.

use crate::parse::{Problem, Spanned};
use crate::resolve::axes::{Axis, number};
use crate::resolve::selection::Selection;
use crate::result::Point;
use toml::Value;

/// Published values: a list along these points, or a table of labels with numbers.
pub(crate) fn published(
    values: &Spanned<Value>,
    along: impl FnOnce() -> Result<Vec<Point>, Problem>,
) -> Result<Vec<Point>, Problem> {
    let wrong = |message: String| values.problem(message);
    let number = |value: &Value| finite(value, values);
    match &**values {
        Value::Table(table) => {
            let bars = |(label, y): (&String, &Value)| match y {
                Value::Array(range) => range.iter().map(|y| Ok(Point::bar(label, number(y)?))).collect(),
                y => Ok(vec![Point::bar(label, number(y)?)]),
            };
            let bars = table.iter().map(bars).collect::<Result<Vec<Vec<Point>>, Problem>>()?;
            Ok(bars.into_iter().flatten().collect())
        }
        Value::Array(list) => {
            let along = along()?;
            if along.len() != list.len() {
                let message =
                    format!("{} published values for {} values of the axis", list.len(), along.len());
                return Err(wrong(message));
            }
            along.into_iter().zip(list).map(|(at, y)| Ok(Point { y: number(y)?, ..at })).collect()
        }
        _ => {
            Err(wrong("published values must be a list along `x`, or a table of labels with numbers".into()))
        }
    }
}

/// A published number.
pub(crate) fn finite(value: &Value, all: &Spanned<Value>) -> Result<f64, Problem> {
    let finite = number(value).filter(|y| y.is_finite());
    finite.ok_or_else(|| all.problem(format!("`{value}` is not a published value")))
}

/// Points of a linear axis.
const STEPS: usize = 60;
/// Points of a decade of a logarithmic one.
const OF_DECADE: f64 = 10.0;

/// A formula of the axis, from its lowest to its highest value.
pub(crate) fn curve(
    axis: &Axis,
    of: &Spanned<String>,
    here: &Selection<'_>,
    log: bool,
) -> Result<Vec<Point>, Problem> {
    let compiled = here.compile(of, &[axis.name.as_str()])?;
    of.problem("a curve must be a formula of the axis and cannot read a run")
        .unless(compiled.runs.is_empty())?;
    let y = |x: f64| {
        let y = compiled.code.value(&[], &[x]).map(|y| y.is_finite().then(|| Point::at(x, y)));
        let y = y.and_then(|point| point.ok_or_else(|| "the value is not a finite number".to_owned()));
        y.map_err(|why| of.problem(format!("{why}, at {x}")))
    };
    let numbers: Vec<f64> = axis.values.iter().filter_map(|value| value.number).collect();
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if numbers.is_empty() || (log && low <= 0.0) {
        let message = format!("a curve needs an axis of numbers, and axis `{}` has other values", axis.name);
        return Err(of.problem(message));
    }
    if !log {
        let step = (high - low) / STEPS as f64;
        return (0..=STEPS).map(|i| y(low + i as f64 * step)).collect();
    }
    let (low, high) = (low.log10(), high.log10());
    let steps = ((high - low) * OF_DECADE).ceil() as usize;
    (0..=steps).map(|i| y(10f64.powf((low + i as f64 / OF_DECADE).min(high)))).collect()
}
