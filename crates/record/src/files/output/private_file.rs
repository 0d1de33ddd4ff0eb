//! Incomplete files, locked by the command that writes them.

use super::OutputError;
use super::names::{cannot, in_use};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Creates a private file, or takes over one that an ended command left, and locks it.
pub(super) fn open_private(private: &Path, name: &Path) -> Result<File, OutputError> {
    loop {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::open(private, flags, Mode::from_raw_mode(0o666));
        let file = File::from(opened.map_err(|e| match e {
            Errno::MFILE => {
                cannot(name, &e.into()).with_help("raise the limit of open files: `ulimit -n 65536`")
            }
            e => cannot(name, &e.into()),
        })?);
        match claim(&file, private) {
            Ok(true) => return Ok(file),
            // Its owner has just renamed it, or somebody removed it.
            Ok(false) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(name)),
            Err(TryLockError::Error(e)) => return Err(cannot(name, &e)),
        }
    }
}

/// Opens and locks a private file that an ended command left; `None` if it is in use.
pub(super) fn open_leftover(path: &Path) -> Option<File> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    claim(&file, path).unwrap_or(false).then_some(file)
}

/// Locks a private file. Returns whether it still has its name: another command may have renamed it between opening and locking.
fn claim(file: &File, private: &Path) -> Result<bool, TryLockError> {
    let opened = file.metadata().map_err(TryLockError::Error)?;
    if opened.uid() != rustix::process::geteuid().as_raw() {
        let message = format!("{} belongs to another user", private.display());
        return Err(TryLockError::Error(io::Error::other(message)));
    }
    file.try_lock()?;
    let same = |there: fs::Metadata| (there.dev(), there.ino()) == (opened.dev(), opened.ino());
    Ok(private.symlink_metadata().is_ok_and(same))
}
