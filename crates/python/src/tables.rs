//! Records as tidy tables, of a single run and of the runs of a study: names and units are those of the record.

use crate::errors::RunError;
use crate::table::{Table, counts, numbers, texts, unsigned};
use anabranch::Summary;
use anabranch::records::{Completion, FlowSummary, LinkSummary, Quantity, Slowdown, SubflowSummary, Unit};
use anabranch::scenarios::distinct;
use anabranch::studies::SimulationRuns;
use arrow_array::ArrayRef;
use pyo3::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The names of axes in tables, and of algorithms, where they differ from those in the study.
#[derive(Default)]
pub struct Names {
    pub axes: HashMap<String, String>,
    pub algorithms: HashMap<String, String>,
    /// The units of axes, where a table has only some of their values.
    pub units: HashMap<String, Option<&'static str>>,
}

impl Names {
    fn algorithm(&self, name: &str) -> String {
        self.algorithms.get(name).map_or(name, String::as_str).to_owned()
    }
}

/// The table of a single run.
#[pyfunction]
pub fn table_of(rows: &str, summary: &str, algorithms: HashMap<String, String>) -> PyResult<Table> {
    let summary = Summary::from_json(summary).map_err(|why| RunError::new_err(why.to_string()))?;
    let names = Names { algorithms, ..Names::default() };
    table(rows, &[], &[(vec![], &summary)], false, &names)
}

/// The table of these runs, without duplicates; a missing axis is empty.
pub fn table_of_runs(rows: &str, taken: &[SimulationRuns], names: &Names) -> PyResult<Table> {
    let axes = distinct(taken.iter().flat_map(|taken| &taken.axes).map(|(axis, _)| axis.as_str()));
    let mut known = HashSet::new();
    let mut runs = Vec::new();
    for taken in taken.iter().filter(|taken| known.insert(&taken.axes)) {
        let value = |name: &&str| taken.axes.iter().find(|(axis, _)| axis == name);
        let at: Vec<&str> = axes.iter().map(|axis| value(axis).map_or("", |(_, value)| value)).collect();
        runs.extend(taken.summaries.iter().map(|summary| (at.clone(), summary)));
    }
    let seeds = !axes.is_empty() || runs.len() > 1;
    table(rows, &axes, &runs, seeds, names)
}

/// What tables have rows of.
pub const ROWS: [&str; 4] = ["runs", "flows", "subflows", "links"];

/// A run, with its values of the axes.
pub type Run<'a> = (Vec<&'a str>, &'a Summary);

