//! Names of network namespaces.

use crate::namespace::{entries, initial};
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// The folders with the named namespaces of `ip netns` and container engines.
const DIRECTORIES: [&str; 3] = ["/run/docker/netns", "/run/containers/netns", "/run/netns"];

/// The name of the machine's own namespace. In a container, the first process's is another.
const HOST: &str = "host";

/// The names of network namespaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespaces(HashMap<u32, String>);

impl Namespaces {
    /// The current names.
    pub fn current() -> Self {
        let inode = |path| u32::try_from(fs::metadata(path).ok()?.ino()).ok();
        let named =
            DIRECTORIES.iter().flat_map(entries).filter_map(|(name, path)| Some((inode(path)?, name)));
        let host = initial().and_then(|host| Some((host.inode().ok()?, HOST.to_owned())));
        Namespaces(named.chain(host).collect())
    }

    /// The name of the namespace with that inode, or the inode.
    pub fn name(&self, inode: u32) -> String {
        self.0.get(&inode).cloned().unwrap_or_else(|| inode.to_string())
    }
}
