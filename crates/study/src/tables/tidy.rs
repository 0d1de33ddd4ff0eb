//! Many runs as one tidy table: a row per flow and run, as CSV and as Parquet.

use crate::judge::SimulationRuns;
use crate::resolve::axes::{Axis, number_and_unit};
use anabranch_record::{
    Cell, Column, FlowSummary, Kind, SampleFormat, SubflowSummary, Summary, TableFile, Transfers, WriteError,
};
use anabranch_scenario::distinct;
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// The value of a flow in a run.
type Value = for<'a> fn(&'a Summary, &'a FlowSummary) -> Cell<'a>;

/// The columns behind those of the axes.
pub(crate) const COLUMNS: &[(&str, Kind, Value)] = &[
    // The flow's.
    ("algorithm", Kind::Text, |_, flow| Cell::Text(&flow.cc)),
    ("seed", Kind::Unsigned, |run, _| Cell::Count(run.seed)),
    ("flow", Kind::Text, |_, flow| Cell::Text(&flow.name)),
    // Payload that reached the application in order.
    ("goodput_mbps", Kind::MaybeNumber, |_, flow| maybe(flow.goodput_bps.map(|bps| bps / 1e6))),
    // Goodput ÷ the mean of all connections' goodputs in this run.
    ("share", Kind::MaybeNumber, |run, flow| maybe(run.share(flow))),
    ("retransmitted_segments", Kind::Count, |_, flow| Cell::Count(flow.retransmitted_segments)),
    ("timeouts", Kind::Count, |_, flow| Cell::Count(flow.subflows.iter().map(|s| s.timeouts).sum())),
    // Segments that the network dropped, of those sent.
    ("loss_percent", Kind::MaybeNumber, |_, flow| maybe(flow.loss_rate().map(|part| part * 100.0))),
    // The mean RTT over subflows, weighted by segments sent.
    ("mean_rtt_ms", Kind::MaybeNumber, |_, flow| mean_ms(flow, |s| s.mean_rtt_s)),
    // The largest of the subflows' 95th percentiles: those of several cannot be joined.
    ("rtt_p95_ms", Kind::MaybeNumber, |_, flow| largest_ms(flow, |s| s.rtt_p95_s)),
    // The smoothed RTT, which kernels also report.
    ("mean_srtt_ms", Kind::MaybeNumber, |_, flow| mean_ms(flow, |s| s.mean_srtt_s)),
    ("srtt_p95_ms", Kind::MaybeNumber, |_, flow| largest_ms(flow, |s| s.srtt_p95_s)),
    // Of responses, from the request to the last byte, and of transfers, from their arrival.
    ("completion_mean_s", Kind::MaybeNumber, |_, flow| maybe(flow.completion.as_ref().map(|c| c.mean_s))),
    ("completion_p95_s", Kind::MaybeNumber, |_, flow| maybe(flow.completion.as_ref().map(|c| c.p95_s))),
    // Of transfers: that ÷ the ideal time, the same for all algorithms.
    ("slowdown_mean", Kind::MaybeNumber, |_, flow| transfers(flow, |t| Some(t.slowdown.as_ref()?.mean))),
    ("slowdown_p95", Kind::MaybeNumber, |_, flow| transfers(flow, |t| Some(t.slowdown.as_ref()?.p95))),
    // And ÷ the time of the same transfer with the same algorithm alone.
    ("times_alone_mean", Kind::MaybeNumber, |_, flow| {
        transfers(flow, |t| Some(t.times_alone.as_ref()?.mean))
    }),
    ("times_alone_p95", Kind::MaybeNumber, |_, flow| transfers(flow, |t| Some(t.times_alone.as_ref()?.p95))),
    // The run's, over all connections.
    ("jain", Kind::MaybeNumber, |run, _| maybe(run.jain)),
    // The mean over the links that any of the flow's paths has, forward.
    ("utilisation_percent", Kind::MaybeNumber, utilisation_percent),
    ("scenario_hash", Kind::Text, |run, _| Cell::Text(&run.scenario_hash)),
];

struct TidyAxis {
    name: String,
    /// Whether it has a column of texts.
    has_texts: bool,
    /// The name of its column of numbers.
    numbers: Option<String>,
}

impl TidyAxis {
    /// An axis with these values; an empty value means a run without the axis. Numbers of one unit get a column with the unit in
    /// its name: `queue_bdp` in addition to `queue`.
    fn of<'a>(name: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let given = values.into_iter().filter(|value| !value.is_empty());
        let units: Option<BTreeSet<&str>> = given.map(|value| Some(number_and_unit(value)?.1)).collect();
        let unit = units.filter(|units| units.len() == 1).and_then(|units| units.into_iter().next());
        let (has_texts, numbers) = match unit.map(|unit| (unit, in_names(unit))) {
            Some(("", _)) => (false, Some(name.to_owned())),
            Some((_, unit)) if !unit.is_empty() => (true, Some(format!("{name}_{unit}"))),
            _ => (true, None),
        };
        TidyAxis { name: name.into(), has_texts, numbers }
    }

    /// The axes of some runs, in the order in which they come.
    fn all_of(taken: &[SimulationRuns]) -> Vec<Self> {
        let values = taken.iter().flat_map(|taken| &taken.axes);
        let names = distinct(values.clone().map(|(axis, _)| axis.as_str()));
        let axis = |name: &&str| {
            let own = values.clone().filter(|(axis, _)| axis == name);
            TidyAxis::of(name, own.map(|(_, value)| value.as_str()))
        };
        names.iter().map(axis).collect()
    }

    fn columns(&self) -> impl Iterator<Item = Column> {
        let column = |name: &String, kind| Column { name: name.clone(), kind };
        let texts = self.has_texts.then(|| column(&self.name, Kind::Text));
        texts.into_iter().chain(self.numbers.iter().map(move |name| column(name, Kind::MaybeNumber)))
    }

    fn cells<'a>(&self, value: &'a str) -> impl Iterator<Item = Cell<'a>> + use<'a> {
        let text = self.has_texts.then_some(Cell::Text(value));
        let number = || maybe(number_and_unit(value).map(|(number, _)| number));
        text.into_iter().chain(self.numbers.is_some().then(number))
    }
}

