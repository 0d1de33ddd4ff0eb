//! A run's directory: its summary, samples and scenario.

use super::output::{Notify, OutputError, ResultFolder};
use super::sample_format::SampleFormat;
use crate::{FileSink, Sink, Summary, WriteError};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A run's directory while it is written.
pub struct RunDirectory {
    /// Its name as given by the user.
    path: PathBuf,
    place: ResultFolder,
    samples: FileSink,
    notify: Notify,
}

/// Bytes of a subflow in a summary, and of all else: whole blocks of the disk for each file.
const PER_SUBFLOW: u64 = 2 << 10;
const OTHER_FILES: u64 = 24 << 10;

const SUMMARY: &str = "summary.json";
const SCENARIO: &str = "scenario.toml";

/// The metadata of a file of samples.
fn facts(summary: &Summary) -> [(&'static str, String); 6] {
    let algorithms: BTreeMap<&str, &str> = summary.flows.iter().map(|f| (&*f.name, &*f.cc)).collect();
    let json = |map: &BTreeMap<&str, &str>| serde_json::to_string(map).expect("text");
    [
        ("version", summary.version.clone()),
        ("scenario", summary.scenario.clone()),
        ("scenario_hash", summary.scenario_hash.clone()),
        ("seed", summary.seed.to_string()),
        ("cc", json(&algorithms)),
        ("units", json(&UNITS.into())),
    ]
}

/// Endings of columns' names, and what they mean.
const UNITS: [(&str, &str); 4] =
    [("_s", "seconds"), ("_bytes", "bytes"), ("_segments", "segments"), ("_packets", "packets")];

impl RunDirectory {
    /// Claims the directory, with columns for these observables in addition to the algorithms'. An earlier run's files stay until
    /// this run's results are complete.
    pub fn open(
        path: &Path,
        format: SampleFormat,
        observables: &[&'static str],
        notify: Notify,
    ) -> Result<Self, OutputError> {
        let place = ResultFolder::claim(path, notify)?;
        let samples = FileSink::new(place.folder(), format).with_observables(observables.iter().copied());
        Ok(RunDirectory { path: path.to_owned(), place, samples, notify })
    }

    /// The summary of the earlier run in the directory.
    pub fn earlier(&self) -> Option<Summary> {
        Summary::read(&self.place.target().join(SUMMARY)).ok()
    }

    /// The sink of the samples.
    pub fn sink(&mut self) -> &mut dyn Sink {
        &mut self.samples
    }

    /// The free bytes of the disk if a record must end now: a file could not be written, or the disk has hardly more room than the
    /// rest of the samples and a summary of this number of subflows need.
    pub fn must_end(&self, subflows: usize) -> Option<u64> {
        let rest = self.samples.pending_bytes() + OTHER_FILES + subflows as u64 * PER_SUBFLOW;
        let free = free_bytes(self.place.folder());
        (self.samples.has_failed() || free.is_some_and(|free| free < rest)).then(|| free.unwrap_or(0))
    }

    /// Completes the directory, with the scenario if any. Returns its files.
    pub fn finish(self, summary: &Summary, scenario: Option<&str>) -> Result<Vec<PathBuf>, OutputError> {
        let is_whole = self.earlier().is_some_and(|earlier| earlier.partial_until_s.is_none());
        let RunDirectory { path, place, samples, notify } = self;
        let lost = |e: WriteError| OutputError::because("the samples are lost", &e);
        let samples = samples.finish(&facts(summary)).map_err(lost)?;
        let cannot = |e| OutputError::because(format!("cannot write into {}", path.display()), &e);
        let mut files = vec![PathBuf::from(SUMMARY)];
        summary.write(&place.folder().join(SUMMARY)).map_err(cannot)?;
        if let Some(scenario) = scenario {
            files.push(SCENARIO.into());
            fs::write(place.folder().join(SCENARIO), scenario).map_err(cannot)?;
        }
        files.extend(samples.iter().filter_map(|path| path.file_name()).map(PathBuf::from));
        // An interrupted run must not replace a complete one.
        let path = if summary.partial_until_s.is_some() && is_whole {
            let beside = place.commit_beside("partial")?;
            notify(&format!("{} still has the earlier results of a complete run", path.display()));
            beside
        } else {
            place.commit()?;
            path
        };
        Ok(files.into_iter().map(|file| path.join(file)).collect())
    }
}

/// The bytes that this process may still write on a folder's disk, of which a part may be kept for root; `None` if that is unknown.
#[cfg(not(windows))]
fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    let free = if rustix::process::geteuid().is_root() { disk.f_bfree } else { disk.f_bavail };
    // Some virtual file systems have no size.
    (disk.f_blocks > 0).then(|| free * disk.f_frsize)
}

#[cfg(windows)]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}
