//! Atomic replacement of files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces a file's content atomically. Replaces a symbolic link instead of following it.
///
/// # Errors
/// If it cannot be written; the former content stays.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = with_ending(path, ".new");
    let written = create_new(&new).and_then(|mut file| {
        file.write_all(content)?;
        // If not synced, the name could reach the disk before the content.
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        // Best effort: the name marks it as incomplete.
        let _ = fs::remove_file(&new);
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync_folder(folder.unwrap_or(Path::new(".")))
}

/// Syncs the names in a folder to disk. Windows cannot.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(windows) { Ok(()) } else { File::open(folder)?.sync_all() }
}

/// Creates a file in place of an unfinished one. Fails if another file or symbolic link appears there.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    File::create_new(path)
}

pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
