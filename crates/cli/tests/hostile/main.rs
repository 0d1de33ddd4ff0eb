//! What befalls a command: damaged and absurd scenarios, full disks, sudden ends, signals, other machines. A small part of it with
//! every test; `make hostile` sets `ANABRANCH_HOSTILE` to how many times as much, and runs one
//! test at a time: a process apart.

mod faults;
mod mutants;
mod same;
mod signals;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// So many times as much as usual.
fn times() -> u64 {
    std::env::var("ANABRANCH_HOSTILE").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// Every file below a folder by its path there, and its content.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        match path.is_dir() {
            true => found.extend(content(&path).into_iter().map(|(file, bytes)| (name.join(file), bytes))),
            false => _ = found.insert(name, fs::read(&path).unwrap()),
        }
    }
    found
}
