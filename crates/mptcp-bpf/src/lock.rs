//! A file lock with a timeout, whose error names the holder.

use crate::Error;
use rustix::fs::{FlockOperation, flock, fstat, major, minor};
use rustix::io::Errno;
use std::fs::{self, File};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Locks the file against other processes, waiting at most for `limit`.
pub(crate) fn lock(file: &File, path: &Path, limit: Duration) -> Result<(), Error> {
    let start = Instant::now();
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::AGAIN) if start.elapsed() < limit => sleep(Duration::from_millis(5)),
            Err(Errno::AGAIN) => {
                let (holder, path) = (holder(file), path.display());
                return Err(Error::Unusable(format!(
                    "{holder} has locked {path} for longer than {limit:?}: wait for it, or end it"
                )));
            }
            Err(error) => return Err(Error::file("lock", path)(error.into())),
        }
    }
}

/// The process that holds the lock, as the kernel reports it.
fn holder(file: &File) -> String {
    let unknown = || "another process".to_owned();
    let Ok(stat) = fstat(file) else { return unknown() };
    let inode = format!("{:02x}:{:02x}:{}", major(stat.st_dev), minor(stat.st_dev), stat.st_ino);
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let Some(process) = lock_holder(&locks, &inode) else { return unknown() };
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    match name.trim() {
        "" => format!("process {process}"),
        name => format!("process {process} ({})", name.escape_default()),
    }
}

/// Finds in `/proc/locks` the process that holds the lock of a whole file: `1: FLOCK  ADVISORY  WRITE 4711 00:2c:17 0 EOF`. A
/// line with `->` is a waiting process; 0 is a process of another PID namespace.
fn lock_holder(locks: &str, inode: &str) -> Option<u32> {
    locks.lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let (kind, process, file) = (words.get(1)?, words.get(4)?, words.get(5)?);
        let process = process.parse().ok().filter(|process| *process > 0);
        process.filter(|_| *kind == "FLOCK" && *file == inode)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Format: proc_locks(5).
    #[test]
    fn the_holder_among_locks() {
        let locks = "1: POSIX  ADVISORY  WRITE 11 00:2c:17 0 EOF\n2: FLOCK  ADVISORY  WRITE 4711 00:2c:17 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 4712 00:2c:17 0 EOF\n3: FLOCK  ADVISORY  WRITE 0 00:2c:18 0 EOF\n";
        assert_eq!(lock_holder(locks, "00:2c:17"), Some(4711));
        assert_eq!(lock_holder(locks, "00:2c:18"), None);
        assert_eq!(lock_holder(locks, "00:2c:19"), None);
    }

    /// Whoever holds it, this process here, is named in the end; when it is free it is had.
    #[test]
    fn a_lock_that_is_held_is_not_waited_for_without_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let [first, second] = [(); 2].map(|()| File::open(path).unwrap());
        lock(&first, path, Duration::ZERO).unwrap();
        let said = lock(&second, path, Duration::from_millis(20)).unwrap_err().to_string();
        assert!(said.contains(&format!("process {} (", std::process::id())), "{said}");
        drop(first);
        lock(&second, path, Duration::ZERO).unwrap();
    }
}
