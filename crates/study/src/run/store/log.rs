//! The file of a store: a line for each outcome, appended by all processes that share it.

use super::locks::{ByteLock, LockByte};
use super::record;
use super::store_file::{self, StoreFile, options, to_append};
use crate::key::Key;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file, as far as this process has read it.
pub struct Log {
    path: PathBuf,
    file: Arc<StoreFile>,
    /// The last line of each run.
    lines: HashMap<Key, Line>,
    /// The position after the last line read, and the number of lines before it.
    end: u64,
    count: u64,
    /// Invalid lines not yet reported.
    garbage: Vec<u64>,
    /// Whether lines need to be removed.
    rewrite: bool,
}

/// Where an outcome is.
#[derive(Clone, Copy)]
pub struct Line {
    start: u64,
    length: usize,
    /// Counted from 1.
    pub number: u64,
}

impl Log {
    /// Opens or creates the file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let open = || to_append().create(true).open(path);
        let opened = open().or_else(|why| match (why.kind(), path.parent()) {
            (ErrorKind::NotFound, Some(folder)) => fs::create_dir_all(folder).and_then(|()| open()),
            // It may still be readable.
            (ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem, _) => options().open(path),
            _ => Err(why),
        });
        Log::of(path, opened?)
    }

    /// Opens the file; `None` if it does not exist.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        match path.symlink_metadata() {
            Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why),
            Ok(_) => Log::create(path).map(Some),
        }
    }

    fn of(path: &Path, file: File) -> io::Result<Self> {
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(Log {
            path: path.to_owned(),
            file: Arc::new(file.into()),
            lines: HashMap::new(),
            end: 0,
            count: 0,
            garbage: vec![],
            rewrite: false,
        })
    }

    /// Claims a run; `None` while another process has it.
    pub fn claim(&mut self, key: &Key) -> io::Result<Option<ByteLock>> {
        self.lock(|file| ByteLock::at_once(file, LockByte::of(key)))
    }

    /// The line of a run's outcome, including those that other processes added.
    pub fn find(&mut self, key: &Key) -> io::Result<Option<Line>> {
        self.refresh()?;
        Ok(self.lines.get(key).copied())
    }

    /// The bytes of a line; empty if the file ends before it.
    pub fn read(&self, line: Line) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; line.length];
        match (ReadFrom { file: &self.file, at: line.start }).read_exact(&mut bytes) {
            Err(why) if why.kind() == ErrorKind::UnexpectedEof => Ok(vec![]),
            read => read.map(|()| bytes),
        }
    }

    /// Drops a run's invalid line at the next write.
    pub fn forget(&mut self, key: &Key) {
        self.lines.remove(key);
        self.rewrite = true;
    }

    /// The numbers of invalid lines, each reported once.
    pub fn garbage(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.garbage)
    }

    /// Adds an outcome, a line.
    pub fn append(&mut self, key: &Key, line: &[u8]) -> io::Result<()> {
        let locked = self.lock_to_write()?;
        let _locked = if self.rewrite { self.rewrite(locked)? } else { locked };
        // Not flushed to the disk: after a power failure, the checksum detects a torn line.
        if let Err(why) = store_file::append(&self.file, line) {
            let _ = self.file.set_len(self.end);
            return Err(why);
        }
        self.add(Some(*key), line.len());
        Ok(())
    }

    /// Removes these outcomes, and the file with the last one.
    pub fn remove(&mut self, keys: impl Iterator<Item = Key>) -> io::Result<()> {
        let locked = self.lock_to_write()?;
        for key in keys {
            self.lines.remove(&key);
        }
        if self.lines.is_empty() {
            let _ = fs::remove_file(self.beside());
            return fs::remove_file(&self.path);
        }
        self.rewrite(locked).map(drop)
    }

    /// Locks the file for writing, reads it to its end, and removes a killed process's incomplete line.
    fn lock_to_write(&mut self) -> io::Result<ByteLock> {
        let locked = self.lock(|file| ByteLock::wait(file, LockByte::WRITE).map(Some))?;
        if self.refresh()? {
            self.file.set_len(self.end)?;
        }
        Ok(locked.expect("it waited"))
    }

    /// Locks the file that has the name now: another process may have replaced, removed or truncated it.
    fn lock(
        &mut self,
        lock: impl Fn(&Arc<StoreFile>) -> io::Result<Option<ByteLock>>,
    ) -> io::Result<Option<ByteLock>> {
        loop {
            let Some(locked) = lock(&self.file)? else { return Ok(None) };
            let (ours, there) = (self.file.metadata()?, self.path.symlink_metadata());
            let same = there.is_ok_and(|there| store_file::is_same(&there, &ours));
            if same && ours.len() >= self.end {
                return Ok(Some(locked));
            }
            *self = Log::create(&self.path)?;
        }
    }

    /// Reads new lines. Returns whether the file ends with an incomplete line, which a process is writing or left when killed.
    fn refresh(&mut self) -> io::Result<bool> {
        let file = self.file.clone();
        let mut added = BufReader::with_capacity(1 << 16, ReadFrom { file: &file, at: self.end });
        let mut line = Vec::new();
        while added.read_until(b'\n', &mut line)? > 0 {
            if !line.ends_with(b"\n") {
                return Ok(true);
            }
            self.add(record::key(&line), line.len());
            line.clear();
        }
        Ok(false)
    }

    fn add(&mut self, key: Option<Key>, length: usize) {
        self.count += 1;
        let line = Line { start: self.end, length, number: self.count };
        self.end += length as u64;
        match key {
            Some(key) => _ = self.lines.insert(key, line),
            None => {
                self.garbage.push(self.count);
                self.rewrite = true;
            }
        }
    }

    /// Replaces the file by one with the remaining outcomes, and locks that.
    fn rewrite(&mut self, locked: ByteLock) -> io::Result<ByteLock> {
        let beside = self.beside();
        let _ = fs::remove_file(&beside);
        let file = to_append().create_new(true).open(&beside)?;
        let mut written = Log::of(&self.path, file)?;
        let new = ByteLock::wait(&written.file, LockByte::WRITE)?;
        let mut lines: Vec<_> = self.lines.iter().map(|(key, line)| (*key, *line)).collect();
        lines.sort_by_key(|(_, line)| line.start);
        let file = written.file.clone();
        let mut to = BufWriter::new(&**file);
        for (key, line) in lines {
            to.write_all(&self.read(line)?)?;
            written.add(Some(key), line.length);
        }
        to.flush()?;
        // The old file may have reached the disk.
        written.file.sync_data()?;
        fs::rename(&beside, &self.path)?;
        drop(locked);
        *self = written;
        Ok(new)
    }

    fn beside(&self) -> PathBuf {
        self.path.with_extension("new")
    }
}

/// A file from a place on.
struct ReadFrom<'a> {
    file: &'a File,
    at: u64,
}

impl Read for ReadFrom<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = store_file::read_at(self.file, to, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}
