//! Locks where the system has no byte-range locks of open files: the right to write is a lock of the whole file, and runs are not
//! claimed, so that two commands with one store may make a run twice.

use super::store_file::StoreFile;
use crate::key::Key;
use std::io;
use std::sync::Arc;

/// The locked right: to write, or to make a run.
#[derive(Clone, Copy)]
pub struct LockByte(bool);

impl LockByte {
    /// The right to write.
    pub const WRITE: LockByte = LockByte(true);

    /// The right to make this run.
    pub fn of(_: &Key) -> Self {
        LockByte(false)
    }
}

/// A right, until it is dropped.
pub struct ByteLock(Option<Arc<StoreFile>>);

impl ByteLock {
    /// The right to make a run, which nobody else can hold.
    pub fn at_once(_: &Arc<StoreFile>, _: LockByte) -> io::Result<Option<Self>> {
        Ok(Some(ByteLock(None)))
    }

    /// Waits for other processes.
    pub fn wait(file: &Arc<StoreFile>, what: LockByte) -> io::Result<Self> {
        if !what.0 {
            return Ok(ByteLock(None));
        }
        file.lock()?;
        Ok(ByteLock(Some(file.clone())))
    }
}

impl Drop for ByteLock {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = file.unlock();
        }
    }
}
