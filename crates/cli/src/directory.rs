//! The directory that a run leaves: its summary, samples and scenario.

use crate::failure::Failure;
use crate::format::Format;
use crate::output::note;
use crate::place::Place;
use anabranch_record::{CsvSink, NoSamples, ParquetSink, Sink, Summary, WriteError};
use std::fs;
use std::path::{Path, PathBuf};

/// A run's output directory, or none.
pub enum Directory {
    /// Nothing is written.
    None(NoSamples),
    /// Samples as Parquet.
    Parquet(Out, Box<ParquetSink>),
    /// Samples as CSV.
    Csv(Out, Box<CsvSink>),
}

/// Where a run's files go.
pub struct Out {
    /// As the user calls it.
    path: PathBuf,
    place: Place,
}

const SUMMARY: &str = "summary.json";
const SCENARIO: &str = "scenario.toml";

impl Directory {
    /// Claims the directory. What an earlier run left in it stays until this one's results are complete.
    pub fn open(path: Option<&Path>, format: Format) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Directory::None(NoSamples)) };
        let place = Place::claim(path)?;
        let folder = place.folder().to_owned();
        let out = Out { path: path.to_owned(), place };
        Ok(match format {
            Format::Parquet => Directory::Parquet(out, Box::new(ParquetSink::new(folder))),
            Format::Csv => Directory::Csv(out, Box::new(CsvSink::new(folder))),
        })
    }

    /// The samples have columns for these observables, whether or not an algorithm has them at the start.
    pub fn with_observables(self, names: Vec<&'static str>) -> Self {
        match self {
            Directory::None(sink) => Directory::None(sink),
            Directory::Parquet(out, sink) => Directory::Parquet(out, sink.with_observables(names).into()),
            Directory::Csv(out, sink) => Directory::Csv(out, sink.with_observables(names).into()),
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
        let (out, samples) = match self {
            Directory::None(_) => return Ok(Vec::new()),
            Directory::Parquet(out, sink) => (out, sink.finish().map_err(failed)?),
            Directory::Csv(out, sink) => (out, sink.finish().map_err(failed)?),
        };
        let folder = out.place.folder();
        let failed = |e| Failure::environment(format!("cannot write into {}", out.path.display()), &e);
        let mut files = vec![PathBuf::from(SUMMARY)];
        summary.write(&folder.join(SUMMARY)).map_err(failed)?;
        if let Some(scenario) = scenario {
            files.push(SCENARIO.into());
            fs::write(folder.join(SCENARIO), scenario).map_err(failed)?;
        }
        files.extend(samples.iter().filter_map(|path| path.file_name()).map(PathBuf::from));
        let path = out.settle(summary)?;
        Ok(files.into_iter().map(|file| path.join(file)).collect())
    }
}

impl Out {
    /// The files take their place, but for those of a part of a run, which are no reason to lose a whole one. Gives where
    /// they are.
    fn settle(self, summary: &Summary) -> Result<PathBuf, Failure> {
        let earlier = Summary::read(&self.place.target().join(SUMMARY));
        let is_whole = earlier.is_ok_and(|earlier| earlier.partial_until_s.is_none());
        if summary.partial_until_s.is_none() || !is_whole {
            return self.place.commit().map(|()| self.path);
        }
        let beside = self.place.commit_beside("partial")?;
        note(&format!("{} keeps its results, which are of a whole run", self.path.display()));
        Ok(beside)
    }
}
