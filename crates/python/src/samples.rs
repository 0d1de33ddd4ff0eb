//! A run's samples over time as tables, with the columns of its files.

use crate::table::{Table, Values};
use anabranch_record::{Kind, LinkSeries, MemorySink, SampleColumn, SubflowSeries};
use pyo3::PyResult;

/// A subflow with its flow and its number, from 1.
type Subflow<'a> = (&'a str, u64, &'a SubflowSeries);

/// A row for each subflow and instant; each subflow's rows are consecutive.
pub fn subflows(samples: &MemorySink) -> PyResult<Table> {
    let all: Vec<Subflow<'_>> = samples
        .flows
        .iter()
        .flat_map(|flow| (1..).zip(&flow.subflows).map(move |(number, series)| (&*flow.name, number, series)))
        .collect();
    let rows = || all.iter().flat_map(|at| at.2.time_s.iter().map(move |_| at));
    let mut columns = vec![
        ("time_s", Values::Numbers(all.iter().flat_map(|at| &at.2.time_s).map(|t| Some(*t)).collect())),
        ("flow", Values::Texts(rows().map(|(flow, ..)| (*flow).to_owned()).collect())),
        ("subflow", Values::Counts(rows().map(|(_, number, _)| *number).collect())),
        ("path", Values::Texts(rows().map(|(.., series)| series.path.join("+")).collect())),
    ];
    let each = SubflowSeries::COLUMNS.iter().enumerate();
    columns.extend(each.map(|(i, column)| {
        (column.name, values(column, all.iter().flat_map(|(.., series)| series.columns()[i]).copied()))
    }));
    let mut observables: Vec<&str> = Vec::new();
    for (name, _) in all.iter().flat_map(|(.., series)| &series.observables) {
        if !observables.contains(&name.as_str()) {
            observables.push(name);
        }
    }
    columns.extend(observables.into_iter().map(|name| (name, observable(&all, name))));
    Table::of(columns.into_iter().map(|(name, values)| (name.to_owned(), values)).collect())
}

/// The column of an observable; null for algorithms without it.
fn observable(all: &[Subflow<'_>], name: &str) -> Values {
    let mut values = Vec::new();
    for (.., series) in all {
        match series.observable(name) {
            Some(own) => values.extend(own.iter().map(|x| x.is_finite().then_some(*x))),
            None => values.extend(series.time_s.iter().map(|_| None)),
        }
    }
    Values::Numbers(values)
}

/// A row for each link and instant; each link's rows are consecutive.
pub fn links(samples: &MemorySink) -> PyResult<Table> {
    let all = &samples.links;
    let names = all.iter().flat_map(|link| link.time_s.iter().map(|_| link.name.clone()));
    let mut columns = vec![
        ("time_s", Values::Numbers(all.iter().flat_map(|link| &link.time_s).map(|t| Some(*t)).collect())),
        ("link", Values::Texts(names.collect())),
    ];
    let each = LinkSeries::COLUMNS.iter().enumerate();
    columns.extend(each.map(|(i, column)| {
        (column.name, values(column, all.iter().flat_map(|link| link.columns()[i]).copied()))
    }));
    Table::of(columns.into_iter().map(|(name, values)| (name.to_owned(), values)).collect())
}

/// The cells of a column.
fn values(column: &SampleColumn, values: impl Iterator<Item = f64>) -> Values {
    match column.kind {
        Kind::Count => Values::Counts(values.map(|x| x as u64).collect()),
        _ => Values::Numbers(values.map(|x| x.is_finite().then_some(x)).collect()),
    }
}

/// A row for each response or transfer that completed.
pub fn completions(samples: &MemorySink) -> PyResult<Table> {
    let all = &samples.completions;
    let columns = vec![
        ("time_s", Values::Numbers(all.iter().map(|c| Some(c.time_s)).collect())),
        ("flow", Values::Texts(all.iter().map(|c| samples.flows[c.flow].name.clone()).collect())),
        ("bytes", Values::Counts(all.iter().map(|c| c.bytes).collect())),
        ("completion_s", Values::Numbers(all.iter().map(|c| Some(c.completion_s)).collect())),
        ("start_s", Values::Numbers(all.iter().map(|c| Some(c.time_s - c.completion_s)).collect())),
        (
            "slowdown",
            Values::Numbers(all.iter().map(|c| c.slowdown.is_finite().then_some(c.slowdown)).collect()),
        ),
        (
            "times_alone",
            Values::Numbers(all.iter().map(|c| c.times_alone.is_finite().then_some(c.times_alone)).collect()),
        ),
    ];
    Table::of(columns.into_iter().map(|(name, values)| (name.to_owned(), values)).collect())
}
