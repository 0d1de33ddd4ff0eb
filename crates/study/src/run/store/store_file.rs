//! The files that stores have open. A child that a process forks has them open too, and its locks with them: until it lets go of
//! them, they outlast their owner.

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

/// This thread is about to fork: no other one opens or closes a store's file until [`after_fork`].
pub fn before_fork() {
    FORKING.set(Some(open()));
}

/// It has forked: what it must call in both processes. The descriptors of the stores' files, in whose place the child must put
/// something else, such as `/dev/null`, before it does anything that may last.
pub fn after_fork() -> Vec<RawFd> {
    FORKING.take().map(|open| open.clone()).unwrap_or_default()
}
