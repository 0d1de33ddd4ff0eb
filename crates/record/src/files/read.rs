//! A run's record read back from its directory, Parquet or CSV.

mod columns;

use crate::{CompletionSample, FlowSeries, FlowSummary, LinkSeries, MemorySink, SubflowSeries, Summary};
use columns::{Columns, ColumnsError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A run read from its directory.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its summary.
    pub summary: Summary,
    /// Its samples.
    pub samples: MemorySink,
}

/// Why a directory is not the record of a run.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It has no such file.
    #[error("{} has no {file}: it is not the record of a run", folder.display())]
    Missing {
        /// The directory.
        folder: PathBuf,
        /// The missing file.
        file: &'static str,
    },
    /// A file cannot be opened or read, or its content is invalid for this version.
    #[error("{0}")]
    Other(String),
}

impl ReadError {
    fn unreadable(path: &Path, why: &io::Error) -> Self {
        ReadError::Other(format!("cannot read {}: {why}", path.display()))
    }

    fn invalid(path: &Path, why: &str) -> Self {
        ReadError::Other(format!("{} is damaged or from another version: {why}", path.display()))
    }
}

/// The columns that identify a subflow's row; samples and observables follow.
const PLACE: [&str; 4] = ["time_s", "flow", "subflow", "path"];

impl Record {
    /// Reads what a [`RunDirectory`](crate::RunDirectory) left in a folder.
    pub fn read(folder: &Path) -> Result<Record, ReadError> {
        let missing = |file| ReadError::Missing { folder: folder.to_owned(), file };
        let path = folder.join("summary.json");
        let summary = Summary::read(&path).map_err(|e| match e.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => missing("summary.json"),
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof => ReadError::invalid(&path, &e.to_string()),
            _ => ReadError::unreadable(&path, &e),
        })?;
        let flows = table(folder, "subflows", |subflows| flows(subflows, &summary))?
            .ok_or_else(|| missing("subflows.parquet or .csv"))?;
        let links = table(folder, "links", |links| link_series(links, &summary))?
            .ok_or_else(|| missing("links.parquet or .csv"))?;
        let completions = table(folder, "completions", |table| completions(table, &flows))?;
        let completions = completions.unwrap_or_default();
        Ok(Record { summary, samples: MemorySink { flows, links, completions } })
    }
}

/// The content of the table of that name, in either format; `None` if missing.
fn table<T>(
    folder: &Path,
    name: &str,
    content: impl FnOnce(&Columns) -> Result<T, ColumnsError>,
) -> Result<Option<T>, ReadError> {
    for (extension, read) in [("parquet", Columns::parquet as fn(_) -> _), ("csv", Columns::csv)] {
        let path = folder.join(name).with_extension(extension);
        match std::fs::File::open(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(ReadError::unreadable(&path, &e)),
            Ok(file) => {
                let content = read(file).and_then(|table| content(&table)).map(Some);
                return content.map_err(|ColumnsError(why)| ReadError::invalid(&path, &why));
            }
        }
    }
    Ok(None)
}

/// Rows of each subject, in the order of the subjects' first rows.
fn groups<K: PartialEq + Copy>(keys: impl Iterator<Item = K>) -> Vec<(K, Vec<usize>)> {
    let mut groups: Vec<(K, Vec<usize>)> = Vec::new();
    let mut last = 0;
    for (row, key) in keys.enumerate() {
        // Subjects alternate: the next one is usually the one that followed before.
        let next = (last + 1..groups.len()).chain(0..groups.len()).find(|&g| groups[g].0 == key);
        last = next.unwrap_or(groups.len());
        match next {
            Some(g) => groups[g].1.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups
}

/// The largest plausible number: larger ones mean a damaged file.
const MOST_SUBFLOWS: f64 = 4096.0;

fn flows(table: &Columns, summary: &Summary) -> Result<Vec<FlowSeries>, ColumnsError> {
    let (names, numbers) = (table.text("flow")?, table.numbers("subflow")?);
    let paths = table.text("path")?;
    let empty = |f: &FlowSummary| FlowSeries { name: f.name.clone(), cc: f.cc.clone(), subflows: Vec::new() };
    let mut flows: Vec<FlowSeries> = summary.flows.iter().map(empty).collect();
    for ((name, _), rows) in groups(names.iter().map(String::as_str).zip(numbers.iter().map(|n| n.to_bits())))
    {
        let Some(flow) = flows.iter_mut().find(|f| f.name == name) else {
            return Err(ColumnsError(format!("the flow {name:?} is not in summary.json")));
        };
        let number = match numbers[rows[0]] {
            whole if whole.fract() == 0.0 && (1.0..=MOST_SUBFLOWS).contains(&whole) => whole as usize,
            other => return Err(ColumnsError(format!("a flow {name:?} has no subflow {other}"))),
        };
        let of = |column: &str| table.rows(column, &rows);
        let fixed =
            |name: &str| PLACE.contains(&name) || SubflowSeries::COLUMNS.iter().any(|c| c.name == name);
        let observables = table.names().filter(|n| !fixed(n)).map(|n| Ok((n.to_owned(), of(n)?)));
        let observables: Vec<(String, Vec<f64>)> = observables.collect::<Result<_, ColumnsError>>()?;
        let mut subflow = SubflowSeries {
            path: paths[rows[0]].split('+').map(str::to_owned).collect(),
            observables: observables.into_iter().filter(|(_, v)| v.iter().any(|v| v.is_finite())).collect(),
            ..SubflowSeries::of_columns(of)?
        };
        // Null stands for what is infinite before the first congestion.
        subflow.ssthresh_segments.iter_mut().filter(|s| s.is_nan()).for_each(|s| *s = f64::INFINITY);
        // A subflow that never came up has no rows: those after it keep their numbers.
        let known = flow.subflows.len().max(number);
        flow.subflows.resize_with(known, SubflowSeries::default);
        flow.subflows[number - 1] = subflow;
    }
    Ok(flows)
}

fn link_series(table: &Columns, summary: &Summary) -> Result<Vec<LinkSeries>, ColumnsError> {
    let names = table.text("link")?;
    let groups = groups(names.iter().map(String::as_str));
    let of = |name: &String| {
        let rows = groups.iter().find(|(n, _)| n == name).map_or(&[][..], |(_, rows)| rows);
        let series = LinkSeries::of_columns(|column| table.rows(column, rows))?;
        Ok(LinkSeries { name: name.clone(), ..series })
    };
    summary.links.iter().map(|link| &link.name).map(of).collect()
}

fn completions(table: &Columns, flows: &[FlowSeries]) -> Result<Vec<CompletionSample>, ColumnsError> {
    let (names, time) = (table.text("flow")?, table.numbers("time_s")?);
    let (bytes, took) = (table.numbers("bytes")?, table.numbers("completion_s")?);
    let (slowdown, times_alone) = (table.numbers("slowdown")?, table.numbers("times_alone")?);
    let one = |i: usize| {
        let flow = flows.iter().position(|f| f.name == names[i]);
        let flow =
            flow.ok_or_else(|| ColumnsError(format!("the flow {:?} is not in summary.json", names[i])))?;
        Ok(CompletionSample {
            time_s: time[i],
            flow,
            bytes: bytes[i] as u64,
            completion_s: took[i],
            slowdown: slowdown[i],
            times_alone: times_alone[i],
        })
    };
    (0..names.len()).map(one).collect()
}
