//! Files that are never half-written under their name.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Gives a file that content: whatever happens meanwhile, under its name there is the former content or the new one,
/// whole. A symbolic link of that name is replaced, not followed.
///
/// # Errors
/// Where it cannot be written; then the former content is still there.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = with_ending(path, ".new");
    let written = create_new(&new).and_then(|mut file| {
        file.write_all(content)?;
        // Else the name could reach the disk before the content.
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        // Best effort: under this name nobody takes it for a result.
        let _ = fs::remove_file(&new);
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// A new file in place of one that was left unfinished. What somebody else puts there meanwhile is an error, a symbolic
/// link too: nothing is written through it.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    File::create_new(path)
}

/// The path with something behind its name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
