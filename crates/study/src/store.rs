//! Outcomes on disk. A run is made once, whichever process asks for it, and outlasts the process that made it.
//!
//! `DIR/VERSION/ab/abcd….json` holds one outcome; its name is the run's [`Key`]. Beside it, `abcd….new` is the file into
//! which a process is about to write it: whoever has that file locked makes the run, and the lock ends with its process.

use crate::Kept;
use crate::key::RunId;
use anabranch_record::Summary;
use record::Damage;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

mod others;
mod record;

pub use crate::key::Key;
pub use others::Others;
pub use record::Record;

/// Damaged files that are named; the sixth and later ones are made again without a word.
const NAMED: usize = 5;

/// Outcomes of one version of the program, in a folder that several processes may share.
pub struct Store {
    dir: PathBuf,
    version: String,
    tell: Box<dyn Fn(&str) + Send + Sync>,
    used: Mutex<Used>,
    /// Whether somebody was told that an outcome cannot be kept.
    told: AtomicBool,
}

/// What became of the outcomes that were asked for.
#[derive(Default)]
struct Used {
    found: BTreeSet<Key>,
    kept: BTreeSet<Key>,
    damaged: BTreeSet<Key>,
}

/// Why there is no store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be made.
    #[error("cannot make {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A version that is no name of a folder.
    #[error("`{0}` is no version of a store: it must have letters, digits and dashes only")]
    Version(String),
}

/// The right to make a run. It ends when it is dropped, and with its process.
#[derive(Default)]
pub struct Claim(Option<Held>);

/// A locked file, which becomes the outcome.
struct Held {
    key: Key,
    file: File,
    path: PathBuf,
    /// Whether it has become the outcome. Then the file of its former name may be another process's.
    renamed: bool,
}

/// The hash of the running program: the version under which it keeps outcomes.
///
/// # Errors
/// Where the program cannot be read.
pub fn program() -> io::Result<String> {
    Ok(Key::sum(&fs::read(std::env::current_exe()?)?).to_string())
}

