//! A single file of results, such as a picture or a capture.

use super::{OutputError, in_use, rename_beside};
use rustix::fs::{Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file that gets its name when complete. Until then it is `.NAME.anabranch-new` in the same folder, locked; the next command
/// that writes there removes leftovers of killed ones.
pub struct OutputFile {
    /// Its name as given by the user.
    name: PathBuf,
    private: PathBuf,
    file: File,
    is_own: Option<IsOwn>,
    /// Whether the private file was renamed.
    settled: bool,
}

/// Whether the same command made a file.
pub type IsOwn = fn(&Path) -> io::Result<bool>;

/// The ending of an incomplete file's name.
const ENDING: &str = ".anabranch-new";

impl OutputFile {
    /// Creates the private file. An existing file is replaced only if empty or if `is_own` is true; `None` replaces any.
    ///
    /// # Errors
    /// If the existing file must stay, or the folder is not writable.
    pub fn create(name: &Path, is_own: Option<IsOwn>) -> Result<Self, OutputError> {
        check(name, is_own)?;
        let last = name.file_name();
        let last =
            last.ok_or_else(|| OutputError::new(format!("`{}` does not name a file", name.display())))?;
        let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        remove_leftovers(folder);
        let mut private = OsString::from(".");
        private.push(last);
        private.push(ENDING);
        let private = folder.join(private);
        let file = loop {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = rustix::fs::open(&private, flags, Mode::from_raw_mode(0o666));
            let file = File::from(opened.map_err(|e| cannot(name, &e.into()))?);
            match claim(&file, &private) {
                Ok(true) => break file,
                // Its owner has just renamed it, or somebody removed it.
                Ok(false) => {}
                Err(TryLockError::WouldBlock) => return Err(in_use(name)),
                Err(TryLockError::Error(e)) => return Err(cannot(name, &e)),
            }
        };
        file.set_len(0).map_err(|e| cannot(name, &e))?;
        Ok(OutputFile { name: name.to_owned(), private, file, is_own, settled: false })
    }

    /// Renames the file and returns its name. If another file has the name by now, uses a name next to it.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn finish(mut self) -> Result<PathBuf, OutputError> {
        if let Err(refused) = check(&self.name, self.is_own) {
            let kept = self.keep("new")?;
            return Err(refused.and(&format!("the new file is {}", kept.display())));
        }
        fs::rename(&self.private, &self.name).map_err(|e| cannot(&self.name, &e))?;
        self.settled = true;
        Ok(self.name.clone())
    }

    /// Renames the file to `NAME.partial` or, if taken, `NAME.partial-2` and so on. Returns that name.
    ///
    /// # Errors
    /// Where it cannot.
    pub fn finish_partial(mut self) -> Result<PathBuf, OutputError> {
        self.keep("partial")
    }

    fn keep(&mut self, ending: &str) -> Result<PathBuf, OutputError> {
        let kept = rename_beside(&self.private, &self.name, ending).map_err(|e| cannot(&self.name, &e))?;
        self.settled = true;
        Ok(kept)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.settled {
            // Best effort: the next command removes what is left.
            let _ = fs::remove_file(&self.private);
        }
    }
}

/// Whether a file of that name may be replaced.
fn check(name: &Path, is_own: Option<IsOwn>) -> Result<(), OutputError> {
    let cannot_read = |e| OutputError::because(format!("cannot read {}", name.display()), &e);
    let there = match name.metadata() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        there => there.map_err(cannot_read)?,
    };
    if there.is_dir() {
        return Err(OutputError::new(format!("cannot write {}: it is a directory", name.display())));
    }
    let Some(is_own) = is_own else { return Ok(()) };
    // A device or a pipe is not a result, and opening a pipe may block.
    if there.is_file() && (there.len() == 0 || is_own(name).map_err(cannot_read)?) {
        return Ok(());
    }
    let message = format!("{} exists, and this command did not write it", name.display());
    Err(OutputError::new(message).with_help("give another name, or use --replace"))
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

/// Removes leftovers of killed commands, if possible.
fn remove_leftovers(folder: &Path) {
    let is_private = |name: &OsStr| {
        let name = name.as_bytes();
        name.starts_with(b".") && name.ends_with(ENDING.as_bytes())
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_private(&entry.file_name()) {
            let path = entry.path();
            let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let Ok(opened) = rustix::fs::open(&path, flags, Mode::empty()) else { continue };
            let file = File::from(opened);
            if claim(&file, &path).unwrap_or(false) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

fn cannot(name: &Path, error: &io::Error) -> OutputError {
    OutputError::because(format!("cannot write {}", name.display()), error)
}
