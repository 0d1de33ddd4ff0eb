//! Writes an initramfs archive in cpio's "newc" format, `Documentation/driver-api/early-userspace/buffer-format.rst`.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

/// Files for a guest. All belong to root and have time 0, so that equal files give equal bytes.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    folders: BTreeSet<PathBuf>,
    entries: u32,
}

impl Archive {
    /// Adds a file and its parent folders. `path` is absolute in the guest.
    pub fn file(&mut self, path: &Path, permissions: u32, content: &[u8]) {
        let path: PathBuf = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        let folders: Vec<_> = path.ancestors().skip(1).collect();
        // The last ancestor is the empty path.
        for folder in folders.iter().rev().skip(1) {
            if self.folders.insert(folder.to_path_buf()) {
                self.entry(&folder.to_string_lossy(), FOLDER | 0o755, &[]);
            }
        }
        self.entry(&path.to_string_lossy(), FILE | permissions, content);
    }

    /// Returns the archive's bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let links = if mode & FOLDER == 0 { 1 } else { 2 };
        let size = u32::try_from(content.len()).expect("files for a guest are below 4 GiB");
        let (time, user, group, device) = (0, 0, 0, 0);
        let length = name.len() as u32 + 1;
        self.bytes.extend_from_slice(b"070701");
        // Inode, mode, user, group, links, time, size, device, device of a special file, name's length, checksum.
        for field in
            [self.entries, mode, user, group, links, time, size, device, device, device, device, length, 0]
        {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    /// The program that the format is named after reads what was written: names, folders, permissions, contents of every
    /// length modulo 4.
    #[test]
    fn cpio_reads_it() {
        let files = [
            ("/init", 0o755, &b"#!/bin/sh\n"[..]),
            ("/lib/x86/a.so", 0o755, b"123"),
            ("/lib/x86/b.so", 0o644, b""),
            ("/etc/task.json", 0o600, &[0xff; 4097]),
            ("/etc/five", 0o644, b"12345"),
        ];
        let mut archive = Archive::default();
        files.iter().for_each(|(path, permissions, content)| {
            archive.file(Path::new(path), *permissions, content);
        });
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("archive");
        fs::write(&file, archive.finish()).unwrap();
        let cpio = Command::new("cpio")
            .args(["--extract", "--quiet", "--no-absolute-filenames", "--format=newc"])
            .current_dir(&folder)
            .stdin(fs::File::open(&file).unwrap())
            .stderr(Stdio::piped())
            .output();
        let Ok(cpio) = cpio else {
            eprintln!("skipped: cpio is not installed");
            return;
        };
        assert!(cpio.status.success(), "{}", String::from_utf8_lossy(&cpio.stderr));
        for (path, permissions, content) in files {
            let there = folder.path().join(&path[1..]);
            assert_eq!(fs::read(&there).unwrap(), content, "{path}");
            assert_eq!(there.metadata().unwrap().permissions().mode() & 0o777, permissions, "{path}");
        }
        assert_eq!(fs::read_dir(folder.path().join("lib/x86")).unwrap().count(), 2);
    }
}
