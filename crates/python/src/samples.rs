//! A run's samples over time as tables, with the columns of its files.

use crate::table::{Table, counts, numbers, texts};
use anabranch::MemorySink;
use anabranch::records::{Kind, LinkSeries, SampleColumn, SubflowSeries};
use anabranch::scenarios::distinct;
use arrow_array::ArrayRef;
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
        ("time_s", numbers(all.iter().flat_map(|at| &at.2.time_s).copied())),
        ("flow", texts(rows().map(|(flow, ..)| flow))),
        ("subflow", counts(rows().map(|(_, number, _)| *number))),
        ("path", texts(rows().map(|(.., series)| series.path.join("+")))),
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
fn observable(all: &[Subflow<'_>], name: &str) -> ArrayRef {
    numbers(all.iter().flat_map(|(.., series)| {
        let own = series.observable(name);
        (0..series.time_s.len()).map(move |i| own.and_then(|values| values.get(i).copied()))
    }))
}

/// A row for each link and instant; each link's rows are consecutive.
pub fn links(samples: &MemorySink) -> PyResult<Table> {
    let all = &samples.links;
    let names = all.iter().flat_map(|link| link.time_s.iter().map(|_| &link.name));
    let mut columns =
        vec![("time_s", numbers(all.iter().flat_map(|link| &link.time_s).copied())), ("link", texts(names))];
    let each = LinkSeries::COLUMNS.iter().enumerate();
    columns.extend(each.map(|(i, column)| {
        (column.name, values(column, all.iter().flat_map(|link| link.columns()[i]).copied()))
    }));
    Table::of(columns)
}

fn values(column: &SampleColumn, values: impl Iterator<Item = f64>) -> ArrayRef {
    match column.kind {
        Kind::Count => counts(values.map(|x| x as u64)),
        _ => numbers(values),
    }
}

/// A row for each response or transfer that completed.
pub fn completions(samples: &MemorySink) -> PyResult<Table> {
    let all = &samples.completions;
    Table::of(vec![
        ("time_s", numbers(all.iter().map(|c| c.time_s))),
        ("flow", texts(all.iter().map(|c| &samples.flows[c.flow].name))),
        ("bytes", counts(all.iter().map(|c| c.bytes))),
        ("completion_s", numbers(all.iter().map(|c| c.completion_s))),
        ("start_s", numbers(all.iter().map(|c| c.time_s - c.completion_s))),
        ("slowdown", numbers(all.iter().map(|c| c.slowdown))),
        ("times_alone", numbers(all.iter().map(|c| c.times_alone))),
    ])
}
