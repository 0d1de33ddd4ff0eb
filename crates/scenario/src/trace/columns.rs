//! Traces with columns: `time,rate[,delay][,loss]`, one step per row.

use super::{LONGEST_NS, lines};
use crate::diagnostic::{Place, Problems};
use crate::quantity::{Quantity, RATE, TIME};
use crate::suggest::suggest;
use anabranch_net::{Change, Loss, Time, Trace, TraceData};

/// The range of positive rates, in bits per second.
const RATES: std::ops::RangeInclusive<f64> = 4.0..=1e15;

/// The shortest trace, and the lowest mean rate, in bits per second: a transmission iterates over all steps that it spans.
const SHORTEST: Time = Time::from_millis(1);
const LEAST_MEAN_BPS: f64 = 1e3;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Time,
    Rate,
    Delay,
    Loss,
}

const COLUMNS: [(&str, Column); 4] =
    [("time", Column::Time), ("rate", Column::Rate), ("delay", Column::Delay), ("loss", Column::Loss)];

impl Column {
    fn quantity(self) -> Option<&'static Quantity> {
        match self {
            Column::Time | Column::Delay => Some(&TIME),
            Column::Rate => Some(&RATE),
            Column::Loss => None,
        }
    }

    /// The rule that a value in base units violates.
    fn violation(self, value: f64) -> Option<&'static str> {
        match self {
            Column::Rate if value != 0.0 && !RATES.contains(&value) => {
                Some("a rate is 0 or from 4 bit/s to 1000000 Gbit/s")
            }
            Column::Loss if !(0.0..=1.0).contains(&value) => Some("a loss is a probability, from 0 to 1"),
            Column::Delay if !(0.0..=LONGEST_NS).contains(&value) => {
                Some("a delay is from 0 to 1000000000 s")
            }
            Column::Time if !(0.0..=2.0 * LONGEST_NS).contains(&value) => {
                Some("a time is from 0 to 2000000000 s")
            }
            _ => None,
        }
    }
}

/// A column with the unit in the header; the unit is empty if each value has its own.
type HeaderColumn<'a> = (Column, &'a str);

/// Reads a trace with at least one line.
pub(super) fn read(whole: &Place, problems: &mut Problems) -> Option<(TraceData, Time)> {
    let mut lines = lines(whole);
    let (header_place, header) = lines.next()?;
    let header = columns(header, &header_place, problems)?;
    let mut steps: Vec<Change> = Vec::new();
    let mut first = 0.0;
    let mut end: Option<Time> = None;
    for (place, line) in lines {
        if end.is_some() {
            let help = "a row with only a time ends the trace";
            return problems.refuse(&place, "a row after the end of the trace", "after the end", help);
        }
        let row = row(line, &header, &place, problems)?;
        if steps.is_empty() {
            first = row.time_ns;
        }
        let at = Time::from_nanos((row.time_ns - first).max(0.0).round() as u64);
        let before = steps.last().map(|step| step.at);
        if let Some(before) = before.filter(|&before| at <= before) {
            let own = Time::from_nanos(row.time_ns.round() as u64);
            let message = format!("{own} is not after {}", Time::from_nanos(first.round() as u64) + before);
            return problems.refuse(&place, message, "not after the row before", "sort the rows by time");
        }
        match row.step {
            Some(step) => steps.push(Change { at, ..step }),
            None => end = Some(at),
        }
    }
    let help = "for example `0,10` and `1,20` under `time (s),rate (Mbit/s)`";
    if steps.is_empty() {
        return problems.refuse(&header_place, "the trace has no rows", "no rows below", help);
    }
    let period = end.unwrap_or_else(|| length(&steps));
    let data = TraceData::Steps(steps.into());
    let trace = Trace { data, period, start: None };
    if period < SHORTEST {
        let must = format!("must be at least {SHORTEST}");
        return problems.refuse(&header_place, format!("the trace is {period} long"), must, help);
    }
    if trace.mean_rate_bps() < LEAST_MEAN_BPS {
        let message = format!("the trace's mean rate is {} bit/s", trace.mean_rate_bps());
        return problems.refuse(&header_place, message, "must be at least 1 kbit/s", help);
    }
    Some((trace.data, period))
}

/// The length of the trace: the last step lasts as long as the one before it.
fn length(steps: &[Change]) -> Time {
    match steps {
        [.., before, last] => last.at + last.at.since(before.at),
        _ => Time::from_millis(1000),
    }
}

