//! Distributions in files: one line per point of the cumulative distribution function, `size,CDF`.

use crate::diagnostic::{Place, Problems};
use crate::model::CdfPoint;
use crate::quantity::Quantity;
use crate::suggest::suggest;
use crate::trace::lines;

/// The column of values.
pub(crate) struct Column {
    pub name: &'static str,
    pub quantity: &'static Quantity,
    /// The unit of plain numbers without a header, if they may omit it.
    pub plain: Option<&'static str>,
    /// Factor from the quantity's base unit to the model's unit.
    pub factor: f64,
    /// The largest value, in the model's unit.
    pub most: f64,
}

/// How far from 1 the last point may be, for sums of rounded fractions.
const ROUNDING: f64 = 1e-9;

/// Reads a distribution of at least two points, in order.
pub(crate) fn read(whole: &Place, column: &Column, problems: &mut Problems) -> Option<Vec<CdfPoint>> {
    let help = format!("one line per point, `{},CDF`, for example `1000,0.5` and `5000,1`", column.name);
    let mut lines = lines(whole).peekable();
    let Some((first_place, first)) = lines.peek().cloned() else {
        return problems.refuse(whole, "the distribution is empty", "nothing in it", help);
    };
    let mut unit = column.plain.unwrap_or_default();
    if !first.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        unit = header(first, &first_place, column, problems)?.unwrap_or(unit);
        lines.next();
    }
    let mut points: Vec<CdfPoint> = Vec::new();
    let mut last_place = first_place;
    for (place, line) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [value_cell, cdf_cell] = cells[..] else {
            return problems.refuse(&place, "this line is not a point of the CDF", "not two values", help);
        };
        let [value_place, cdf_place] = [value_cell, cdf_cell].map(|cell| place.locate(cell));
        let value = value(value_cell, &value_place, unit, column, problems)?;
        let cdf = share(cdf_cell, &cdf_place, problems)?;
        if let Some(before) = points.last() {
            if value < before.value {
                let message = format!("`{value_cell}` is less than the {} before", column.name);
                let help = "sort the lines; the CDF grows with them";
                return problems.refuse(&value_place, message, "out of order", help);
            }
            if cdf < before.cdf {
                let message = format!("the CDF falls from {} to {cdf}", before.cdf);
                let help = "each line gives the fraction of values up to and including its own";
                return problems.refuse(&cdf_place, message, "must not be less than before", help);
            }
        }
        points.push(CdfPoint { value, cdf });
        last_place = place;
    }
    match &mut points[..] {
        [] | [_] => {
            let points = if points.is_empty() { "no points" } else { "one point" };
            let message = format!("the distribution has {points}");
            let help = format!("{help}; for a constant, write the {} itself", column.name);
            problems.refuse(&last_place, message, "needs two points or more", help)
        }
        [.., last] if (last.cdf - 1.0).abs() > ROUNDING => {
            let message = format!("the CDF ends at {}", last.cdf);
            let help = "the last line has the greatest value, so its CDF is 1";
            problems.refuse(&last_place, message, "must end at 1", help)
        }
        [.., last] if last.value <= 0.0 => {
            problems.refuse(&last_place, format!("every {} is 0", column.name), "must be positive", help)
        }
        [.., last] => {
            last.cdf = 1.0;
            Some(points)
        }
    }
}

/// The unit that the header gives.
fn header<'a>(
    line: &'a str,
    all: &Place,
    column: &Column,
    problems: &mut Problems,
) -> Option<Option<&'a str>> {
    let help = format!("the first line is a point or a header: `{},CDF`", column.name);
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [first, second] = cells[..] else {
        return problems.refuse(all, "the header must have two columns", "not two columns", help);
    };
    let (name, unit) = match first.split_once('(') {
        Some((name, unit)) => (name.trim(), Some(unit.trim_end_matches(')').trim())),
        None => (first, None),
    };
    for (cell, name, wanted) in [(first, name, column.name), (second, second, "CDF")] {
        if !name.eq_ignore_ascii_case(wanted) {
            let message = format!("`{name}` is not `{wanted}`");
            return problems.refuse(&all.locate(cell), message, format!("must be `{wanted}`"), help);
        }
    }
    let mut units = column.quantity.names();
    if let Some(unit) = unit.filter(|unit| units.all(|known| known != *unit)) {
        let near = suggest(unit, column.quantity.names());
        let message = format!("`{unit}` is not a unit of {}", column.name);
        return problems.refuse(&all.locate(first), message, "not a unit", near);
    }
    Some(unit)
}

/// The value of a cell, in the model's unit.
fn value(cell: &str, place: &Place, unit: &str, column: &Column, problems: &mut Problems) -> Option<f64> {
    let plain = cell.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    let text = if plain { format!("{cell} {unit}") } else { cell.to_owned() };
    let value = match column.quantity.parse(&text) {
        Ok((value, _)) => value * column.factor,
        Err(error) => {
            let help = format!("give the unit in the header, `{} (…),CDF`, or after each value", column.name);
            return problems.refuse(place, format!("`{cell}`: {}", error.message), "not a value", help);
        }
    };
    if !(0.0..=column.most).contains(&value) {
        let must = if value < 0.0 { "must not be negative" } else { "too large" };
        return problems.refuse(place, format!("`{cell}` is out of range"), must, "");
    }
    Some(value)
}

fn share(cell: &str, place: &Place, problems: &mut Problems) -> Option<f64> {
    let (what, label) = match cell.parse::<f64>() {
        Ok(share) if (0.0..=1.0 + ROUNDING).contains(&share) => return Some(share.min(1.0)),
        Ok(_) => ("a fraction from 0 to 1", "must be from 0 to 1"),
        Err(_) => ("a number", "not a number"),
    };
    let help = "a CDF value is a fraction from 0 to 1: divide percentages by 100";
    problems.refuse(place, format!("`{cell}` is not {what}"), label, help)
}
