//! Many runs as one tidy table: a row per flow and run, as CSV and as Parquet.

use crate::judge::SimulationRuns;
use crate::resolve::axes::number_and_unit;
use anabranch_record::{
    Cell, Column, FlowSummary, Kind, SampleFormat, SubflowSummary, Summary, TableFile, WriteError,
};
use anabranch_scenario::distinct;
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// The columns behind those of the axes.
pub(crate) const COLUMNS: [(&str, Kind); 21] = [
    // The flow's.
    ("algorithm", Kind::Text),
    ("seed", Kind::Unsigned),
    ("flow", Kind::Text),
    // Payload that reached the application in order.
    ("goodput_mbps", Kind::MaybeNumber),
    // Goodput ÷ the mean of all connections' goodputs in this run.
    ("share", Kind::MaybeNumber),
    ("retransmitted_segments", Kind::Count),
    ("timeouts", Kind::Count),
    // Segments that the network dropped, of those sent.
    ("loss_percent", Kind::MaybeNumber),
    // The mean RTT over subflows, weighted by segments sent.
    ("mean_rtt_ms", Kind::MaybeNumber),
    // The largest of the subflows' 95th percentiles: those of several cannot be joined.
    ("rtt_p95_ms", Kind::MaybeNumber),
    // The smoothed RTT, which kernels also report.
    ("mean_srtt_ms", Kind::MaybeNumber),
    ("srtt_p95_ms", Kind::MaybeNumber),
    // Of responses, from the request to the last byte, and of transfers, from their arrival.
    ("completion_mean_s", Kind::MaybeNumber),
    ("completion_p95_s", Kind::MaybeNumber),
    // Of transfers: that ÷ the ideal time, the same for all algorithms.
    ("slowdown_mean", Kind::MaybeNumber),
    ("slowdown_p95", Kind::MaybeNumber),
    // And ÷ the time of the same transfer with the same algorithm alone.
    ("times_alone_mean", Kind::MaybeNumber),
    ("times_alone_p95", Kind::MaybeNumber),
    // The run's, over all connections.
    ("jain", Kind::MaybeNumber),
    // The mean over the links that any of the flow's paths has, forward.
    ("utilisation_percent", Kind::MaybeNumber),
    ("scenario_hash", Kind::Text),
];

/// An axis of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct TidyAxis {
    name: String,
    values: Values,
}

/// The kind of an axis's values.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    Texts,
    Numbers,
    /// A column of texts, and one of numbers with that name.
    Quantities(String),
}

impl TidyAxis {
    /// An axis with these values; an empty value means a run without the axis. Numbers of one unit get a column with the unit in
    /// its name: `queue_bdp` in addition to `queue`.
    pub fn of<'a>(name: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let given = values.into_iter().filter(|value| !value.is_empty());
        let units: Option<BTreeSet<&str>> = given.map(|value| Some(number_and_unit(value)?.1)).collect();
        let unit = units.filter(|units| units.len() == 1).and_then(|units| units.into_iter().next());
        let values = match unit.map(|unit| (unit, in_names(unit))) {
            Some(("", _)) => Values::Numbers,
            Some((_, unit)) if !unit.is_empty() => Values::Quantities(format!("{name}_{unit}")),
            _ => Values::Texts,
        };
        TidyAxis { name: name.into(), values }
    }

    /// The axes of some runs, in the order in which they come.
    pub fn all_of(taken: &[SimulationRuns]) -> Vec<Self> {
        let values = taken.iter().flat_map(|taken| &taken.axes);
        let names = distinct(values.clone().map(|(axis, _)| axis.as_str()));
        let axis = |name: &&str| {
            let own = values.clone().filter(|(axis, _)| axis == name);
            TidyAxis::of(name, own.map(|(_, value)| value.as_str()))
        };
        names.iter().map(axis).collect()
    }

    fn columns(&self) -> Vec<Column> {
        let column = |name: &str, kind| Column { name: name.into(), kind };
        match &self.values {
            Values::Texts => vec![column(&self.name, Kind::Text)],
            Values::Numbers => vec![column(&self.name, Kind::MaybeNumber)],
            Values::Quantities(name) => {
                vec![column(&self.name, Kind::Text), column(name, Kind::MaybeNumber)]
            }
        }
    }

    fn cells<'a>(&self, value: &'a str) -> impl Iterator<Item = Cell<'a>> + use<'a> {
        let text = (self.values != Values::Numbers).then_some(Cell::Text(value));
        let number = || maybe(number_and_unit(value).map(|(number, _)| number));
        text.into_iter().chain((self.values != Values::Texts).then(number))
    }
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
pub fn columns(axes: &[TidyAxis]) -> Result<Vec<Column>, String> {
    let axis = axes.iter().flat_map(TidyAxis::columns);
    let fixed = COLUMNS.iter().map(|(name, kind)| Column { name: (*name).into(), kind: *kind });
    let columns: Vec<Column> = axis.chain(fixed).collect();
    let twice = (1..columns.len()).find(|i| columns[..*i].iter().any(|c| c.name == columns[*i].name));
    match twice {
        Some(twice) => {
            Err(format!("two columns of the table would be named `{}`: rename the axis", columns[twice].name))
        }
        None => Ok(columns),
    }
}

