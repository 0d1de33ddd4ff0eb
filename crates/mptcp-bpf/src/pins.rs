//! The files that keep algorithms loaded when no process holds them.

use crate::lock::lock;
use crate::{Error, messages};
use libbpf_rs::{Link, MapCore, MapHandle};
use rustix::fs::{FsWord, Mode, OFlags, fchmod, fstat, open, statfs};
use rustix::mount::{MountFlags, mount};
use rustix::process::geteuid;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of each file in an algorithm's directory.
pub(crate) const LINK: &str = "link";
pub(crate) const OPS: &str = "ops";
pub(crate) const CONNECTIONS: &str = "connections";
pub(crate) const COUNTERS: &str = "counters";

/// Directories that are being made or removed. (The BPF file system has no names with dots.)
const LOADING: &str = "loading";
const UNLOADING: &str = "unloading";

/// How long another command may hold the lock: time for the verifier on a slow machine.
const PATIENCE: Duration = Duration::from_secs(30);

const BPF_FS_MAGIC: FsWord = 0xcafe_4a11;

/// The directory of the algorithms' directories, locked against other processes as long as this lives.
///
/// An algorithm's directory is made under another name and renamed when it is complete, and renamed
/// before it is removed. So whatever a killed process left has one of those other names, and the next to
/// hold the lock removes it.
///
/// Only root may change these files: the BPF file system that the kernel mounts by default lets any user create files.
pub struct Pins {
    root: PathBuf,
    _lock: File,
}

impl Pins {
    /// Locks the directory, makes it where it is missing (mounting the BPF file system), and removes
    /// what killed processes left.
    ///
    /// # Errors
    /// Without the permission to, or without a BPF file system.
    pub fn open() -> Result<Self, Error> {
        let bpf = file_system();
        let mounted = || is_bpf(&bpf);
        if !mounted() {
            let mounting = mount("bpf", &bpf, "bpf", MountFlags::empty(), c"mode=0700");
            mounting.map_err(|e| Error::file("mount the BPF file system at", &bpf)(e.into()))?;
        }
        let root = bpf.join("anabranch");
        match DirBuilder::new().mode(0o700).create(&root) {
            Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(Error::file("make", &root)(e)),
            _ => {}
        }
        Self::lock(root)
    }

    /// The same where the directory is there already.
    pub fn find() -> Result<Option<Self>, Error> {
        let root = file_system().join("anabranch");
        match fs::symlink_metadata(&root) {
            Ok(_) => Self::lock(root).map(Some),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::file("look for", root)(e)),
        }
    }

    fn lock(root: PathBuf) -> Result<Self, Error> {
        messages::listen();
        let directory = private(&root)?;
        lock(&directory, &root, PATIENCE)?;
        let pins = Pins { root, _lock: directory };
        for leftover in [LOADING, UNLOADING].map(|name| pins.root.join(name)) {
            match fs::symlink_metadata(&leftover) {
                Ok(found) if found.is_dir() => pins.remove(&leftover)?,
                Ok(_) => fs::remove_file(&leftover).map_err(Error::file("remove", &leftover))?,
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(Error::file("inspect", &leftover)(e)),
            }
        }
        Ok(pins)
    }

    /// The directory of the algorithm that the kernel calls `name`, there or not.
    pub fn directory(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Makes the directory of the algorithm that the kernel calls `name`: all that `fill` puts into it,
    /// or nothing.
    pub(crate) fn make<T>(
        &self,
        name: &str,
        fill: impl FnOnce(&Path) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let loading = self.root.join(LOADING);
        DirBuilder::new().mode(0o700).create(&loading).map_err(Error::file("make", &loading))?;
        let made = fill(&loading).and_then(|done| {
            let directory = self.directory(name);
            fs::rename(&loading, &directory).map_err(Error::file("make", directory))?;
            Ok(done)
        });
        if made.is_err() {
            self.remove(&loading)?;
        }
        made
    }

    /// Unregisters the algorithm that the kernel calls `name` and removes its directory, if it is there.
    pub(crate) fn discard(&self, name: &str) -> Result<(), Error> {
        let unloading = self.root.join(UNLOADING);
        match fs::rename(self.directory(name), &unloading) {
            Ok(()) => self.remove(&unloading),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(Error::file("remove", self.directory(name))(e)),
        }
    }

    /// Unregisters what a directory holds and removes it. The registration goes first: a directory that
    /// is only half removed registers nothing.
    fn remove(&self, directory: &Path) -> Result<(), Error> {
        let (link, ops) = (directory.join(LINK), directory.join(OPS));
        if is_file(&ops) {
            let map = MapHandle::from_pinned_path(&ops).map_err(Error::bpf("open the pinned map"))?;
            // It may have been pinned, but not registered yet.
            let _ = map.delete(&0u32.to_ne_bytes());
        }
        if is_file(&link) {
            let link = Link::open(&link).map_err(Error::bpf("open the pinned link"))?;
            // At once, where the kernel can (Linux 6.11); else it goes soon after its file.
            let _ = link.detach();
        }
        for file in [LINK, OPS].map(OsString::from).into_iter().chain(names(directory)?) {
            let path = directory.join(file);
            match fs::remove_file(&path) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(Error::file("remove", path)(e)),
                _ => {}
            }
        }
        fs::remove_dir(directory).map_err(Error::file("remove", directory))
    }
}

