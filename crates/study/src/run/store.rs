//! Outcomes on disk. Processes share them, so that each run is made once.
//!
//! `DIR/VERSION/runs.jsonl` has a line for each outcome, with the run's [`Key`]. A process that makes a run locks the byte at the
//! key's number; a process that writes locks the first byte. A lock ends with its process.

use super::lock::lock;
use crate::key::RunId;
use anabranch_record::Summary;
use locks::ByteLock;
use log::Log;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

#[cfg(target_os = "linux")]
mod locks;
#[cfg(not(target_os = "linux"))]
#[path = "store/locks_of_files.rs"]
mod locks;
mod log;
mod other_versions;
mod record;
#[cfg(unix)]
mod store_file;
#[cfg(windows)]
#[path = "store/store_file_windows.rs"]
mod store_file;

pub use crate::key::Key;
pub use other_versions::OtherVersions;
pub use record::Record;
#[cfg(unix)]
pub use store_file::{after_fork, before_fork};

const FILE: &str = "runs.jsonl";

/// The number of damaged lines to report; later ones are repeated silently.
const NAMED: usize = 5;

/// Storage for outcomes of runs, possibly shared with other processes. It excludes runs with samples, which are large.
pub trait RunCache: Sync {
    /// A run's stored outcome, if any.
    fn find(&self, run: RunId<'_>) -> Option<Summary>;
    /// Claims a run; `None` while another process has it.
    fn claim(&self, _run: RunId<'_>) -> Option<Claim> {
        Some(Claim::default())
    }
    /// Stores a run's outcome.
    fn keep(&self, claim: Claim, summary: &Summary);
}

/// Outcomes of one version of results, in a folder that several processes may share.
pub struct Store {
    dir: PathBuf,
    version: String,
    notify: Box<dyn Fn(&str) + Send + Sync>,
    /// The file, once there is one.
    log: Mutex<Option<Log>>,
    /// The runs that this process is making: its file locks do not exclude its own threads.
    making: Arc<Mutex<HashSet<Key>>>,
    used: Mutex<Usage>,
}

#[derive(Default)]
struct Usage {
    found: BTreeSet<Key>,
    kept: BTreeSet<Key>,
    damaged: usize,
    /// Whether a failure to store was reported.
    reported: bool,
}

/// An error on opening a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be made.
    #[error("cannot create {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The version is not a valid folder name.
    #[error("`{0}` is not a valid store version: use only letters, digits and dashes")]
    Version(String),
}

/// The right to make a run, until dropped or until the process ends: locks against other processes and other threads, released in
/// that order.
#[derive(Default)]
pub struct Claim(Option<(ByteLock, RunInProgress)>);

struct RunInProgress {
    key: Key,
    all: Arc<Mutex<HashSet<Key>>>,
}

