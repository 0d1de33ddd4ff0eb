//! Folders of results that are replaced atomically. New results are made in a private folder next to the target and take its name
//! once they are complete and on disk; until then, and on failure, the earlier results stay.

use crate::files::replace::sync_folder;
use content::Content;
use names::{cannot, is_free, resolve_folder};
use place::{Place, hold, is_mounted, left, rename, swap};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(not(windows))]
mod clear;
mod content;
mod error;
mod names;
mod output_file;
#[cfg(not(windows))]
mod place;
#[cfg(windows)]
#[path = "output/place_windows.rs"]
mod place;
#[cfg(not(windows))]
mod private_file;
#[cfg(windows)]
#[path = "output/private_file_windows.rs"]
mod private_file;

pub use error::OutputError;
pub use names::{in_use, rename_beside, try_writing};
pub use output_file::{IsOwn, OutputFile};

/// Receives messages on problems that do not stop the work.
pub type Notify = fn(&str);

/// The names of a folder of results.
struct Names {
    /// As given by the user.
    name: PathBuf,
    /// The path without symbolic links.
    target: PathBuf,
    /// The folder for the new results, next to it: `.NAME.anabranch`.
    private: PathBuf,
    notify: Notify,
}

/// A folder of results that only this command writes.
pub struct ResultFolder {
    names: Names,
    /// The private folder; locked while the command writes.
    place: Place,
    /// Whether the private folder was renamed.
    settled: bool,
}

impl ResultFolder {
    /// Claims a folder, which must be missing, empty or contain only our results, and not be in use by another command.
    ///
    /// # Errors
    /// If this is not so, or the folder is not writable.
    pub fn claim(name: &Path, notify: Notify) -> Result<Self, OutputError> {
        let target = resolve_folder(name)?;
        let Some(last) = target.file_name() else {
            let message = format!("cannot write results to {}: it has no name", name.display());
            return Err(OutputError::new(message));
        };
        let private: OsString = [".".as_ref(), last, ".anabranch".as_ref()].into_iter().collect();
        let private = target.with_file_name(private);
        let names = Names { name: name.to_owned(), target, private, notify };
        let place = Place::claim(&names)?;
        let mut folder = ResultFolder { names, place, settled: false };
        let names = &folder.names;
        names.restore()?;
        // Checks that it is writable before hours of work.
        let prepared = folder.place.prepare(names).and_then(|()| try_writing(&names.private));
        prepared.map_err(|e| cannot(name, &e))?;
        names.check()?;
        Ok(folder)
    }

    /// Where the new results are made.
    pub fn folder(&self) -> &Path {
        &self.names.private
    }

    /// The target folder, with any earlier result.
    pub fn target(&self) -> &Path {
        &self.names.target
    }

    /// Renames the new results to the target, or on failure to a name next to it.
    ///
    /// # Errors
    /// With the new results' location.
    pub fn commit(mut self) -> Result<(), OutputError> {
        self.seal()?;
        let Names { name, target, .. } = &self.names;
        // Files that appeared in the meantime must not be replaced.
        let taken =
            Content::check(target, name).and_then(|()| self.names.take_name().map_err(|e| cannot(name, &e)));
        if let Err(failure) = taken {
            let kept = self.keep("new")?;
            return Err(failure.and(&format!("the new results are in {}", kept.display())));
        }
        self.settled = true;
        self.names.sync_parent().map_err(|e| cannot(&self.names.name, &e))
    }

    /// Gives the new results their own name and keeps the earlier ones: `NAME.partial` or, if taken, `NAME.partial-2` and so on.
    /// Returns that name.
    pub fn commit_beside(mut self, ending: &str) -> Result<PathBuf, OutputError> {
        self.seal()?;
        self.keep(ending)
    }

    fn keep(&mut self, ending: &str) -> Result<PathBuf, OutputError> {
        let Names { name, target, private, .. } = &self.names;
        let kept = rename_beside(private, target, ending).map_err(|e| cannot(name, &e))?;
        self.settled = true;
        self.names.sync_parent().map_err(|e| cannot(name, &e))?;
        // Relative to the name that the user gave.
        Ok(name.parent().unwrap_or(Path::new("")).join(kept.file_name().unwrap_or_default()))
    }

    /// Writes the list of files and syncs everything to disk.
    fn seal(&self) -> Result<(), OutputError> {
        let sealed = Content::seal(&self.names.private).and_then(|()| self.place.seal());
        sealed.map_err(|e| cannot(&self.names.name, &e))
    }
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        if !self.settled {
            // Best effort: the next command deletes what is left.
            let _ = fs::remove_dir_all(&self.names.private);
        }
    }
}

impl Names {
    /// Cleans up after a command killed between its renames, where names cannot be exchanged: gives the earlier results their name
    /// back, or deletes them if the new ones have it.
    fn restore(&self) -> Result<(), OutputError> {
        let former = self.former();
        let Some(_held) = left(&former, &self.name)? else { return Ok(()) };
        let restored = if Content::is_listed(&self.target) {
            self.discard(&former)
        } else if is_free(&self.target) {
            rename(&former, &self.target)
        } else {
            // The content is not ours: `check` refuses it.
            Ok(())
        };
        restored.map_err(|e| cannot(&self.name, &e))
    }

    /// Checks that the content may be replaced.
    fn check(&self) -> Result<(), OutputError> {
        Content::check(&self.target, &self.name)?;
        let why = if std::env::current_dir().is_ok_and(|here| here == self.target) {
            "is the working directory"
        } else if is_mounted(&self.target) {
            "is a mount point"
        } else {
            return Ok(());
        };
        let help = "give a folder below it, such as --out results";
        let message = format!("cannot replace {} by results: it {why}", self.name.display());
        Err(OutputError::new(message).with_help(help))
    }

    fn take_name(&self) -> io::Result<()> {
        if is_free(&self.target) {
            return rename(&self.private, &self.target);
        }
        // So that no other command takes it for leftovers during deletion.
        let _held = hold(&self.target)?;
        let Some(earlier) = swap(self)? else { return Ok(()) };
        // The new results already have the name.
        if let Err(error) = self.discard(&earlier) {
            (self.notify)(&format!("cannot delete the earlier results, {}: {error}", earlier.display()));
        }
        Ok(())
    }

    /// Gives the private folder the target's name in two renames, between which neither has it. Returns the earlier results' name.
    fn swap_by_renames(&self) -> io::Result<PathBuf> {
        let former = self.former();
        fs::rename(&self.target, &former)?;
        fs::rename(&self.private, &self.target).inspect_err(|_| {
            // Best effort: if it fails, the next command does it.
            let _ = fs::rename(&former, &self.target);
        })?;
        Ok(former)
    }

    /// Deletes earlier results. Renames other files that appeared in their folder.
    fn discard(&self, earlier: &Path) -> io::Result<()> {
        if !Content::discard(earlier)? {
            let kept = rename_beside(earlier, &self.target, "others")?;
            Content::forget(&kept);
            (self.notify)(&format!(
                "{} has the files that others put into {} in the meantime",
                kept.display(),
                self.name.display()
            ));
        }
        Ok(())
    }

    fn sync_parent(&self) -> io::Result<()> {
        sync_folder(self.target.parent().unwrap_or(Path::new("/")))
    }

    /// A temporary name for earlier results, next to the private folder.
    fn former(&self) -> PathBuf {
        self.private.with_extension("anabranch-former")
    }
}
