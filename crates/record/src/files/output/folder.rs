//! Owners, permissions and locks of folders for results.

use super::clear::FOLDER;
use super::names::{cannot, in_use};
use super::{Notify, OutputError};
use rustix::fs::Mode;
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// Opens a folder; `None` unless it exists and belongs to this user.
pub(super) fn own_folder(path: &Path) -> Option<File> {
    let opened = File::from(rustix::fs::open(path, FOLDER, Mode::empty()).ok()?);
    let is_own = |there: fs::Metadata| there.uid() == rustix::process::geteuid().as_raw();
    opened.metadata().is_ok_and(is_own).then_some(opened)
}

/// The set-group-ID bit.
pub(super) const SET_GROUP: u32 = 0o2000;

/// The process's umask.
pub(super) fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
}

/// Whether a file system is mounted there: proc(5), the fifth field of each line.
pub(super) fn is_mounted(path: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let path = path.display().to_string().replace(' ', "\\040");
    mounts.lines().any(|line| line.split(' ').nth(4) == Some(path.as_str()))
}

/// Creates the private folder, or takes over one that an ended command left, and locks it.
pub(super) fn locked(private: &Path, name: &Path, notify: Notify) -> Result<File, OutputError> {
    loop {
        match DirBuilder::new().mode(0o700).create(private) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(cannot(name, &e)),
            _ => {}
        }
        let file = match rustix::fs::open(private, FOLDER, Mode::empty()) {
            Ok(file) => File::from(file),
            // Its owner has just renamed it.
            Err(Errno::NOENT) => continue,
            Err(e) => return Err(cannot(private, &e.into())),
        };
        let opened = file.metadata().map_err(|e| cannot(private, &e))?;
        if opened.uid() != rustix::process::geteuid().as_raw() {
            let help = "choose another folder, or ask the owner to delete this one";
            let message = format!("{} belongs to another user", private.display());
            return Err(OutputError::new(message).with_help(help));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(name)),
            Err(TryLockError::Error(e)) => notify(&format!("{} cannot be locked: {e}", private.display())),
        }
        // Another command may have renamed it between opening and locking.
        let same = |there: fs::Metadata| (there.dev(), there.ino()) == (opened.dev(), opened.ino());
        if private.symlink_metadata().is_ok_and(same) {
            return Ok(file);
        }
    }
}
