//! Deletes what we wrote into a folder, without following links.

use super::content::{Content, LIST};
use rustix::fs::{AtFlags, Dir, Mode, OFlags, open, openat, unlinkat};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl Content {
    /// Deletes the files on a folder's list, and folders that become empty. Returns whether nothing is left; other files stay,
    /// and then the list too.
    pub fn discard(folder: &Path) -> io::Result<bool> {
        let ours = Content::read(folder)?;
        let opened = open(folder, FOLDER, Mode::empty())?;
        let is_ours = |file: &Path| file.to_str().is_some_and(|file| ours.0.contains_key(file));
        // The list goes last, so that a killed command's files remain recognisable.
        Ok(clear(&opened, Path::new(""), &is_ours)? && {
            Content::forget(folder);
            fs::remove_dir(folder).is_ok()
        })
    }
}

/// Opens folders only, not links to them.
pub const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Deletes `ours` among the files in an open folder, at the path `below`, and folders that become empty. Returns whether only the
/// list is left. Follows no links and uses no paths from the list, so that it deletes nothing elsewhere.
pub fn clear(folder: impl AsFd, below: &Path, ours: &dyn Fn(&Path) -> bool) -> io::Result<bool> {
    let mut nothing_left = true;
    for entry in Dir::read_from(&folder)?.collect::<Result<Vec<_>, _>>()? {
        let name = entry.file_name();
        let file = below.join(OsStr::from_bytes(name.to_bytes()));
        if [c".", c".."].contains(&name) || file == Path::new(LIST) {
            continue;
        }
        nothing_left &= match openat(&folder, name, FOLDER, Mode::empty()) {
            Ok(inner) => clear(inner, &file, ours)? && unlinkat(&folder, name, AtFlags::REMOVEDIR).is_ok(),
            Err(_) => ours(&file) && unlinkat(&folder, name, AtFlags::empty()).is_ok(),
        };
    }
    Ok(nothing_left)
}