impl Store {
    /// Opens the store in the folder `dir`, creating it if needed. Only outcomes of `version` are used.
    pub fn open(dir: impl Into<PathBuf>, version: &str) -> Result<Self, StoreError> {
        if version.is_empty() || !version.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return Err(StoreError::Version(version.to_owned()));
        }
        let dir = dir.into();
        let path = dir.join(version);
        fs::create_dir_all(&path).map_err(|source| StoreError::Folder { path, source })?;
        Ok(Store {
            dir,
            version: version.to_owned(),
            notify: Box::new(|_| ()),
            log: Mutex::default(),
            making: Arc::default(),
            used: Mutex::default(),
        })
    }

    /// Calls `notify` on problems that do not stop the work, such as a damaged line or a full disk.
    pub fn with_notify(self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Store { notify: Box::new(notify), ..self }
    }

    /// The version whose outcomes it has.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The number of stored outcomes that were used.
    pub fn found(&self) -> usize {
        self.used(|used| used.found.len())
    }

    /// The number of outcomes that this process has added.
    pub fn kept(&self) -> usize {
        self.used(|used| used.kept.len())
    }

    /// Removes the outcomes that this process found or stored, and folders that become empty. Ignores failures.
    pub fn remove_used(&self) {
        let keys = self.used(|used| used.found.union(&used.kept).copied().collect::<Vec<_>>());
        let mut log = lock(&self.log);
        let _ = log.as_mut().map_or(Ok(()), |log| log.remove(keys.into_iter()));
        let _ = fs::remove_dir(self.dir.join(&self.version)).and_then(|()| fs::remove_dir(&self.dir));
        *log = None;
    }

    /// Stores a run's outcome as [`RunCache::keep`], but returns errors.
    pub fn add(&self, claim: Claim, summary: &Summary) -> io::Result<()> {
        let no_lock = || io::Error::other("the file does not lock this run");
        let (_, RunInProgress { key, .. }) = claim.0.as_ref().ok_or_else(no_lock)?;
        let line = record::write(key, &self.version, summary);
        self.write(|log| log.append(key, &line))?;
        self.used(|used| _ = used.kept.insert(*key));
        Ok(())
    }

    fn used<T>(&self, with: impl FnOnce(&mut Usage) -> T) -> T {
        with(&mut lock(&self.used))
    }

    fn key(&self, run: RunId<'_>) -> Key {
        Key::of(&self.version, run)
    }

    fn file(&self) -> PathBuf {
        self.dir.join(&self.version).join(FILE)
    }

    /// Applies `with` to the file, if it exists.
    fn read<T>(&self, with: impl FnOnce(&mut Log) -> io::Result<T>) -> io::Result<Option<T>> {
        let mut log = lock(&self.log);
        if log.is_none() {
            *log = Log::open(&self.file())?;
        }
        log.as_mut().map(with).transpose()
    }

    /// Applies `with` to the file, creating it if needed.
    fn write<T>(&self, with: impl FnOnce(&mut Log) -> io::Result<T>) -> io::Result<T> {
        let mut log = lock(&self.log);
        match &mut *log {
            Some(log) => with(log),
            none => with(none.insert(Log::create(&self.file())?)),
        }
    }

    fn damaged(&self, line: u64, why: &str) {
        let before = self.used(|used| {
            used.damaged += 1;
            used.damaged - 1
        });
        let file = self.file();
        let file = file.display();
        match before {
            0..NAMED => (self.notify)(&format!("{file}: line {line} {why}: the run is repeated")),
            NAMED => (self.notify)(&format!(
                "{file}: line {line} {why}; other lines may be damaged too: their runs are repeated"
            )),
            _ => {}
        }
    }

    /// Reports once that outcomes cannot be stored; the run itself is not lost.
    fn cannot_keep(&self, path: &Path, why: &dyn fmt::Display) {
        if !self.used(|used| std::mem::replace(&mut used.reported, true)) {
            let path = path.display();
            (self.notify)(&format!(
                "cannot store runs for later use ({path}: {why}); this command still uses their results"
            ));
        }
    }
}

impl RunCache for Store {
    fn find(&self, run: RunId<'_>) -> Option<Summary> {
        let key = self.key(run);
        let found = self.read(|log| {
            let line = log.find(&key)?;
            let bytes = line.map(|line| log.read(line)).transpose()?;
            Ok((log.garbage(), line.zip(bytes)))
        });
        let (garbage, found) = match found {
            Ok(found) => found?,
            Err(why) => {
                self.cannot_keep(&self.file(), &why);
                return None;
            }
        };
        garbage.into_iter().for_each(|line| self.damaged(line, record::TORN));
        let (line, bytes) = found?;
        match record::read(&bytes, &key, &self.version) {
            Ok(summary) => {
                self.used(|used| used.kept.contains(&key) || used.found.insert(key));
                Some(summary)
            }
            Err(why) => {
                self.damaged(line.number, why);
                lock(&self.log).iter_mut().for_each(|log| log.forget(&key));
                None
            }
        }
    }

    fn claim(&self, run: RunId<'_>) -> Option<Claim> {
        let key = self.key(run);
        let is_ours = lock(&self.making).insert(key);
        let making = is_ours.then(|| RunInProgress { key, all: self.making.clone() })?;
        match self.write(|log| log.claim(&key)) {
            Ok(locked) => locked.map(|locked| Claim(Some((locked, making)))),
            Err(why) => {
                self.cannot_keep(&self.file(), &why);
                Some(Claim::default())
            }
        }
    }

    fn keep(&self, claim: Claim, summary: &Summary) {
        // A claim without locks was already reported.
        if claim.0.is_some()
            && let Err(why) = self.add(claim, summary)
        {
            self.cannot_keep(&self.file(), &why);
        }
    }
}

impl Drop for RunInProgress {
    fn drop(&mut self) {
        lock(&self.all).remove(&self.key);
    }
}

#[cfg(test)]
mod processes;
#[cfg(test)]
mod tests;
