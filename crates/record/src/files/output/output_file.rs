//! A single file of results, such as a picture or a capture.

use super::OutputError;
use super::names::{cannot, rename_beside};
use super::private_file::{open_leftover, open_private};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
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
        let private: OsString = [".".as_ref(), last, ENDING.as_ref()].into_iter().collect();
        let private = folder.join(private);
        let file = open_private(&private, name)?;
        file.set_len(0).map_err(|e| cannot(name, &e))?;
        Ok(OutputFile { name: name.to_owned(), private, file, is_own, settled: false })
    }

    /// Renames the file and returns its name. If another file has the name by now, uses a name next to it.
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

/// Removes leftovers of killed commands, if possible.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.as_encoded_bytes();
        if name.starts_with(b".")
            && name.ends_with(ENDING.as_bytes())
            && let Some(_held) = open_leftover(&path)
        {
            let _ = fs::remove_file(&path);
        }
    }
}
