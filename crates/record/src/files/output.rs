//! Folders of results that are replaced atomically. New results are made in a private folder next to the target and take its name
//! once they are complete and on disk; until then, and on failure, the earlier results stay.

use clear::clear;
use content::Content;
use folder::{SET_GROUP, is_mounted, locked, own_folder, umask};
use names::{cannot, is_free, resolve_folder};
use rustix::fs::{Access, CWD, RenameFlags, access, renameat_with};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

mod clear;
mod content;
mod error;
mod folder;
mod names;
mod output_file;
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
    /// The private folder; locked while the command writes.
    lock: File,
    /// The permissions of the results.
    mode: u32,
    /// Whether the private folder was renamed.
    settled: bool,
    notify: Notify,
}

impl ResultFolder {
    /// Claims a folder, which must be missing, empty or contain only our results, and not be in use by another command.
    ///
    /// # Errors
    /// If this is not so, or the folder is not writable.
    pub fn claim(name: &Path, notify: Notify) -> Result<Self, OutputError> {
        let target = resolve_folder(name)?;
        let (Some(parent), Some(last)) = (target.parent(), target.file_name()) else {
            return Err(OutputError::new(format!(
                "cannot write results to {}: it has no name",
                name.display()
            )));
        };
        let mut private = OsString::from(".");
        private.push(last);
        private.push(".anabranch");
        let private = parent.join(private);
        let was_left = private.exists();
        let mut lock = locked(&private, name, notify)?;
        if was_left {
            // By a killed command. An overlay file system may not rename the folder itself.
            remove_left(&lock, &private, &target, name, notify).map_err(|e| cannot(name, &e))?;
            lock = locked(&private, name, notify)?;
        }
        let mut place =
            ResultFolder { name: name.to_owned(), target, private, lock, mode: 0, settled: false, notify };
        place.restore()?;
        place.prepare().map_err(|e| cannot(name, &e))?;
        place.check()?;
        Ok(place)
    }

    /// Cleans up after a command killed between its renames, on a file system without atomic exchange: gives the earlier results
    /// their name back, or deletes them if the new ones have it.
    fn restore(&self) -> Result<(), OutputError> {
        let former = former(&self.private);
        let Some(earlier) = own_folder(&former) else { return Ok(()) };
        if let Err(TryLockError::WouldBlock) = earlier.try_lock() {
            return Err(in_use(&self.name));
        }
        let restored = if Content::is_listed(&self.target) {
            discard(&former, &self.target, &self.name, self.notify)
        } else if is_free(&self.target) {
            fs::rename(&former, &self.target)
        } else {
            // The content is not ours: `check` refuses it.
            Ok(())
        };
        restored.map_err(|e| cannot(&self.name, &e))
    }

    /// Makes the private folder private, and checks that it is writable before hours of work.
    fn prepare(&mut self) -> io::Result<()> {
        let inherited = self.lock.metadata()?.mode() & SET_GROUP;
        self.mode =
            self.target.metadata().map_or(inherited | 0o777 & !umask(), |there| there.mode() & 0o7777);
        self.lock.set_permissions(Permissions::from_mode(0o700 | inherited))?;
        if self.target.exists() {
            access(&self.target, Access::WRITE_OK)?;
        }
        try_writing(&self.private)
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
        self.seal().map_err(|e| cannot(&self.name, &e))?;
        // Files that appeared in the meantime must not be replaced.
        let taken = Content::check(&self.target, &self.name)
            .and_then(|()| self.take_name().map_err(|e| cannot(&self.name, &e)));
        if let Err(failure) = taken {
            let kept = self.keep("new")?;
            return Err(failure.and(&format!("the new results are in {}", kept.display())));
        }
        self.settled = true;
        self.sync_parent().map_err(|e| cannot(&self.name, &e))
    }

    /// Gives the new results their own name and keeps the earlier ones: `NAME.partial` or, if taken, `NAME.partial-2` and so on.
    /// Returns that name.
    pub fn commit_beside(mut self, ending: &str) -> Result<PathBuf, OutputError> {
        self.seal().map_err(|e| cannot(&self.name, &e))?;
        self.keep(ending)
    }

