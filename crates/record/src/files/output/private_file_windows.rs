//! Incomplete files on Windows, which only the command that writes them can open.

use super::OutputError;
use super::names::{cannot, in_use};
use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;

/// Creates a private file, or takes over one that an ended command left.
pub(super) fn open_private(private: &Path, name: &Path) -> Result<File, OutputError> {
    open(private, true).map_err(|e| match e.raw_os_error() {
        Some(super::place::IN_USE) => in_use(name),
        _ => cannot(name, &e),
    })
}

/// Opens a private file that an ended command left; `None` if it is in use.
pub(super) fn open_leftover(path: &Path) -> Option<File> {
    open(path, false).ok()
}

fn open(path: &Path, create: bool) -> io::Result<File> {
    /// Renaming and deleting need it; nobody else can write.
    const FILE_SHARE_DELETE: u32 = 4;
    File::options().write(true).create(create).truncate(false).share_mode(FILE_SHARE_DELETE).open(path)
}
