//! Folders of results on Windows, which has no exchange of names: for a moment, between two renames, neither the earlier nor the new
//! results have the name. The next command repairs what a killed one left.

use content::Content;
use names::{cannot, is_free, resolve_folder};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

#[path = "output/content.rs"]
mod content;
#[path = "output/error.rs"]
mod error;
#[path = "output/names.rs"]
mod names;
#[path = "output/output_file.rs"]
mod output_file;
#[path = "output/private_file_windows.rs"]
mod private_file;

pub use error::OutputError;
pub use names::{in_use, rename_beside, try_writing};
pub use output_file::{IsOwn, OutputFile};

/// Receives messages on problems that do not stop the work.
pub type Notify = fn(&str);

/// A folder of results that only this command writes.
pub struct ResultFolder {
    /// Its name as given by the user.
    name: PathBuf,
    /// Its path without symbolic links.
    target: PathBuf,
    /// The folder for the new results, next to it: `.NAME.anabranch`.
    private: PathBuf,
    /// Open to this command only, and deleted with it.
    _lock: File,
    /// Whether the private folder was renamed.
    settled: bool,
    notify: Notify,
}

/// `ERROR_SHARING_VIOLATION`: another process has the file open.
const IN_USE: i32 = 32;

/// `FILE_FLAG_DELETE_ON_CLOSE`.
const DELETE_ON_CLOSE: u32 = 0x0400_0000;

impl ResultFolder {
    /// Claims a folder, which must be missing, empty or contain only our results, and not be in use by another command.
    ///
    /// # Errors
    /// If this is not so, or the folder is not writable.
    pub fn claim(name: &Path, notify: Notify) -> Result<Self, OutputError> {
        let target = resolve_folder(name)?;
        let mut private = OsString::from(".");
        private.push(target.file_name().unwrap_or_default());
        private.push(".anabranch");
        let private = target.with_file_name(private);
        let mut options = File::options();
        options.write(true).create(true).share_mode(0).custom_flags(DELETE_ON_CLOSE);
        let lock = options.open(private.with_extension("anabranch-lock"));
        let _lock = lock.map_err(|e| match e.raw_os_error() {
            Some(IN_USE) => in_use(name),
            _ => cannot(name, &e),
        })?;
        let place = ResultFolder { name: name.to_owned(), target, private, _lock, settled: false, notify };
        place.prepare().map_err(|e| cannot(name, &e))?;
        Content::check(&place.target, name).map(|()| place)
    }

    /// Cleans up after a killed command, makes the private folder, and checks that it is writable before hours of work.
    fn prepare(&self) -> io::Result<()> {
        let former = self.former();
        if former.exists() {
            if Content::is_listed(&self.target) {
                self.discard(&former)?;
            } else if is_free(&self.target) {
                rename(&former, &self.target)?;
            }
        }
        if self.private.exists() {
            fs::remove_dir_all(&self.private)?;
        }
        fs::create_dir(&self.private)?;
        try_writing(&self.private)
    }

    /// Where the new results are made.
    pub fn folder(&self) -> &Path {
        &self.private
    }

    /// The target folder, with any earlier result.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Renames the new results to the target, or on failure to a name next to it.
    ///
    /// # Errors
    /// With the new results' location.
    pub fn commit(mut self) -> Result<(), OutputError> {
        Content::seal(&self.private).map_err(|e| cannot(&self.name, &e))?;
        // Files that appeared in the meantime must not be replaced.
        let taken = Content::check(&self.target, &self.name)
            .and_then(|()| self.take_name().map_err(|e| cannot(&self.name, &e)));
        if let Err(failure) = taken {
            let kept = self.keep("new")?;
            return Err(failure.and(&format!("the new results are in {}", kept.display())));
        }
        self.settled = true;
        Ok(())
    }

    /// Gives the new results their own name and keeps the earlier ones: `NAME.partial` or, if taken, `NAME.partial-2` and so on.
    /// Returns that name.
    pub fn commit_beside(mut self, ending: &str) -> Result<PathBuf, OutputError> {
        Content::seal(&self.private).map_err(|e| cannot(&self.name, &e))?;
        self.keep(ending)
    }

    fn keep(&mut self, ending: &str) -> Result<PathBuf, OutputError> {
        let kept = rename_beside(&self.private, &self.target, ending).map_err(|e| cannot(&self.name, &e))?;
        self.settled = true;
        Ok(self.name.with_file_name(kept.file_name().unwrap_or_default()))
    }

    fn take_name(&self) -> io::Result<()> {
        if is_free(&self.target) {
            return rename(&self.private, &self.target);
        }
        let former = self.former();
        fs::rename(&self.target, &former)?;
        fs::rename(&self.private, &self.target).inspect_err(|_| {
            // Best effort: if it fails, the next command does it.
            let _ = fs::rename(&former, &self.target);
        })?;
        // The new results already have the name.
        if let Err(error) = self.discard(&former) {
            let former = former.display();
            (self.notify)(&format!("cannot delete the earlier results, {former}: {error}"));
        }
        Ok(())
    }

    /// Deletes earlier results. Renames them if other files have appeared among them.
    fn discard(&self, earlier: &Path) -> io::Result<()> {
        if Content::check(earlier, &self.name).is_ok() {
            return fs::remove_dir_all(earlier);
        }
        let kept = rename_beside(earlier, &self.target, "others")?;
        Content::forget(&kept);
        (self.notify)(&format!("{} has files that others put into {}", kept.display(), self.name.display()));
        Ok(())
    }

    /// A temporary name for earlier results, next to the private folder.
    fn former(&self) -> PathBuf {
        self.private.with_extension("anabranch-former")
    }
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        if !self.settled {
            // Best effort: the next command deletes what is left.
            let _ = fs::remove_dir_all(&self.private);
        }
    }
}

/// Renames a folder to a name that nothing or an empty folder has.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir(to)?;
    }
    fs::rename(from, to)
}
