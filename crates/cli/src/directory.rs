//! The directory that a run leaves: its summary, samples and scenario.

use crate::args::Format;
use crate::failure::Failure;
use anabranch_record::{CsvSink, NoSamples, ParquetSink, Sink, Summary, WriteError};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A run's output directory, or none.
pub enum Directory {
    /// Nothing is written.
    None(NoSamples),
    /// Samples as Parquet.
    Parquet(PathBuf, Box<ParquetSink>),
    /// Samples as CSV.
    Csv(PathBuf, Box<CsvSink>),
}

const SUMMARY: &str = "summary.json";
const SCENARIO: &str = "scenario.toml";

impl Directory {
    /// Creates the directory and removes what an earlier run left in it, so that what is there
    /// afterwards belongs together.
    pub fn open(path: Option<&Path>, format: Format) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Directory::None(NoSamples)) };
        let failed = |file: &Path, e| Failure::environment(format!("cannot write {}", file.display()), &e);
        fs::create_dir_all(path).map_err(|e| failed(path, e))?;
        let samples = ["subflows", "links", "completions"];
        let samples = samples.iter().flat_map(|name| ["parquet", "csv"].map(|ext| format!("{name}.{ext}")));
        for name in samples.chain([SUMMARY.to_owned(), SCENARIO.to_owned()]) {
            let file = path.join(name);
            match fs::remove_file(&file) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(failed(&file, e)),
                _ => {}
            }
        }
        Ok(match format {
            Format::Parquet => Directory::Parquet(path.to_owned(), Box::new(ParquetSink::new(path))),
            Format::Csv => Directory::Csv(path.to_owned(), Box::new(CsvSink::new(path))),
        })
    }

    /// The samples have columns for these observables, whether or not an algorithm has them at the start.
    pub fn with_observables(self, names: Vec<&'static str>) -> Self {
        match self {
            Directory::None(sink) => Directory::None(sink),
            Directory::Parquet(path, sink) => Directory::Parquet(path, sink.with_observables(names).into()),
            Directory::Csv(path, sink) => Directory::Csv(path, sink.with_observables(names).into()),
        }
    }

    /// Where samples go.
    pub fn sink(&mut self) -> &mut dyn Sink {
        match self {
            Directory::None(sink) => sink,
            Directory::Parquet(_, sink) => &mut **sink,
            Directory::Csv(_, sink) => &mut **sink,
        }
    }

    /// Completes it, with the scenario where there was one; the files that are there now.
    pub fn finish(self, summary: &Summary, scenario: Option<&str>) -> Result<Vec<PathBuf>, Failure> {
        let failed = |e: WriteError| Failure::environment("the samples are lost", &e);
        let (path, samples) = match self {
            Directory::None(_) => return Ok(Vec::new()),
            Directory::Parquet(path, sink) => (path, sink.finish().map_err(failed)?),
            Directory::Csv(path, sink) => (path, sink.finish().map_err(failed)?),
        };
        let failed = |e| Failure::environment(format!("cannot write into {}", path.display()), &e);
        let mut files = vec![path.join(SUMMARY)];
        summary.write(&files[0]).map_err(failed)?;
        if let Some(scenario) = scenario {
            files.push(path.join(SCENARIO));
            fs::write(&files[1], scenario).map_err(failed)?;
        }
        files.extend(samples);
        Ok(files)
    }
}
