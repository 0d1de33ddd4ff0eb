//! A run's samples over time as tables, with the columns of its files.

use crate::table::{Table, Values};
use anabranch::MemorySink;
use anabranch::records::{Kind, LinkSeries, SampleColumn, SubflowSeries};
use anabranch::scenarios::distinct;
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
        ("time_s", Values::numbers(all.iter().flat_map(|at| &at.2.time_s).copied())),
        ("flow", Values::Texts(rows().map(|(flow, ..)| (*flow).to_owned()).collect())),
        ("subflow", Values::counts(rows().map(|(_, number, _)| *number))),
        ("path", Values::Texts(rows().map(|(.., series)| series.path.join("+")).collect())),
    ];
    let each = SubflowSeries::COLUMNS.iter().enumerate();
    columns.extend(each.map(|(i, column)| {
        (column.name, values(column, all.iter().flat_map(|(.., series)| series.columns()[i]).copied()))
    }));
    let observables = all.iter().flat_map(|(.., series)| &series.observables);
    let names = distinct(observables.map(|(name, _)| name.as_str()));
    columns.extend(names.into_iter().map(|name| (name, observable(&all, name))));
    Table::of(columns)
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
        ("time_s", Values::numbers(all.iter().flat_map(|link| &link.time_s).copied())),
        ("link", Values::Texts(names.collect())),
    ];
    let each = LinkSeries::COLUMNS.iter().enumerate();
    columns.extend(each.map(|(i, column)| {
        (column.name, values(column, all.iter().flat_map(|link| link.columns()[i]).copied()))
    }));
    Table::of(columns)
}

fn values(column: &SampleColumn, values: impl Iterator<Item = f64>) -> Values {
    match column.kind {
        Kind::Count => Values::counts(values.map(|x| x as u64)),
        _ => Values::numbers(values),
    }
}

/// A row for each response or transfer that completed.
pub fn completions(samples: &MemorySink) -> PyResult<Table> {
    let all = &samples.completions;
    Table::of(vec![
        ("time_s", Values::numbers(all.iter().map(|c| c.time_s))),
        ("flow", Values::Texts(all.iter().map(|c| samples.flows[c.flow].name.clone()).collect())),
        ("bytes", Values::counts(all.iter().map(|c| c.bytes))),
        ("completion_s", Values::numbers(all.iter().map(|c| c.completion_s))),
        ("start_s", Values::numbers(all.iter().map(|c| c.time_s - c.completion_s))),
        ("slowdown", Values::numbers(all.iter().map(|c| c.slowdown))),
        ("times_alone", Values::numbers(all.iter().map(|c| c.times_alone))),
    ])
}
