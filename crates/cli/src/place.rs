//! A folder of results that is replaced as a whole. What is new is made in a private folder beside it, and takes its name when
//! it is complete and on the disk: until then, and whenever that fails, what was there before stays.

use crate::failure::Failure;
use crate::output::note;
use crate::place::content::{Content, FOLDER, clear};
use miette::miette;
use rustix::fs::{Access, CWD, Mode, RenameFlags, access, renameat_with};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

mod content;

/// A folder of results that this command alone writes.
pub struct Place {
    /// As the user calls it.
    name: PathBuf,
    /// Where it is, without symbolic links.
    target: PathBuf,
    /// Beside it, where the new results are made: `.NAME.anabranch`.
    private: PathBuf,
    /// The private folder; locked as long as the command is at work on it.
    lock: File,
    /// The rights that the results get.
    mode: u32,
    /// Whether the private folder has become the results, or is kept.
    settled: bool,
}

impl Place {
    /// Claims a folder: it is empty, or not there, or holds results of ours alone, and no other command is at work on it.
    pub fn claim(name: &Path) -> Result<Self, Failure> {
        let target = located(name)?;
        let (Some(parent), Some(last)) = (target.parent(), target.file_name()) else {
            return Err(Failure::Input(miette!("{} cannot be replaced by results", name.display())));
        };
        let mut private = OsString::from(".");
        private.push(last);
        private.push(".anabranch");
        let private = parent.join(private);
        let mut lock = locked(&private, name)?;
        // What a killed command left: earlier results that it had replaced, or new ones that had not taken the name.
        if Content::is_listed(&private) {
            discard(&private, &target, name).map_err(|e| cannot(name, &e))?;
            lock = locked(&private, name)?;
        }
        let mut place = Place { name: name.to_owned(), target, private, lock, mode: 0, settled: false };
        place.restore()?;
        place.prepare().map_err(|e| cannot(name, &e))?;
        place.check()?;
        Ok(place)
    }

    /// Earlier results get their name back from a command that was killed between its renames, on a file system without an
    /// exchange of names; or go, where the new ones have it.
    fn restore(&self) -> Result<(), Failure> {
        let former = former(&self.private);
        let Some(earlier) = own_folder(&former) else { return Ok(()) };
        if let Err(TryLockError::WouldBlock) = earlier.try_lock() {
            return Err(at_work(&self.name));
        }
        let restored = if Content::is_listed(&self.target) {
            discard(&former, &self.target, &self.name)
        } else if is_free(&self.target) {
            fs::rename(&former, &self.target)
        } else {
            // What is there is not ours, and will be refused.
            Ok(())
        };
        restored.map_err(|e| cannot(&self.name, &e))
    }

    /// Makes the private folder private and empty, and finds out whether anything can be written there: before hours of
    /// work.
    fn prepare(&mut self) -> io::Result<()> {
        let inherited = self.lock.metadata()?.mode() & SET_GROUP;
        self.mode =
            self.target.metadata().map_or(inherited | 0o777 & !umask(), |there| there.mode() & 0o7777);
        self.lock.set_permissions(Permissions::from_mode(0o700 | inherited))?;
        // What a command left that was killed at its work.
        if !clear(&self.lock, Path::new(""), &|_| true)? {
            return Err(io::Error::other(format!("{} cannot be emptied", self.private.display())));
        }
        if self.target.exists() {
            access(&self.target, Access::WRITE_OK)?;
        }
        try_writing(&self.private)
    }

    /// Whether what is there may be replaced.
    fn check(&self) -> Result<(), Failure> {
        Content::check(&self.target, &self.name)?;
        let why = if std::env::current_dir().is_ok_and(|here| here == self.target) {
            "is the working directory"
        } else if is_mounted(&self.target) {
            "is where a file system is mounted"
        } else {
            return Ok(());
        };
        let help = "give a folder below it, such as --out results";
        let message = format!("{} {why}: results, which replace a folder, cannot", self.name.display());
        Err(Failure::Input(miette!(help = help, "{message}")))
    }

    /// Where the new results are made.
    pub fn folder(&self) -> &Path {
        &self.private
    }

    /// What is there, such as an earlier result.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The new results take the place's name. Where they cannot, they are kept beside it.
    pub fn commit(mut self) -> Result<(), Failure> {
        self.seal().map_err(|e| cannot(&self.name, &e))?;
        // What came there meanwhile is not to be replaced.
        let taken = Content::check(&self.target, &self.name)
            .and_then(|()| self.take_name().map_err(|e| cannot(&self.name, &e)));
        if let Err(failure) = taken {
            let kept = self.keep("new")?;
            return Err(failure.with(&format!("the new results are in {}", kept.display())));
        }
        self.settled = true;
        self.sync_parent().map_err(|e| cannot(&self.name, &e))
    }

    /// The new results get a name of their own beside the earlier ones, which stay: `NAME.partial` or, where that is taken,
    /// `NAME.partial-2` and so on. Gives that name.
    pub fn commit_beside(mut self, ending: &str) -> Result<PathBuf, Failure> {
        self.seal().map_err(|e| cannot(&self.name, &e))?;
        self.keep(ending)
    }

    fn keep(&mut self, ending: &str) -> Result<PathBuf, Failure> {
        let kept = aside(&self.private, &self.target, ending).map_err(|e| cannot(&self.name, &e))?;
        self.settled = true;
        self.sync_parent().map_err(|e| cannot(&self.name, &e))?;
        // Beside what the user named, as he named it.
        Ok(self.name.parent().unwrap_or(Path::new("")).join(kept.file_name().unwrap_or_default()))
    }