fn columns<'a>(header: &'a str, all: &Place, problems: &mut Problems) -> Option<Vec<HeaderColumn<'a>>> {
    let help =
        "the first line names the columns: `time (s),rate (Mbit/s)`, optionally `delay (ms)` and `loss`";
    let mut found: Vec<HeaderColumn<'_>> = Vec::new();
    for cell in header.split(',') {
        let place = &all.locate(cell);
        let (name, unit) = match cell.split_once('(') {
            Some((name, unit)) => (name.trim(), unit.trim().trim_end_matches(')').trim()),
            None => (cell.trim(), ""),
        };
        let known = COLUMNS.iter().find(|(known, _)| *known == name);
        let Some(&(_, column)) = known else {
            let near = suggest(name, COLUMNS.iter().map(|(name, _)| *name));
            return problems.refuse(place, format!("`{name}` is not a column of a trace"), near, help);
        };
        if found.iter().any(|(known, _)| *known == column) {
            return problems.refuse(place, format!("duplicate column `{name}`"), "duplicate", help);
        }
        let mut units = column.quantity().into_iter().flat_map(Quantity::names);
        if !unit.is_empty() && units.all(|known| known != unit) {
            let near = match column.quantity() {
                None => "a loss is a probability, without a unit".to_owned(),
                Some(quantity) => suggest(unit, quantity.names()),
            };
            return problems.refuse(place, format!("`{unit}` is not a unit of {name}"), "not a unit", near);
        }
        found.push((column, unit));
    }
    for (name, column) in &COLUMNS[..2] {
        if found.iter().all(|(known, _)| known != column) {
            let message = format!("the column `{name}` is missing");
            return problems.refuse(all, message, format!("needs `{name}`"), help);
        }
    }
    Some(found)
}

struct Row {
    time_ns: f64,
    /// `None`: the trace ends here.
    step: Option<Change>,
}

fn row(line: &str, header: &[HeaderColumn<'_>], all: &Place, problems: &mut Problems) -> Option<Row> {
    let mut values = [None; COLUMNS.len()];
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    for (&column, cell) in header.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty()) {
        values[column.0 as usize] = Some(value(cell, &all.locate(cell), column, problems)?);
    }
    if cells.len() > header.len() {
        let message = format!("too many values: the header has {} columns", header.len());
        let help = "commas separate values; write fractions with a point";
        return problems.refuse(all, message, "too many", help);
    }
    let Some(time_ns) = values[Column::Time as usize] else {
        return problems.refuse(all, "a row without a time", "needs a time", "");
    };
    let given = header.iter().filter(|(column, _)| values[*column as usize].is_some()).count();
    if given == 1 {
        return Some(Row { time_ns, step: None });
    }
    if given < header.len() {
        let help = "give a value for each column; a row with only a time ends the trace";
        return problems.refuse(all, "the row has too few values", "incomplete", help);
    }
    let delay = values[Column::Delay as usize].map(|ns| Time::from_nanos(ns.round() as u64));
    let loss = values[Column::Loss as usize].map(Loss::bernoulli);
    let rate_bps = values[Column::Rate as usize];
    Some(Row { time_ns, step: Some(Change { at: Time::ZERO, rate_bps, delay, loss, up: None }) })
}

/// A value in base units.
fn value(
    cell: &str,
    place: &Place,
    (column, unit): HeaderColumn<'_>,
    problems: &mut Problems,
) -> Option<f64> {
    let parsed = match column.quantity() {
        Some(quantity) if unit.is_empty() => quantity.parse(cell),
        Some(quantity) => quantity.parse(&format!("{cell} {unit}")),
        None => match cell.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok((number, "")),
            _ => return problems.refuse(place, format!("`{cell}` is not a number"), "not a number", ""),
        },
    };
    match parsed {
        Ok((value, _)) => match column.violation(value) {
            Some(must) => problems.refuse(place, format!("`{cell}`: {must}"), "out of range", ""),
            None => Some(value),
        },
        Err(error) => {
            let help = match unit.is_empty() {
                true => "give the unit in the header, `time (s),rate (Mbit/s)`, or after each value",
                false => "the header already gives the unit",
            };
            problems.refuse(place, format!("`{cell}`: {}", error.message), "not a value", help)
        }
    }
}
