//! Paths, owners and permissions of folders for results.

use super::content::FOLDER;
use super::{Notify, OutputError};
use rustix::fs::Mode;
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Opens a folder; `None` unless it exists and belongs to this user.
pub(super) fn own_folder(path: &Path) -> Option<File> {
    let opened = File::from(rustix::fs::open(path, FOLDER, Mode::empty()).ok()?);
    let is_own = |there: fs::Metadata| there.uid() == rustix::process::geteuid().as_raw();
    opened.metadata().is_ok_and(is_own).then_some(opened)
}

/// Whether a folder can take the name: nothing or an empty folder has it.
pub(super) fn is_free(path: &Path) -> bool {
    fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none())
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

/// Renames `from` to `path` with that ending and, if taken, a number.
///
/// # Errors
/// Where it cannot be renamed.
pub fn rename_beside(from: &Path, path: &Path, ending: &str) -> io::Result<PathBuf> {
    for number in 1.. {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{ending}"));
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let name = PathBuf::from(name);
        match name.symlink_metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return fs::rename(from, &name).map(|()| name),
            Err(e) => return Err(e),
            Ok(_) => {}
        }
    }
    unreachable!("names run out after numbers do")
}

/// Checks that a folder is writable and has some free space.
///
/// # Errors
/// Where it cannot.
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

/// The error if another command writes there.
pub fn in_use(name: &Path) -> OutputError {
    let help = "wait for it to finish, or give another folder";
    OutputError::new(format!("another command is writing to {}", name.display())).with_help(help)
}

pub(super) fn cannot(path: &Path, error: &io::Error) -> OutputError {
    OutputError::because(format!("cannot write {}", path.display()), error)
}
