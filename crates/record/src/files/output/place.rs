//! Owners, permissions and locks of folders for results, and the exchange of their names.

use super::clear::{FOLDER, clear};
use super::content::Content;
use super::names::{cannot, in_use, rename_beside};
use super::{Names, OutputError};
use rustix::fs::{Access, CWD, Mode, RenameFlags, access, renameat_with};
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

pub(super) use fs::rename;

/// The private folder.
pub(super) struct Place {
    /// Locked while the command writes.
    lock: File,
    /// The permissions of the results.
    mode: u32,
}

impl Place {
    pub fn claim(names: &Names) -> Result<Self, OutputError> {
        let was_left = names.private.exists();
        let mut lock = locked(names)?;
        if was_left {
            // By a killed command. An overlay file system may not rename the folder itself.
            remove_left(&lock, names).map_err(|e| cannot(&names.name, &e))?;
            lock = locked(names)?;
        }
        Ok(Place { lock, mode: 0 })
    }

    /// Makes the private folder private.
    pub fn prepare(&mut self, names: &Names) -> io::Result<()> {
        let inherited = self.lock.metadata()?.mode() & SET_GROUP;
        let there = names.target.metadata();
        self.mode = there.map_or(inherited | 0o777 & !umask(), |there| there.mode() & 0o7777);
        self.lock.set_permissions(Permissions::from_mode(0o700 | inherited))?;
        if names.target.exists() {
            access(&names.target, Access::WRITE_OK)?;
        }
        Ok(())
    }

    /// The results are complete.
    pub fn seal(&self) -> io::Result<()> {
        self.lock.set_permissions(Permissions::from_mode(self.mode))?;
        self.lock.sync_all()
    }
}

/// Deletes a private folder that a killed command left: with replaced earlier results, or with new ones without the name.
fn remove_left(lock: &File, names: &Names) -> io::Result<()> {
    let private = &names.private;
    if Content::is_listed(private) {
        return names.discard(private);
    }
    if !clear(lock, Path::new(""), &|_| true)? {
        return Err(io::Error::other(format!("{} cannot be emptied", private.display())));
    }
    fs::remove_dir(private)
}

/// Locks a folder that a killed command left, if it is there.
pub(super) fn left(former: &Path, name: &Path) -> Result<Option<impl Sized>, OutputError> {
    let Some(earlier) = own_folder(former) else { return Ok(None) };
    match earlier.try_lock() {
        Err(TryLockError::WouldBlock) => Err(in_use(name)),
        _ => Ok(Some(earlier)),
    }
}

/// Locks a folder, if possible.
pub(super) fn hold(folder: &Path) -> io::Result<impl Sized> {
    let held = File::open(folder)?;
    let _ = held.try_lock();
    Ok(held)
}

/// Gives the private folder the target's name. Returns the name of the earlier results, if they are left.
pub(super) fn swap(names: &Names) -> io::Result<Option<PathBuf>> {
    let Names { private, target, .. } = names;
    match renameat_with(CWD, private, CWD, target, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(Some(private.clone())),
        // Some file systems cannot exchange names.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => names.swap_by_renames().map(Some),
        Err(Errno::XDEV) => replace_in_overlay(names).map(|()| None),
        Err(error) => Err(error.into()),
    }
}

/// An overlay file system renames no folder of a lower layer, as of a container's image, but it can delete it. The new results
/// have a lasting name meanwhile.
fn replace_in_overlay(names: &Names) -> io::Result<()> {
    let Names { private, target, .. } = names;
    let new = rename_beside(private, target, "new")?;
    let discarded = names.sync_parent().and_then(|()| Content::discard(target));
    let replaced = discarded.and_then(|is_empty| match is_empty {
        true => fs::rename(&new, target),
        false => {
            Err(io::Error::other("the earlier results are deleted, but their folder has other files now"))
        }
    });
    replaced.inspect_err(|_| {
        // Best effort: the caller keeps them under such a name anyway.
        let _ = fs::rename(&new, private);
    })
}

/// Opens a folder; `None` unless it exists and belongs to this user.
fn own_folder(path: &Path) -> Option<File> {
    let opened = File::from(rustix::fs::open(path, FOLDER, Mode::empty()).ok()?);
    let is_own = |there: fs::Metadata| there.uid() == rustix::process::geteuid().as_raw();
    opened.metadata().is_ok_and(is_own).then_some(opened)
}

/// The set-group-ID bit.
const SET_GROUP: u32 = 0o2000;

fn umask() -> u32 {
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

/// Creates the private folder, or takes over one that an ended command left, and locks it.
fn locked(Names { name, private, notify, .. }: &Names) -> Result<File, OutputError> {
    loop {
        match DirBuilder::new().mode(0o700).create(private) {
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
                let help = "results are first written to a temporary folder beside it, so the folder above must be writable";
                return Err(cannot(name, &e).with_help(help));
            }
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
