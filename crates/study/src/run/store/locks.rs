//! Byte-range locks. They belong to the open file and end with it or its process; other machines see them if the file system
//! supports locks.

use super::store_file::StoreFile;
use crate::key::Key;
use nix::errno::Errno;
use nix::fcntl::FcntlArg::{F_OFD_SETLK, F_OFD_SETLKW};
use nix::fcntl::fcntl;
use nix::libc;
use std::io;
use std::sync::Arc;

/// A byte of a file. It need not exist.
#[derive(Clone, Copy)]
pub struct LockByte(i64);

impl LockByte {
    /// The byte for the right to write.
    pub const WRITE: LockByte = LockByte(0);

    /// The byte for the right to make a run, from the key's first 62 bits. Two runs with equal bits exclude each other.
    pub fn of(key: &Key) -> Self {
        LockByte(1 + (key.leading() >> 2) as i64)
    }

    fn request(self, kind: i32) -> libc::flock {
        libc::flock {
            l_type: kind as i16,
            l_whence: libc::SEEK_SET as i16,
            l_start: self.0,
            l_len: 1,
            l_pid: 0,
        }
    }
}

/// A byte that is locked, until it is dropped.
pub struct ByteLock {
    file: Arc<StoreFile>,
    byte: LockByte,
}

impl ByteLock {
    /// `None` if another process has it.
    pub fn at_once(file: &Arc<StoreFile>, byte: LockByte) -> io::Result<Option<Self>> {
        match fcntl(&***file, F_OFD_SETLK(&byte.request(libc::F_WRLCK))) {
            Ok(_) => Ok(Some(ByteLock { file: file.clone(), byte })),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(None),
            Err(why) => Err(why.into()),
        }
    }

    /// Waits for other processes.
    pub fn wait(file: &Arc<StoreFile>, byte: LockByte) -> io::Result<Self> {
        loop {
            match fcntl(&***file, F_OFD_SETLKW(&byte.request(libc::F_WRLCK))) {
                Ok(_) => return Ok(ByteLock { file: file.clone(), byte }),
                Err(Errno::EINTR) => {}
                Err(why) => return Err(why.into()),
            }
        }
    }
}

impl Drop for ByteLock {
    fn drop(&mut self) {
        let _ = fcntl(&**self.file, F_OFD_SETLK(&self.byte.request(libc::F_UNLCK)));
    }
}
