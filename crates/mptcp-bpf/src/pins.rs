//! The files that keep algorithms loaded without a process.

use crate::lock::lock;
use crate::system::unshare_working_directory;
use crate::{Error, messages};
use libbpf_rs::{Link, MapCore, MapHandle};
use rustix::fs::{FsWord, Mode, OFlags, fchmod, fstat, open, statfs};
use rustix::mount::{MountFlags, mount};
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, LinkNameSpaceType, capabilities, move_into_link_name_space};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::fs::DirBuilderExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The name of each file in an algorithm's directory.
pub(crate) const LINK: &str = "link";
pub(crate) const OPS: &str = "ops";
pub(crate) const CONNECTIONS: &str = "connections";
pub(crate) const COUNTERS: &str = "counters";

/// Directories under construction or removal. (The BPF file system does not allow dots in names.)
const LOADING: &str = "loading";
const UNLOADING: &str = "unloading";

/// The time limit for the lock. It leaves time for another command's verifier on a slow machine.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

const BPF_FS_MAGIC: FsWord = 0xcafe_4a11;

/// The directory with a directory per algorithm, locked against other processes during this value's lifetime.
///
/// An algorithm's directory is created under a temporary name and renamed when it is complete. It is renamed again before
/// removal. A killed process leaves only temporary names, which the next holder of the lock removes.
///
/// Only root may change these files, because the BPF file system's default mount lets any user create files.
pub struct Pins {
    root: PathBuf,
    _lock: File,
}

impl Pins {
    /// Locks the directory and removes leftovers of killed processes. Creates the directory if it is missing, and mounts the
    /// BPF file system.
    ///
    /// # Errors
    /// Without permission, or without a BPF file system.
    pub fn open() -> Result<Self, Error> {
        let bpf = file_system();
        if !is_bpf(&bpf) {
            if is_process_above_hidden() {
                return Err(Error::Unusable(format!(
                    "no BPF file system is mounted at {} here, and a mount by this command may end with it: give it CAP_SYS_PTRACE, or run it outside of `ip netns exec` where one is mounted (`mount -t bpf -o mode=0700 bpf {USUAL}`)",
                    bpf.display()
                )));
            }
            mount_at(&bpf).map_err(Error::file("mount the BPF file system at", &bpf))?;
        }
        let root = bpf.join("anabranch");
        match DirBuilder::new().mode(0o700).create(&root) {
            Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(Error::file("create", &root)(e)),
            _ => {}
        }
        Self::lock(root)
    }

    /// Opens the directory if it exists.
    pub fn find() -> Result<Option<Self>, Error> {
        let root = file_system().join("anabranch");
        match fs::symlink_metadata(&root) {
            Ok(_) => Self::lock(root).map(Some),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::file("open", root)(e)),
        }
    }

    fn lock(root: PathBuf) -> Result<Self, Error> {
        messages::listen();
        let directory = open_private_directory(&root)?;
        lock(&directory, &root, LOCK_TIMEOUT)?;
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

    /// The path of the directory of the algorithm that the kernel calls `name`.
    pub fn directory(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Creates the directory of the algorithm that the kernel calls `name`, with all files of `fill` or not at all.
    pub(crate) fn create(
        &self,
        name: &str,
        fill: impl FnOnce(&Path) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let loading = self.root.join(LOADING);
        DirBuilder::new().mode(0o700).create(&loading).map_err(Error::file("create", &loading))?;
        let made = fill(&loading).and_then(|()| {
            let directory = self.directory(name);
            fs::rename(&loading, &directory).map_err(Error::file("create", directory))
        });
        if made.is_err() {
            // The next holder of the lock removes what this leaves.
            let _ = self.remove(&loading);
        }
        made
    }

    /// Unregisters the algorithm that the kernel calls `name` and removes its directory, if it exists.
    pub(crate) fn discard(&self, name: &str) -> Result<(), Error> {
        let unloading = self.root.join(UNLOADING);
        match fs::rename(self.directory(name), &unloading) {
            Ok(()) => self.remove(&unloading),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(Error::file("remove", self.directory(name))(e)),
        }
    }

    /// Unregisters the algorithm of a directory and removes the directory. The registration ends first, so that a partly
    /// removed directory registers nothing.
    fn remove(&self, directory: &Path) -> Result<(), Error> {
        let (link, ops) = (directory.join(LINK), directory.join(OPS));
        if is_file(&ops) {
            let map = MapHandle::from_pinned_path(&ops).map_err(Error::bpf("open the pinned map"))?;
            // It may have been pinned, but not registered yet.
            let _ = map.delete(&0u32.to_ne_bytes());
        }
        if is_file(&link) {
            let link = Link::open(&link).map_err(Error::bpf("open the pinned link"))?;
            // Takes effect at once since Linux 6.11, before that soon after the file's removal.
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

/// Opens the directory if only this user may change or read it and it is not a link. (A user who can open it can lock it.
/// Earlier versions let any user read it.)
fn open_private_directory(path: &Path) -> Result<File, Error> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let shared = |found: String| {
        Error::Unusable(format!(
            "users other than root may change {}: {found}. Remove it, and allow only root to create files there: `chmod 700 /sys/fs/bpf`",
            path.display()
        ))
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

/// Whether the path is a regular file; does not follow links.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

fn names(directory: &Path) -> Result<Vec<OsString>, Error> {
    let failed = |e| Error::file("read", directory)(e);
    fs::read_dir(directory).map_err(failed)?.map(|file| Ok(file.map_err(failed)?.file_name())).collect()
}

const USUAL: &str = "/sys/fs/bpf";

/// The BPF file system of the outermost process above this one. A mount of this command alone, as in `ip netns exec`, would
/// end with the command and take the algorithms with it.
pub(crate) fn file_system() -> PathBuf {
    let outermost = outermost();
    let same = mount_namespace(&outermost) == mount_namespace("self");
    PathBuf::from(if same { USUAL.to_owned() } else { format!("/proc/{outermost}/root{USUAL}") })
}

/// Mounts that file system. Where another mount namespace has it, a thread mounts it from there, as only those inside may.
fn mount_at(path: &Path) -> io::Result<()> {
    let mount = || mount("bpf", USUAL, "bpf", MountFlags::empty(), c"mode=0700");
    if path == Path::new(USUAL) {
        return Ok(mount()?);
    }
    let namespace = File::open(format!("/proc/{}/ns/mnt", outermost()))?;
    let mount_there = || -> io::Result<()> {
        unshare_working_directory()?;
        move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Mount))?;
        Ok(mount()?)
    };
    thread::scope(|scope| scope.spawn(mount_there).join()).unwrap_or_else(|panic| resume_unwind(panic))
}

/// The outermost process above this one.
fn outermost() -> String {
    let above = |process: &String| parent(process).filter(|above| mount_namespace(above).is_some());
    std::iter::successors(Some("self".to_owned()), above).last().unwrap_or_default()
}

/// Whether a process above may have other mounts that this one may not see. (Some machines hide the first process even from root.)
fn is_process_above_hidden() -> bool {
    let may_see = capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::SYS_PTRACE));
    !may_see && parent(&outermost()).is_some_and(|above| above != "0")
}

fn mount_namespace(process: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/ns/mnt")).ok()
}

/// The PID of a process's parent.
fn parent(process: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().to_owned())
}

/// Whether a BPF file system is mounted there.
pub(crate) fn is_bpf(path: &Path) -> bool {
    statfs(path).is_ok_and(|fs| fs.f_type == BPF_FS_MAGIC)
}
