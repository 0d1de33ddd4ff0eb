//! The files of stores, and what reading them needs of the system. A forked child inherits them with their locks, which then outlast the parent until the child closes
//! them.

use crate::run::lock::lock;
use nix::libc;
use std::cell::RefCell;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::ops::Deref;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::sync::{Mutex, MutexGuard};

static OPEN: Mutex<Vec<RawFd>> = Mutex::new(vec![]);

thread_local! {
    static FORKING: RefCell<Option<MutexGuard<'static, Vec<RawFd>>>> = const { RefCell::new(None) };
}

/// A file of a store.
pub struct StoreFile(File);

impl From<File> for StoreFile {
    fn from(file: File) -> Self {
        lock(&OPEN).push(file.as_raw_fd());
        StoreFile(file)
    }
}

impl Deref for StoreFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for StoreFile {
    fn drop(&mut self) {
        lock(&OPEN).retain(|fd| *fd != self.0.as_raw_fd());
    }
}

/// Options to read; they do not follow symbolic links.
pub fn options() -> OpenOptions {
    let mut options = File::options();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Options to read and to write at the end.
pub fn to_append() -> OpenOptions {
    let mut options = options();
    options.append(true);
    options
}

/// Whether two names are of one file.
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Reads at a place.
pub fn read_at(file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    file.read_at(to, at)
}

/// Writes at the end.
pub fn append(mut file: &File, line: &[u8]) -> io::Result<()> {
    file.write_all(line)
}

/// Call before a fork: no other thread opens or closes a store's file until [`after_fork`].
pub fn before_fork() {
    FORKING.set(Some(lock(&OPEN)));
}

/// Call in both processes after a fork. Returns the descriptors of the stores' files, which the child must replace, such as by
/// `/dev/null`, before any long operation.
pub fn after_fork() -> Vec<RawFd> {
    FORKING.take().map(|open| open.clone()).unwrap_or_default()
}