    /// Everything on the disk, and the list of it.
    fn seal(&self) -> io::Result<()> {
        Content::seal(&self.private)?;
        self.lock.set_permissions(Permissions::from_mode(self.mode))?;
        self.lock.sync_all()
    }

    fn take_name(&self) -> io::Result<()> {
        if is_free(&self.target) {
            return fs::rename(&self.private, &self.target);
        }
        // While it is deleted under the private name, no other command may take it for leftovers.
        let held = File::open(&self.target)?;
        let _ = held.try_lock();
        let earlier = match renameat_with(CWD, &self.private, CWD, &self.target, RenameFlags::EXCHANGE) {
            Ok(()) => self.private.clone(),
            // Some file systems cannot exchange names.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                let former = former(&self.private);
                fs::rename(&self.target, &former)?;
                fs::rename(&self.private, &self.target).inspect_err(|_| {
                    // Best effort; the next command does it otherwise.
                    let _ = fs::rename(&former, &self.target);
                })?;
                former
            }
            Err(error) => return Err(error.into()),
        };
        // The new results have the name, whatever becomes of the earlier ones.
        if let Err(error) = discard(&earlier, &self.target, &self.name) {
            note(&format!("{}, the earlier results, cannot be deleted: {error}", earlier.display()));
        }
        Ok(())
    }

    fn sync_parent(&self) -> io::Result<()> {
        File::open(self.target.parent().unwrap_or(Path::new("/")))?.sync_all()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.settled {
            // Best effort: the next command deletes what is left.
            let _ = fs::remove_dir_all(&self.private);
        }
    }
}

/// Deletes earlier results of a place. What else came into their folder at the last moment gets a name.
fn discard(earlier: &Path, target: &Path, name: &Path) -> io::Result<()> {
    if !Content::discard(earlier)? {
        let kept = aside(earlier, target, "others")?;
        Content::forget(&kept);
        note(&format!("{} has what others put into {} meanwhile", kept.display(), name.display()));
    }
    Ok(())
}

/// Where earlier results go for a moment, beside the private folder.
fn former(private: &Path) -> PathBuf {
    private.with_extension("anabranch-former")
}

/// A folder of this user's, opened; none where there is none.
fn own_folder(path: &Path) -> Option<File> {
    let opened = File::from(rustix::fs::open(path, FOLDER, Mode::empty()).ok()?);
    let is_own = |there: fs::Metadata| there.uid() == rustix::process::geteuid().as_raw();
    opened.metadata().is_ok_and(is_own).then_some(opened)
}

/// Whether nothing is there, or an empty folder, so that a folder can take the name.
fn is_free(path: &Path) -> bool {
    fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none())
}

/// The bit by which a folder gives its group to what is made in it.
const SET_GROUP: u32 = 0o2000;

/// The rights that files do not get.
fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
}

/// Whether a file system is mounted there: proc(5), the fifth field of each line.
fn is_mounted(path: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let path = path.display().to_string().replace(' ', "\\040");
    mounts.lines().any(|line| line.split(' ').nth(4) == Some(path.as_str()))
}

/// A new name beside `path` for what is at `from`, with that ending and, where that is taken, a number.
pub fn aside(from: &Path, path: &Path, ending: &str) -> io::Result<PathBuf> {
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

/// Finds out whether a folder can be written to, and has room for more than a few bytes.
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

/// Bytes that must find room: more than a file system keeps beside a file's name, and no burden.
const PROBE: usize = 1 << 16;

/// Where a folder is or will be, without symbolic links.
fn located(name: &Path) -> Result<PathBuf, Failure> {
    match name.metadata() {
        Ok(there) if !there.is_dir() => {
            return Err(Failure::Input(miette!("{} is not a folder", name.display())));
        }
        Ok(_) => return name.canonicalize().map_err(|e| cannot(name, &e)),
        // A symbolic link to nothing.
        Err(_) if name.is_symlink() => {
            return Err(Failure::Input(miette!("{} is a symbolic link to nothing", name.display())));
        }
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(cannot(name, &e)),
        Err(_) => {}
    }
    let Some(last) = name.file_name() else {
        return Err(Failure::Input(miette!("`{}` does not name a folder", name.display())));
    };
    let parent = name.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|e| cannot(name, &e))?;
    Ok(parent.canonicalize().map_err(|e| cannot(name, &e))?.join(last))
}

/// Makes the private folder, or takes over one that a command left which is no more, and locks it.
fn locked(private: &Path, name: &Path) -> Result<File, Failure> {
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
            let help = "choose another folder, or let its owner delete that one";
            return Err(Failure::Input(miette!(
                help = help,
                "{} belongs to somebody else",
                private.display()
            )));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(at_work(name)),
            Err(TryLockError::Error(e)) => note(&format!("{} cannot be locked: {e}", private.display())),
        }
        // Between opening and locking another command may have ended, and this be its results.
        let same = |there: fs::Metadata| (there.dev(), there.ino()) == (opened.dev(), opened.ino());
        if private.symlink_metadata().is_ok_and(same) {
            return Ok(file);
        }
    }
}

/// That another command writes there.
pub fn at_work(name: &Path) -> Failure {
    let help = "wait for it, or give another folder";
    Failure::Input(miette!(help = help, "another command is at work on {}", name.display()))
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    Failure::environment(format!("cannot write {}", path.display()), error)
}
