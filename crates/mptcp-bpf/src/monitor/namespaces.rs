//! Names of network namespaces.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;

/// The folders with the named namespaces of `ip netns` and container engines.
const DIRECTORIES: [&str; 3] = ["/run/docker/netns", "/run/containers/netns", "/run/netns"];

/// The name of the first process's namespace.
const HOST: &str = "host";

/// The names of network namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespaces(HashMap<u32, String>);

impl Namespaces {
    /// The current names.
    pub fn current() -> Self {
        let files = DIRECTORIES.iter().filter_map(|d| std::fs::read_dir(d).ok()).flatten().flatten();
        let named = files.filter_map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            Some((inode(file.path())?, name))
        });
        let host = inode("/proc/1/ns/net").map(|inode| (inode, HOST.to_owned()));
        Namespaces(named.chain(host).collect())
    }

    /// The name of the namespace with that inode, or the inode.
    pub fn name(&self, inode: u32) -> String {
        self.0.get(&inode).cloned().unwrap_or_else(|| inode.to_string())
    }
}

/// The inode of a namespace's file, a 32-bit number.
fn inode(file: impl AsRef<std::path::Path>) -> Option<u32> {
    std::fs::metadata(file).ok()?.ino().try_into().ok()
}
