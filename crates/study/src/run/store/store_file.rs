//! The open files of stores. A forked child inherits them with their locks, which then outlast the parent until the child closes
//! them.

use std::cell::RefCell;
use std::fs::File;
use std::ops::Deref;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

static OPEN: Mutex<Vec<RawFd>> = Mutex::new(vec![]);

thread_local! {
    static FORKING: RefCell<Option<MutexGuard<'static, Vec<RawFd>>>> = const { RefCell::new(None) };
}

/// A file of a store.
pub struct StoreFile(File);

impl From<File> for StoreFile {
    fn from(file: File) -> Self {
        open().push(file.as_raw_fd());
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
        open().retain(|fd| *fd != self.0.as_raw_fd());
    }
}

fn open() -> MutexGuard<'static, Vec<RawFd>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Call before a fork: no other thread opens or closes a store's file until [`after_fork`].
pub fn before_fork() {
    FORKING.set(Some(open()));
}

/// Call in both processes after a fork. Returns the descriptors of the stores' files, which the child must replace, such as by
/// `/dev/null`, before any long operation.
pub fn after_fork() -> Vec<RawFd> {
    FORKING.take().map(|open| open.clone()).unwrap_or_default()
}