/// The name of an axis's column of numbers.
pub(crate) fn numbers(axis: &Axis) -> Option<String> {
    TidyAxis::of(&axis.name, axis.values.iter().map(|value| value.id.as_str())).numbers
}

/// A unit as the names of columns have it.
fn in_names(unit: &str) -> String {
    match unit {
        "%" => "percent".into(),
        _ => unit.replace("bit/s", "bps").to_lowercase().replace(|c: char| !c.is_alphanumeric(), ""),
    }
}

/// The columns of a table with these axes.
///
/// # Errors
/// Where two would have one name.
fn columns(axes: &[TidyAxis]) -> Result<Vec<Column>, String> {
    let axis = axes.iter().flat_map(TidyAxis::columns);
    let fixed = COLUMNS.iter().map(|(name, kind, _)| Column { name: (*name).into(), kind: *kind });
    let columns: Vec<Column> = axis.chain(fixed).collect();
    let twice = (1..columns.len()).find(|i| columns[..*i].iter().any(|c| c.name == columns[*i].name));
    match twice {
        Some(twice) => {
            Err(format!("two columns of the table would be named `{}`: rename the axis", columns[twice].name))
        }
        None => Ok(columns),
    }
}

/// Writes the table of all these runs, without duplicates, as `NAME.csv` and `NAME.parquet` in `folder`, which must exist, row by row:
/// memory does not grow with their number. Missing axes are empty. The files have their names when they are complete.
///
/// # Errors
/// Where they cannot be written, or two columns would have one name.
pub fn write(folder: &Path, name: &str, taken: &[SimulationRuns]) -> Result<[PathBuf; 2], WriteError> {
    let axes = TidyAxis::all_of(taken);
    let [path, other] = ["csv", "parquet"].map(|ending| folder.join(format!("{name}.{ending}")));
    let columns = columns(&axes).map_err(|why| {
        let source = io::Error::new(io::ErrorKind::InvalidInput, why);
        WriteError { path: path.clone(), source }
    })?;
    let mut csv = TableFile::create(path, SampleFormat::Csv, &columns)?;
    let mut parquet = TableFile::create(other, SampleFormat::Parquet, &columns)?;
    let mut known = HashSet::new();
    for taken in taken.iter().filter(|taken| known.insert(&taken.axes)) {
        let value = |axis: &TidyAxis| taken.axes.iter().find(|(name, _)| *name == axis.name);
        let values: Vec<&str> =
            axes.iter().map(|axis| value(axis).map_or("", |(_, value)| value.as_str())).collect();
        for summary in &taken.summaries {
            for flow in &summary.flows {
                let at = axes.iter().zip(&values).flat_map(|(axis, value)| axis.cells(value));
                let own = COLUMNS.iter().map(|(_, _, value)| value(summary, flow));
                let cells: Vec<Cell<'_>> = at.chain(own).collect();
                csv.row(cells.iter().copied())?;
                parquet.row(cells.iter().copied())?;
            }
        }
    }
    Ok([csv.finish()?, parquet.finish()?])
}

/// Null if missing.
fn maybe(value: Option<f64>) -> Cell<'static> {
    Cell::Number(value.unwrap_or(f64::NAN))
}

fn largest_ms(flow: &FlowSummary, of: fn(&SubflowSummary) -> Option<f64>) -> Cell<'static> {
    maybe(flow.subflows.iter().filter_map(of).reduce(f64::max).map(|s| s * 1e3))
}

/// The mean over subflows, weighted by segments sent.
fn mean_ms(flow: &FlowSummary, of: fn(&SubflowSummary) -> Option<f64>) -> Cell<'static> {
    let each = || flow.subflows.iter().filter_map(|s| Some((of(s)?, s.sent_segments as f64)));
    let sent: f64 = each().map(|(_, sent)| sent).sum();
    let mean = || each().map(|(rtt, sent)| rtt * sent).sum::<f64>() / sent;
    maybe((sent > 0.0).then(|| mean() * 1e3))
}

fn transfers(flow: &FlowSummary, of: fn(&Transfers) -> Option<f64>) -> Cell<'static> {
    maybe(flow.transfers.as_ref().and_then(of))
}

fn utilisation_percent<'a>(run: &'a Summary, flow: &'a FlowSummary) -> Cell<'a> {
    let crossed = |name: &String| flow.subflows.iter().any(|s| s.path.contains(name));
    let all: Vec<f64> = run.links.iter().filter(|l| crossed(&l.name)).map(|l| l.utilisation).collect();
    maybe((!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64 * 100.0))
}

#[cfg(test)]
mod tests;
