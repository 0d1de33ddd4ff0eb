//! Folders of results on Windows, which has no exchange of names: for a moment, between two renames, neither the earlier nor the new
//! results have the name. The next command repairs what a killed one left.

use super::content::Content;
use super::names::{cannot, in_use};
use super::{Names, OutputError};
use std::fs::{self, File};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// `ERROR_SHARING_VIOLATION`: another process has the file open.
pub(super) const IN_USE: i32 = 32;

/// `FILE_FLAG_DELETE_ON_CLOSE`.
const DELETE_ON_CLOSE: u32 = 0x0400_0000;

/// The private folder.
pub(super) struct Place {
    /// Open to this command only, and deleted with it.
    _lock: File,
}

impl Place {
    pub fn claim(names: &Names) -> Result<Self, OutputError> {
        let mut options = File::options();
        options.write(true).create(true).share_mode(0).custom_flags(DELETE_ON_CLOSE);
        let lock = options.open(names.private.with_extension("anabranch-lock"));
        let _lock = lock.map_err(|e| match e.raw_os_error() {
            Some(IN_USE) => in_use(&names.name),
            _ => cannot(&names.name, &e),
        })?;
        Ok(Place { _lock })
    }

    /// Makes the private folder anew.
    pub fn prepare(&mut self, names: &Names) -> io::Result<()> {
        if names.private.exists() {
            fs::remove_dir_all(&names.private)?;
        }
        fs::create_dir(&names.private)
    }

    pub fn seal(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a killed command left a folder.
pub(super) fn left(former: &Path, _: &Path) -> Result<Option<impl Sized>, OutputError> {
    Ok(former.exists().then_some(()))
}

/// The lock is enough.
pub(super) fn hold(_: &Path) -> io::Result<impl Sized> {
    Ok(())
}

/// Gives the private folder the target's name. Returns the name of the earlier results.
pub(super) fn swap(names: &Names) -> io::Result<Option<PathBuf>> {
    names.swap_by_renames().map(Some)
}

pub(super) fn is_mounted(_: &Path) -> bool {
    false
}

/// Renames a folder to a name that nothing or an empty folder has.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir(to)?;
    }
    fs::rename(from, to)
}

impl Content {
    /// Deletes a folder, if it has only the files on its list. Returns whether it had.
    pub fn discard(folder: &Path) -> io::Result<bool> {
        let is_ours = Content::check(folder, folder).is_ok();
        if is_ours {
            fs::remove_dir_all(folder)?;
        }
        Ok(is_ours)
    }
}
