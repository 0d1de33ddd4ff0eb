//! Locks of parts of a file. They belong to the open file and end with it, so with its process too; processes on other machines
//! see them where the file system has locks.

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
    /// Who has it may write.
    pub const WRITE: LockByte = LockByte(0);

    /// Who has it makes that run. It is found by the key's first 62 bits. Two runs that have them in common are not made at the
    /// same time.
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
    /// None where others have them.
    pub fn at_once(file: &Arc<StoreFile>, byte: LockByte) -> io::Result<Option<Self>> {
        match fcntl(&***file, F_OFD_SETLK(&byte.request(libc::F_WRLCK))) {
            Ok(_) => Ok(Some(ByteLock { file: file.clone(), byte })),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(None),
            Err(why) => Err(why.into()),
        }
    }

    /// Waits for others.
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