/// The table of these runs, with a row for each of their `runs`, `flows`, `subflows` or `links`, and with or without a column of
/// their seeds.
pub fn table(rows: &str, axes: &[&str], runs: &[Run<'_>], seeds: bool, names: &Names) -> PyResult<Table> {
    if !ROWS.contains(&rows) {
        return Err(RunError::new_err(format!("no table `{rows}`")));
    }
    // How many rows each run has.
    let count = |run: &Summary| match rows {
        "flows" => run.flows.len(),
        "subflows" => run.flows.iter().map(|flow| flow.subflows.len()).sum(),
        "links" => run.links.len(),
        _ => 1,
    };
    let mut columns = Columns::default();
    for (i, axis) in axes.iter().enumerate() {
        let values: Vec<&str> =
            runs.iter().flat_map(|(at, run)| std::iter::repeat_n(at[i], count(run))).collect();
        let unit = names.units.get(*axis).copied().unwrap_or_else(|| unit(values.iter().copied()));
        columns.axis(names.axes.get(*axis).map_or(*axis, String::as_str), &values, unit, names);
    }
    if seeds {
        let seeds = runs.iter().flat_map(|(_, run)| std::iter::repeat_n(run.seed, count(run)));
        columns.add("seed", unsigned(seeds));
    }
    let runs: Vec<&Summary> = runs.iter().map(|(_, run)| *run).collect();
    match rows {
        "runs" => columns.of_runs(&runs),
        "flows" => columns.of_flows(&runs, names),
        "subflows" => columns.of_subflows(&runs),
        _ => columns.of_links(&runs),
    }
    let mut known = HashSet::new();
    match columns.0.iter().find(|(name, _)| !known.insert(name)) {
        Some((name, _)) => Err(RunError::new_err(format!(
            "two columns of the table would be named `{name}`: rename the axis or the metric"
        ))),
        None => Table::of(columns.0),
    }
}

#[derive(Default)]
struct Columns(Vec<(String, ArrayRef)>);

impl Columns {
    fn add(&mut self, name: &str, values: ArrayRef) {
        self.0.push((name.to_owned(), values));
    }

    /// An axis: its values as text, numbers of one unit also as numbers in SI units; plain numbers only as such.
    fn axis(&mut self, name: &str, values: &[&str], unit: Option<&'static str>, names: &Names) {
        let in_si = || numbers(values.iter().map(|value| quantity(value).map(|(number, _)| number)));
        match unit {
            Some("") => self.add(name, in_si()),
            unit => {
                self.add(name, texts(values.iter().map(|value| names.algorithm(value))));
                if let Some(unit) = unit {
                    self.add(&format!("{name}_{unit}"), in_si());
                }
            }
        }
    }

    fn of_runs(&mut self, runs: &[&Summary]) {
        let of = || runs.iter();
        self.add("scenario", texts(of().map(|run| &run.scenario)));
        // An axis may have these.
        let is_missing = |columns: &Self, name| columns.0.iter().all(|(known, _)| known != name);
        if is_missing(self, "duration_s") {
            self.add("duration_s", numbers(of().map(|run| run.duration_s)));
        }
        if is_missing(self, "warmup_s") {
            self.add("warmup_s", numbers(of().map(|run| run.warmup_s)));
        }
        self.add("jain", numbers(of().map(|run| run.jain)));
        let metrics: BTreeSet<&String> = of().flat_map(|run| run.metrics.keys()).collect();
        for name in metrics {
            self.add(name, numbers(of().map(|run| run.metrics.get(name).copied().flatten())));
        }
        self.add("scenario_hash", texts(of().map(|run| &run.scenario_hash)));
    }

    fn of_flows(&mut self, runs: &[&Summary], names: &Names) {
        let of = || runs.iter().flat_map(|run| run.flows.iter().map(move |flow| (*run, flow)));
        let flows = || of().map(|(_, flow)| flow);
        let completion = |of: fn(&Completion) -> f64| {
            flows().map(move |flow: &FlowSummary| flow.completion.as_ref().map(of))
        };
        let slowdown = |of: fn(&Slowdown) -> f64| {
            flows().map(move |flow| flow.transfers.as_ref()?.slowdown.as_ref().map(of))
        };
        let alone = |of: fn(&Slowdown) -> f64| {
            flows().map(move |flow| flow.transfers.as_ref()?.times_alone.as_ref().map(of))
        };
        self.add("flow", texts(flows().map(|flow| &flow.name)));
        self.add("algorithm", texts(flows().map(|flow| names.algorithm(&flow.cc))));
        self.add("goodput_bps", numbers(flows().map(|flow| flow.goodput_bps)));
        self.add("share", numbers(of().map(|(run, flow)| run.share(flow))));
        self.add("delivered_bytes", counts(flows().map(|flow| flow.delivered_bytes)));
        self.add("retransmitted_segments", counts(flows().map(|flow| flow.retransmitted_segments)));
        self.add("reinjected_segments", counts(flows().map(|flow| flow.reinjected_segments)));
        self.add("timeouts", counts(flows().map(|flow| flow.subflows.iter().map(|s| s.timeouts).sum())));
        self.add("loss_rate", numbers(flows().map(FlowSummary::loss_rate)));
        self.add("completion_mean_s", numbers(completion(|c| c.mean_s)));
        self.add("completion_p50_s", numbers(completion(|c| c.p50_s)));
        self.add("completion_p95_s", numbers(completion(|c| c.p95_s)));
        self.add("completion_p99_s", numbers(completion(|c| c.p99_s)));
        self.add("slowdown_mean", numbers(slowdown(|s| s.mean)));
        self.add("slowdown_p95", numbers(slowdown(|s| s.p95)));
        self.add("times_alone_mean", numbers(alone(|s| s.mean)));
        self.add("times_alone_p95", numbers(alone(|s| s.p95)));
    }

    fn of_subflows(&mut self, runs: &[&Summary]) {
        let flows = || runs.iter().flat_map(|run| &run.flows);
        let of = || flows().flat_map(|flow| (1..).zip(&flow.subflows).map(move |(n, s)| (flow, n, s)));
        self.add("flow", texts(of().map(|(flow, ..)| &flow.name)));
        self.add("subflow", counts(of().map(|(_, number, _)| number)));
        self.add("path", texts(of().map(|(.., subflow)| subflow.path.join("+"))));
        self.quantities(SubflowSummary::QUANTITIES, of().map(|(.., subflow)| subflow));
    }

    fn of_links(&mut self, runs: &[&Summary]) {
        let of = || runs.iter().flat_map(|run| &run.links);
        self.add("link", texts(of().map(|link| &link.name)));
        self.quantities(LinkSummary::QUANTITIES, of());
    }

    fn quantities<'s, S: 's>(&mut self, all: &[Quantity<S>], of: impl Iterator<Item = &'s S> + Clone) {
        for quantity in all {
            let values = of.clone().map(quantity.read);
            match quantity.unit {
                Unit::Count => self.add(quantity.name, counts(values.map(|n| n.unwrap_or(0.0) as u64))),
                _ => self.add(quantity.name, numbers(values)),
            }
        }
    }
}

/// The unit of an axis's values, if all are numbers of one unit.
pub fn unit<'a>(values: impl Iterator<Item = &'a str>) -> Option<&'static str> {
    let given = values.filter(|value| !value.is_empty());
    let units: Option<BTreeSet<&str>> = given.map(|value| Some(quantity(value)?.1)).collect();
    units.filter(|units| units.len() == 1).and_then(|units| units.into_iter().next())
}

