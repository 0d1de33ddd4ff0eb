//! Outcomes of other versions: never used, never removed unasked.

use super::{Key, Store};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// How much of it there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// Outcomes.
    pub outcomes: usize,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Store {
    /// What other versions of the program have left.
    pub fn others(&self) -> Others {
        let mut found = Others::default();
        self.each_of_others(&mut |file| {
            if is(file, "json") {
                found.outcomes += 1;
                found.bytes += file.metadata().map_or(0, |there| there.len());
            }
        });
        found
    }

    /// Removes it, but for what another process is about to write. Gives what is still there.
    pub fn remove_others(&self) -> Others {
        self.each_of_others(&mut |file| {
            let free = || File::open(file).is_ok_and(|file| file.try_lock().is_ok());
            if is(file, "json") || is(file, "new") && free() {
                let _ = fs::remove_file(file);
            }
            // With its last file a folder goes.
            let folder = file.parent().filter(|folder| fs::remove_dir(folder).is_ok());
            let _ = folder.and_then(Path::parent).map(fs::remove_dir);
        });
        self.others()
    }

    /// Every file of other versions whose name is one of ours.
    fn each_of_others(&self, each: &mut dyn FnMut(&Path)) {
        let versions = entries(&self.dir).filter(|path| path.file_name() != Some(self.version.as_ref()));
        for folder in versions.flat_map(|version| entries(&version)) {
            let first = folder.file_name().unwrap_or_default().to_owned();
            let ours = |file: &PathBuf| {
                let stem = file.file_stem().and_then(|stem| stem.to_str());
                stem.is_some_and(|stem| stem.parse::<Key>().is_ok() && first == stem[..2])
            };
            entries(&folder).filter(ours).for_each(|file| each(&file));
        }
    }
}

fn is(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|e| e == extension)
}

/// What is in a folder; nothing where it is none.
fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let there = fs::read_dir(folder).into_iter().flatten().flatten();
    there.map(|entry| entry.path()).collect::<Vec<_>>().into_iter()
}
