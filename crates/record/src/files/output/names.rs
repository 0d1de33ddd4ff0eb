//! Names of results, and errors on them.

use super::OutputError;
use crate::files::replace::with_ending;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Whether a folder can take the name: nothing or an empty folder has it.
pub(super) fn is_free(path: &Path) -> bool {
    fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none())
}

/// Renames `from` to `path` with that ending and, if taken, a number.
pub fn rename_beside(from: &Path, path: &Path, ending: &str) -> io::Result<PathBuf> {
    for number in 1.. {
        let number = if number > 1 { format!("-{number}") } else { String::new() };
        let name = with_ending(path, &format!(".{ending}{number}"));
        match name.symlink_metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return fs::rename(from, &name).map(|()| name),
            Err(e) => return Err(e),
            Ok(_) => {}
        }
    }
    unreachable!("names run out after numbers do")
}

/// Checks that a folder is writable and has some free space.
pub fn try_writing(folder: &Path) -> io::Result<()> {
    let probe = folder.join(".anabranch-probe");
    let _ = fs::remove_file(&probe);
    let written = File::create_new(&probe).and_then(|mut file| {
        file.write_all(&[0; PROBE])?;
        file.sync_all()
    });
    let removed = fs::remove_file(&probe);
    written.and(removed)
}

/// Bytes to write as a test: more than a file system stores in an inode.
const PROBE: usize = 1 << 16;

/// The path of an existing or new folder, without symbolic links.
pub(super) fn resolve_folder(name: &Path) -> Result<PathBuf, OutputError> {
    match name.metadata() {
        Ok(there) if !there.is_dir() => {
            return Err(OutputError::new(format!("{} is not a folder", name.display())));
        }
        Ok(_) => return name.canonicalize().map_err(|e| cannot(name, &e)),
        // A dangling symbolic link.
        Err(_) if name.is_symlink() => {
            return Err(OutputError::new(format!("{} is a dangling symbolic link", name.display())));
        }
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(cannot(name, &e)),
        Err(_) => {}
    }
    let Some(last) = name.file_name() else {
        return Err(OutputError::new(format!("`{}` does not name a folder", name.display())));
    };
    let parent = name.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|e| cannot(name, &e))?;
    Ok(parent.canonicalize().map_err(|e| cannot(name, &e))?.join(last))
}

/// The error if another command writes there.
pub fn in_use(name: &Path) -> OutputError {
    let help = "wait for it to finish, or give another folder";
    OutputError::new(format!("another command is writing to {}", name.display())).with_help(help)
}

pub(super) fn cannot(path: &Path, error: &io::Error) -> OutputError {
    OutputError::because(format!("cannot write {}", path.display()), error)
}