/// A number with a unit, in SI units, and the unit's name in columns: `10 ms` is 0.01 `s`; a number without a unit has none.
fn quantity(text: &str) -> Option<(f64, &'static str)> {
    const UNITS: [(&str, f64, &str); 25] = [
        ("", 1.0, ""),
        ("ns", 1e-9, "s"),
        ("us", 1e-6, "s"),
        ("µs", 1e-6, "s"),
        ("\u{3bc}s", 1e-6, "s"),
        ("ms", 1e-3, "s"),
        ("s", 1.0, "s"),
        ("min", 60.0, "s"),
        ("h", 3600.0, "s"),
        ("bit/s", 1.0, "bps"),
        ("kbit/s", 1e3, "bps"),
        ("Mbit/s", 1e6, "bps"),
        ("Gbit/s", 1e9, "bps"),
        ("B", 1.0, "bytes"),
        ("bytes", 1.0, "bytes"),
        ("kB", 1e3, "bytes"),
        ("MB", 1e6, "bytes"),
        ("GB", 1e9, "bytes"),
        ("KiB", 1024.0, "bytes"),
        ("MiB", 1_048_576.0, "bytes"),
        ("GiB", 1_073_741_824.0, "bytes"),
        ("packet", 1.0, "packets"),
        ("packets", 1.0, "packets"),
        ("BDP", 1.0, "bdp"),
        ("%", 0.01, "fraction"),
    ];
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E');
    let most = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let number = |end: &usize| text[..*end].parse::<f64>().ok().filter(|x| x.is_finite());
    let (digits, number) = (1..=most).rev().find_map(|end| Some((end, number(&end)?)))?;
    let (_, factor, unit) = UNITS.iter().find(|(name, ..)| *name == text[digits..].trim())?;
    // One division is exact where a product with 0.001 is not.
    let value = if *factor < 1.0 { number / (1.0 / factor).round() } else { number * factor };
    Some((value, unit))
}
