//! Samples into the files of a directory.

use super::table::{Column, Table, column};
use crate::{
    Cell, CompletionSample, CsvTable, Kind, Layout, LinkSample, LinkSeries, ParquetTable, Sink,
    SubflowSample, SubflowSeries, TableFile,
};
use std::io;
use std::path::PathBuf;

/// Samples as `subflows.parquet`, `links.parquet` and, where there are any, `completions.parquet`.
pub type ParquetSink = FileSink<ParquetTable>;

/// Samples as `subflows.csv`, `links.csv` and, where there are any, `completions.csv`.
pub type CsvSink = FileSink<CsvTable>;

/// A file of samples that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// Writes the samples of one run into files of one format.
///
/// A file has its name only once it is complete, after [`FileSink::finish`]; until then it ends in
/// `.partial`. A sink that is dropped earlier removes its files.
pub struct FileSink<T: Table> {
    directory: PathBuf,
    layout: Layout,
    /// For each flow and subflow the names of its links, joined by `+`.
    paths: Vec<Vec<String>>,
    /// Names of the observables that have a column: those asked for and those of all algorithms.
    observables: Vec<&'static str>,
    /// For each of them its place among each flow's observables.
    places: Vec<Vec<Option<usize>>>,
    subflows: Option<TableFile<T>>,
    links: Option<TableFile<T>>,
    completions: Option<TableFile<T>>,
    error: Option<WriteError>,
}

impl<T: Table> FileSink<T> {
    /// Will write into `directory`, which must exist.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        FileSink {
            directory: directory.into(),
            layout: Layout::default(),
            paths: Vec::new(),
            observables: Vec::new(),
            places: Vec::new(),
            subflows: None,
            links: None,
            completions: None,
            error: None,
        }
    }

    /// Columns for these observables too, of algorithms that come later ([`Sink::extend`]).
    pub fn with_observables(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.add_observables(names);
        self
    }

    fn add_observables(&mut self, names: impl IntoIterator<Item = &'static str>) {
        for name in names {
            if !self.observables.contains(&name) {
                self.observables.push(name);
            }
        }
    }

    /// An upper estimate of the bytes that [`FileSink::finish`] writes.
    pub fn pending_bytes(&self) -> u64 {
        let files = [&self.subflows, &self.links, &self.completions].into_iter().flatten();
        files.map(TableFile::pending_bytes).sum()
    }

    /// Whether a file could not be written.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Completes the files, with these facts as metadata if the format allows, and returns their paths.
    ///
    /// # Errors
    /// The first [`WriteError`] since the start of the run; files that are not complete are removed.
    pub fn finish(mut self, facts: &[(&'static str, String)]) -> Result<Vec<PathBuf>, WriteError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let outputs = [self.subflows.take(), self.links.take(), self.completions.take()];
        let complete = |mut file: TableFile<T>| {
            file.describe(facts);
            file.finish()
        };
        outputs.into_iter().flatten().map(complete).collect()
    }

    /// Does `write` unless something failed before.
    fn attempt(&mut self, write: impl FnOnce(&mut Self) -> Result<(), WriteError>) {
        if self.error.is_none() {
            self.error = write(self).err();
        }
    }

    fn create(&self, name: &str, columns: Vec<Column>) -> Result<Option<TableFile<T>>, WriteError> {
        let path = self.directory.join(name).with_extension(T::EXTENSION);
        TableFile::create(path, columns).map(Some)
    }

    fn subflow_columns(&self) -> Vec<Column> {
        let place =
            [("time_s", Kind::Number), ("flow", Kind::Text), ("subflow", Kind::Count), ("path", Kind::Text)];
        let fixed = place.into_iter().chain(SubflowSeries::COLUMNS.iter().map(|c| (c.name, c.kind)));
        let observables = self.observables.iter().map(|name| (*name, Kind::MaybeNumber));
        fixed.chain(observables).map(|(name, kind)| column(name, kind)).collect()
    }
}

impl<T: Table> Sink for FileSink<T> {
    fn begin(&mut self, layout: &Layout) {
        self.add_observables(layout.flows.iter().flat_map(|f| f.observables.iter().copied()));
        self.extend(layout);
        self.attempt(|sink| {
            sink.subflows = sink.create("subflows", sink.subflow_columns())?;
            let place = [("time_s", Kind::Number), ("link", Kind::Text)];
            let columns = place.into_iter().chain(LinkSeries::COLUMNS.iter().map(|c| (c.name, c.kind)));
            let columns = columns.map(|(name, kind)| column(name, kind)).collect();
            sink.links = sink.create("links", columns)?;
            Ok(())
        });
    }

    /// Observables for which there is no column are left out.
    fn extend(&mut self, layout: &Layout) {
        self.layout = layout.clone();
        self.paths = layout.flows.iter().map(|f| f.paths.iter().map(|p| p.join("+")).collect()).collect();
        let places_in = |own: &[&str]| {
            self.observables.iter().map(|name| own.iter().position(|o| o == name)).collect::<Vec<_>>()
        };
        self.places = layout.flows.iter().map(|f| places_in(&f.observables)).collect();
    }

    fn subflow(&mut self, s: &SubflowSample<'_>) {
        self.attempt(|sink| {
            let Some(output) = &mut sink.subflows else { return Ok(()) };
            let place = [
                Cell::Number(s.time_s),
                Cell::Text(&sink.layout.flows[s.flow].name),
                Cell::Count(s.subflow as u64 + 1),
                Cell::Text(&sink.paths[s.flow][s.subflow]),
            ];
            let observables = sink.places[s.flow].iter();
            let observables = observables.map(|place| place.map_or(f64::NAN, |i| s.observables[i]).into());
            output.row(place.into_iter().chain(s.known().cells()).chain(observables))
        });
    }

    fn link(&mut self, s: &LinkSample) {
        self.attempt(|sink| {
            let Some(output) = &mut sink.links else { return Ok(()) };
            let place = [Cell::Number(s.time_s), Cell::Text(&sink.layout.links[s.link])];
            output.row(place.into_iter().chain(s.cells()))
        });
    }

    fn completion(&mut self, s: &CompletionSample) {
        self.attempt(|sink| {
            if sink.completions.is_none() {
                let columns = [
                    ("time_s", Kind::Number),
                    ("flow", Kind::Text),
                    ("bytes", Kind::Count),
                    ("completion_s", Kind::Number),
                    ("start_s", Kind::Number),
                    ("slowdown", Kind::MaybeNumber),
                    ("times_alone", Kind::MaybeNumber),
                ];
                let columns = columns.map(|(name, kind)| column(name, kind));
                sink.completions = sink.create("completions", columns.to_vec())?;
            }
            let Some(output) = &mut sink.completions else { return Ok(()) };
            output.row([
                Cell::Number(s.time_s),
                Cell::Text(&sink.layout.flows[s.flow].name),
                Cell::Count(s.bytes),
                Cell::Number(s.completion_s),
                Cell::Number(s.time_s - s.completion_s),
                Cell::Number(s.slowdown),
                Cell::Number(s.times_alone),
            ])
        });
    }
}
