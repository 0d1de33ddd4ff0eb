//! Outcomes of other versions: never used, never removed.

use super::{FILE, Store};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

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
        for path in self.files_of_others() {
            let Ok(file) = File::open(path) else { continue };
            found.bytes += file.metadata().map_or(0, |there| there.len());
            found.outcomes += BufReader::new(file).split(b'\n').map_while(Result::ok).count();
        }
        found
    }

    fn files_of_others(&self) -> impl Iterator<Item = PathBuf> {
        let versions = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let others = versions.filter(|version| version.file_name() != *self.version);
        others.map(|version| version.path().join(FILE)).filter(|file| is_file(file))
    }
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| there.is_file())
}
