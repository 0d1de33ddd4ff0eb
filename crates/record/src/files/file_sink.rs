//! Samples into the files of a directory.

use super::sample_format::SampleFormat;
use super::table::Column;
use crate::{
    Cell, CompletionSample, Kind, Layout, LinkSample, LinkSeries, SampleColumn, Sink, SubflowSample,
    SubflowSeries, TableFile,
};
use anabranch_scenario::distinct;
use std::io;
use std::mem::take;
use std::path::PathBuf;

/// A file of samples that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// Writes the samples of one run into files of one format: `subflows`, `links` and, where there are any, `completions`.
///
/// A file has its name only once it is complete, after [`FileSink::finish`]; until then it ends in
/// `.partial`. A sink that is dropped earlier removes its files.
pub struct FileSink {
    directory: PathBuf,
    format: SampleFormat,
    layout: Layout,
    /// For each flow and subflow the names of its links, joined by `+`.
    paths: Vec<Vec<String>>,
    /// Names of the observables that have a column: those asked for and those of all algorithms.
    observables: Vec<&'static str>,
    /// For each of them its place among each flow's observables.
    places: Vec<Vec<Option<usize>>>,
    subflows: Option<TableFile>,
    links: Option<TableFile>,
    completions: Option<TableFile>,
    error: Option<WriteError>,
}

impl FileSink {
    /// Will write into `directory`, which must exist.
    pub fn new(directory: impl Into<PathBuf>, format: SampleFormat) -> Self {
        FileSink {
            directory: directory.into(),
            format,
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
        self.observables = distinct(take(&mut self.observables).into_iter().chain(names));
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
    pub fn finish(self, facts: &[(&'static str, String)]) -> Result<Vec<PathBuf>, WriteError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let complete = |mut file: TableFile| {
            file.describe(facts);
            file.finish()
        };
        let files = [self.subflows, self.links, self.completions].into_iter().flatten();
        files.map(complete).collect()
    }

    /// Does `write` unless something failed before.
    fn attempt(&mut self, write: impl FnOnce(&mut Self) -> Result<(), WriteError>) {
        if self.error.is_none() {
            self.error = write(self).err();
        }
    }

    fn create<'a>(
        &self,
        name: &str,
        columns: impl IntoIterator<Item = (&'a str, Kind)>,
    ) -> Result<Option<TableFile>, WriteError> {
        let path = self.directory.join(name).with_extension(self.format.extension());
        let column = |(name, kind): (&str, Kind)| Column { name: name.to_owned(), kind };
        let columns: Vec<Column> = columns.into_iter().map(column).collect();
        TableFile::create(path, self.format, &columns).map(Some)
    }
}

impl Sink for FileSink {
    fn begin(&mut self, layout: &Layout) {
        self.add_observables(layout.flows.iter().flat_map(|f| f.observables.iter().copied()));
        self.extend(layout);
        self.attempt(|sink| {
            let own = |columns: &'static [SampleColumn]| columns.iter().map(|c| (c.name, c.kind));
            let place = [
                ("time_s", Kind::Number),
                ("flow", Kind::Text),
                ("subflow", Kind::Count),
                ("path", Kind::Text),
            ];
            let observables = sink.observables.iter().map(|name| (*name, Kind::MaybeNumber));
            let columns = place.into_iter().chain(own(SubflowSeries::COLUMNS)).chain(observables);
            sink.subflows = sink.create("subflows", columns)?;
            let place = [("time_s", Kind::Number), ("link", Kind::Text)];
            sink.links = sink.create("links", place.into_iter().chain(own(LinkSeries::COLUMNS)))?;
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
                let place = [("time_s", Kind::Number), ("flow", Kind::Text)].into_iter();
                let columns = place.chain(COMPLETIONS.map(|(name, kind, _)| (name, kind)));
                sink.completions = sink.create("completions", columns)?;
            }
            let Some(output) = &mut sink.completions else { return Ok(()) };
            let place = [Cell::Number(s.time_s), Cell::Text(&sink.layout.flows[s.flow].name)];
            output.row(place.into_iter().chain(COMPLETIONS.map(|(.., value)| value(s))))
        });
    }
}

/// The value of a completion in a column.
type Value = fn(&CompletionSample) -> Cell<'static>;

/// The columns of completions after those of time and place.
const COMPLETIONS: [(&str, Kind, Value); 5] = [
    ("bytes", Kind::Count, |s| s.bytes.into()),
    ("completion_s", Kind::Number, |s| s.completion_s.into()),
    ("start_s", Kind::Number, |s| (s.time_s - s.completion_s).into()),
    ("slowdown", Kind::MaybeNumber, |s| s.slowdown.into()),
    ("times_alone", Kind::MaybeNumber, |s| s.times_alone.into()),
];