    fn keep(&mut self, ending: &str) -> Result<PathBuf, OutputError> {
        let kept = rename_beside(&self.private, &self.target, ending).map_err(|e| cannot(&self.name, &e))?;
        self.settled = true;
        self.sync_parent().map_err(|e| cannot(&self.name, &e))?;
        // Relative to the name that the user gave.
        Ok(self.name.parent().unwrap_or(Path::new("")).join(kept.file_name().unwrap_or_default()))
    }

    /// Writes the list of files and syncs everything to disk.
    fn seal(&self) -> io::Result<()> {
        Content::seal(&self.private)?;
        self.lock.set_permissions(Permissions::from_mode(self.mode))?;
        self.lock.sync_all()
    }

    fn take_name(&self) -> io::Result<()> {
        if is_free(&self.target) {
            return fs::rename(&self.private, &self.target);
        }
        // Locked, so that no other command takes it for leftovers during deletion.
        let held = File::open(&self.target)?;
        let _ = held.try_lock();
        let earlier = match renameat_with(CWD, &self.private, CWD, &self.target, RenameFlags::EXCHANGE) {
            Ok(()) => self.private.clone(),
            // Some file systems cannot exchange names.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                let former = former(&self.private);
                fs::rename(&self.target, &former)?;
                fs::rename(&self.private, &self.target).inspect_err(|_| {
                    // Best effort: if it fails, the next command does it.
                    let _ = fs::rename(&former, &self.target);
                })?;
                former
            }
            Err(Errno::XDEV) => return self.replace_in_overlay(),
            Err(error) => return Err(error.into()),
        };
        // The new results already have the name.
        if let Err(error) = discard(&earlier, &self.target, &self.name, self.notify) {
            (self.notify)(&format!("cannot delete the earlier results, {}: {error}", earlier.display()));
        }
        Ok(())
    }

    /// An overlay file system renames no folder of a lower layer, as of a container's image, but it can delete it. The new results
    /// have a lasting name meanwhile.
    fn replace_in_overlay(&self) -> io::Result<()> {
        let new = rename_beside(&self.private, &self.target, "new")?;
        let discarded = self.sync_parent().and_then(|()| Content::discard(&self.target));
        let replaced = match discarded {
            Ok(true) => fs::rename(&new, &self.target),
            Ok(false) => {
                Err(io::Error::other("the earlier results are deleted, but their folder has other files now"))
            }
            Err(error) => Err(error),
        };
        replaced.inspect_err(|_| {
            // Best effort: the caller keeps them under such a name anyway.
            let _ = fs::rename(&new, &self.private);
        })
    }

    fn sync_parent(&self) -> io::Result<()> {
        File::open(self.target.parent().unwrap_or(Path::new("/")))?.sync_all()
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

/// Deletes a private folder that a killed command left: with replaced earlier results, or with new ones without the name.
fn remove_left(lock: &File, private: &Path, target: &Path, name: &Path, notify: Notify) -> io::Result<()> {
    if Content::is_listed(private) {
        return discard(private, target, name, notify);
    }
    if !clear(lock, Path::new(""), &|_| true)? {
        return Err(io::Error::other(format!("{} cannot be emptied", private.display())));
    }
    fs::remove_dir(private)
}

/// Deletes earlier results. Renames other files that appeared in their folder.
fn discard(earlier: &Path, target: &Path, name: &Path, notify: Notify) -> io::Result<()> {
    if !Content::discard(earlier)? {
        let kept = rename_beside(earlier, target, "others")?;
        Content::forget(&kept);
        notify(&format!(
            "{} has the files that others put into {} in the meantime",
            kept.display(),
            name.display()
        ));
    }
    Ok(())
}

/// A temporary name for earlier results, next to the private folder.
fn former(private: &Path) -> PathBuf {
    private.with_extension("anabranch-former")
}