/// Each row of a table of all these runs, without duplicates; missing axes are empty.
pub fn each<E>(
    axes: &[TidyAxis],
    taken: &[SimulationRuns],
    mut row: impl FnMut(&[Cell<'_>]) -> Result<(), E>,
) -> Result<(), E> {
    let mut known = HashSet::new();
    for taken in taken.iter().filter(|taken| known.insert(&taken.axes)) {
        let value = |axis: &TidyAxis| taken.axes.iter().find(|(name, _)| *name == axis.name);
        let values: Vec<&str> =
            axes.iter().map(|axis| value(axis).map_or("", |(_, value)| value.as_str())).collect();
        for summary in &taken.summaries {
            for flow in &summary.flows {
                let at = axes.iter().zip(&values).flat_map(|(axis, value)| axis.cells(value));
                row(&at.chain(cells(summary, flow)).collect::<Vec<_>>())?;
            }
        }
    }
    Ok(())
}

/// Writes the table of all these runs as `NAME.csv` and `NAME.parquet` in `folder`, which must exist, row by row: memory does not
/// grow with their number. The files have their names when they are complete.
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
    each(&axes, taken, |cells| {
        csv.row(cells.iter().copied())?;
        parquet.row(cells.iter().copied())
    })?;
    Ok([csv.finish()?, parquet.finish()?])
}

/// A flow's cells, one for each of [`COLUMNS`].
fn cells<'a>(run: &'a Summary, flow: &'a FlowSummary) -> [Cell<'a>; COLUMNS.len()] {
    let largest = |of: fn(&SubflowSummary) -> Option<f64>| {
        maybe(flow.subflows.iter().filter_map(of).reduce(f64::max).map(|s| s * 1e3))
    };
    let mean =
        |of: fn(&SubflowSummary) -> Option<f64>| maybe(by_segments(&flow.subflows, of).map(|s| s * 1e3));
    let completion = flow.completion.as_ref();
    let slowdown = flow.transfers.as_ref().and_then(|transfers| transfers.slowdown.as_ref());
    let alone = flow.transfers.as_ref().and_then(|transfers| transfers.times_alone.as_ref());
    [
        Cell::Text(&flow.cc),
        Cell::Count(run.seed),
        Cell::Text(&flow.name),
        maybe(flow.goodput_bps.map(|bps| bps / 1e6)),
        maybe(run.share(flow)),
        Cell::Count(flow.retransmitted_segments),
        Cell::Count(flow.subflows.iter().map(|s| s.timeouts).sum()),
        maybe(flow.loss_rate().map(|part| part * 100.0)),
        mean(|s| s.mean_rtt_s),
        largest(|s| s.rtt_p95_s),
        mean(|s| s.mean_srtt_s),
        largest(|s| s.srtt_p95_s),
        maybe(completion.map(|c| c.mean_s)),
        maybe(completion.map(|c| c.p95_s)),
        maybe(slowdown.map(|s| s.mean)),
        maybe(slowdown.map(|s| s.p95)),
        maybe(alone.map(|s| s.mean)),
        maybe(alone.map(|s| s.p95)),
        maybe(run.jain),
        maybe(utilisation(run, flow).map(|part| part * 100.0)),
        Cell::Text(&run.scenario_hash),
    ]
}

/// Null if missing.
fn maybe(value: Option<f64>) -> Cell<'static> {
    Cell::Number(value.unwrap_or(f64::NAN))
}

/// The mean over subflows, weighted by segments sent.
fn by_segments(subflows: &[SubflowSummary], of: fn(&SubflowSummary) -> Option<f64>) -> Option<f64> {
    let each = || subflows.iter().filter_map(|s| Some((of(s)?, s.sent_segments as f64)));
    let sent: f64 = each().map(|(_, sent)| sent).sum();
    (sent > 0.0).then(|| each().map(|(rtt, sent)| rtt * sent).sum::<f64>() / sent)
}

fn utilisation(run: &Summary, flow: &FlowSummary) -> Option<f64> {
    let crossed = |name: &String| flow.subflows.iter().any(|s| s.path.contains(name));
    let all: Vec<f64> = run.links.iter().filter(|l| crossed(&l.name)).map(|l| l.utilisation).collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

#[cfg(test)]
mod tests;
