//! Outcomes of other versions: never used, never removed.

use super::{FILE, Store};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};

/// The amount of other versions' outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OtherVersions {
    /// Outcomes.
    pub outcomes: usize,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Store {
    /// The outcomes of other versions.
    pub fn others(&self) -> OtherVersions {
        let mut found = OtherVersions::default();
        let versions = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        for version in versions.filter(|version| version.file_name() != *self.version) {
            let path = version.path().join(FILE);
            // To open a pipe would block.
            let is_file = path.symlink_metadata().is_ok_and(|there| there.is_file());
            let Some(file) = is_file.then(|| File::open(path).ok()).flatten() else { continue };
            found.bytes += file.metadata().map_or(0, |there| there.len());
            found.outcomes += BufReader::new(file).split(b'\n').map_while(Result::ok).count();
        }
        found
    }
}