/// Opens the directory if only this user may change or read it, and if it is not a link. (Who may open it may lock it. Earlier
/// versions let anyone read it.)
fn private(path: &Path) -> Result<File, Error> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let shared = |found: String| Error::Shared {
        path: path.into(),
        found,
        remedy: "Remove it, and allow only root to create files there: `chmod 700 /sys/fs/bpf`",
    };
    if fs::symlink_metadata(path).is_ok_and(|found| !found.is_dir()) {
        return Err(shared("not a directory".to_owned()));
    }
    let opened = open(path, flags, Mode::empty()).map_err(|e| Error::file("open", path)(e.into()))?;
    let found = fstat(&opened).map_err(|e| Error::file("inspect", path)(e.into()))?;
    let mode = Mode::from_raw_mode(found.st_mode);
    if found.st_uid != geteuid().as_raw() || mode.intersects(Mode::WGRP | Mode::WOTH) {
        let permissions = mode.bits() & 0o7777;
        return Err(shared(format!("owner {}, mode {permissions:o}", found.st_uid)));
    }
    fchmod(&opened, Mode::RWXU).map_err(|e| Error::file("change the mode of", path)(e.into()))?;
    Ok(opened.into())
}

/// Not what a link points at.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

fn names(directory: &Path) -> Result<Vec<OsString>, Error> {
    let failed = |e| Error::file("read", directory)(e);
    fs::read_dir(directory).map_err(failed)?.map(|file| Ok(file.map_err(failed)?.file_name())).collect()
}

/// The BPF file system as the outermost process above this one sees it: a mount of this command's own, such
/// as one within `ip netns exec`, is gone with the command, and the algorithms with it.
pub(crate) fn file_system() -> PathBuf {
    let namespace = |process: &str| fs::read_link(format!("/proc/{process}/ns/mnt")).ok();
    let above = |process: &String| parent(process).filter(|above| namespace(above).is_some());
    let outermost = std::iter::successors(Some("self".to_owned()), above).last().unwrap_or_default();
    let same = namespace(&outermost) == namespace("self");
    PathBuf::from(if same { "/sys/fs/bpf".to_owned() } else { format!("/proc/{outermost}/root/sys/fs/bpf") })
}

/// The number of a process's parent.
fn parent(process: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().to_owned())
}

/// Whether a BPF file system is mounted there.
pub(crate) fn is_bpf(path: &Path) -> bool {
    statfs(path).is_ok_and(|fs| fs.f_type == BPF_FS_MAGIC)
}