impl Store {
    /// The store in the folder `dir`, which is made if it is not there. Only outcomes of `version` are used: a hash of the
    /// program, since another program's algorithms may be others.
    ///
    /// # Errors
    /// [`StoreError`].
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
            tell: Box::new(|_| ()),
            used: Mutex::default(),
            told: AtomicBool::new(false),
        })
    }

    /// The same; what the user should know though the work goes on is given to `tell`: a damaged file, a full disk.
    pub fn telling(self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Store { tell: Box::new(tell), ..self }
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The number of outcomes that were there before and have been asked for.
    pub fn found(&self) -> usize {
        self.used(|used| used.found.len())
    }

    /// The number of outcomes that this process has added.
    pub fn kept(&self) -> usize {
        self.used(|used| used.kept.len())
    }

    /// Removes the outcomes that this process found or kept, and the folders that are empty then. What cannot be removed
    /// stays: it harms nobody.
    pub fn remove_used(&self) {
        let keys = self.used(|used| used.found.union(&used.kept).copied().collect::<Vec<_>>());
        for key in keys {
            let file = self.file(&key);
            let _ = fs::remove_file(&file);
            let _ = file.parent().map_or(Ok(()), fs::remove_dir);
        }
        let _ = fs::remove_dir(self.dir.join(&self.version)).and_then(|()| fs::remove_dir(&self.dir));
    }

    fn used<T>(&self, with: impl FnOnce(&mut Used) -> T) -> T {
        with(&mut self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn key(&self, run: RunId<'_>) -> Key {
        Key::of(&self.version, run)
    }

    fn file(&self, key: &Key) -> PathBuf {
        let name = key.to_string();
        self.dir.join(&self.version).join(&name[..2]).join(name).with_extension("json")
    }

    fn damaged(&self, key: Key, file: &Path, why: &Damage) {
        let before =
            self.used(|used| if used.damaged.insert(key) { used.damaged.len() - 1 } else { NAMED + 1 });
        let file = file.display();
        match before {
            0..NAMED => (self.tell)(&format!("{file} {why}: the run is made again")),
            NAMED => (self.tell)(&format!("{file} {why}, and others may be damaged too: all are made again")),
            _ => {}
        }
    }

    /// No reason to lose the run. Said once.
    fn cannot_keep(&self, path: &Path, why: &dyn fmt::Display) {
        if !self.told.swap(true, Ordering::Relaxed) {
            let path = path.display();
            (self.tell)(&format!("runs cannot be kept for later, but their results are used: {path}: {why}"));
        }
    }
}

impl Kept for Store {
    fn find(&self, run: RunId<'_>) -> Option<Summary> {
        let key = self.key(run);
        let file = self.file(&key);
        match record::read(&file, &key, &self.version) {
            Ok(outcome) => {
                let outcome = outcome?;
                self.used(|used| used.kept.contains(&key) || used.found.insert(key));
                Some(outcome.summary)
            }
            Err(why) => {
                self.damaged(key, &file, &why);
                None
            }
        }
    }

    fn claim(&self, run: RunId<'_>) -> Option<Claim> {
        let key = self.key(run);
        let path = self.file(&key).with_extension("new");
        match lock(&path) {
            Ok(file) => file.map(|file| Claim(Some(Held { key, file, path, renamed: false }))),
            Err(why) => {
                self.cannot_keep(&path, &why);
                Some(Claim::default())
            }
        }
    }

    fn keep(&self, mut claim: Claim, summary: &Summary) {
        let Some(held) = &mut claim.0 else { return };
        let key = held.key;
        let file = self.file(&key);
        // Not flushed to the disk: a machine that loses its power may leave a torn file, which its checksum tells.
        let written = held.file.write_all(&record::write(&key, &self.version, summary));
        match written.and_then(|()| fs::rename(&held.path, &file)) {
            Ok(()) => {
                held.renamed = true;
                self.used(|used| used.kept.insert(key));
            }
            Err(why) => self.cannot_keep(&file, &why),
        }
    }
}

impl Drop for Held {
    /// While it is still locked: nobody else may have the file of that name.
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// An empty file of that name, locked; none where another process has it locked.
fn lock(path: &Path) -> io::Result<Option<File>> {
    loop {
        let open = || File::options().read(true).write(true).create(true).truncate(false).open(path);
        let opened = open().or_else(|why| match (why.kind(), path.parent()) {
            (io::ErrorKind::NotFound, Some(folder)) => fs::create_dir_all(folder).and_then(|()| open()),
            _ => Err(why),
        });
        match locked(opened?, path)? {
            Lock::Ours(file) => return Ok(Some(file)),
            Lock::Others => return Ok(None),
            Lock::Gone => {}
        }
    }
}

/// Whose an opened file is.
enum Lock {
    /// This process's, and empty.
    Ours(File),
    /// It is locked.
    Others,
    /// Whoever had it locked has removed it, or given it the outcome's name, since it was opened.
    Gone,
}

/// Locks the file that was opened under that name.
fn locked(file: File, path: &Path) -> io::Result<Lock> {
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(Lock::Others),
        Err(TryLockError::Error(why)) => return Err(why),
    }
    let ours = file.metadata()?;
    match path.symlink_metadata() {
        Ok(there) if !there.is_file() => Err(io::Error::other("it is no file")),
        Ok(there) if (there.dev(), there.ino()) == (ours.dev(), ours.ino()) => {
            // What a process left there that was killed while it wrote. On an empty file it would cost time: the file system
            // then writes the file to the disk when it is closed.
            if ours.len() > 0 {
                file.set_len(0)?;
            }
            Ok(Lock::Ours(file))
        }
        Ok(_) => Ok(Lock::Gone),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(Lock::Gone),
        Err(why) => Err(why),
    }
}

#[cfg(test)]
mod tests;
