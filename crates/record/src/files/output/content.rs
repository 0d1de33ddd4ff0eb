//! The list of the files that we wrote into a folder, by which the next command recognises them.

use super::OutputError;
use crate::files::replace::{replace, sync_folder};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The list's name. `sha256sum --check .anabranch` finds changed or damaged files.
pub(super) const LIST: &str = ".anabranch";
/// The list's first line.
const HEADING: &str =
    "# Files that anabranch wrote into this folder and will replace. It does not touch other files.\n";

/// The files of a folder, each with the SHA-256 of its content.
pub struct Content(pub(super) BTreeMap<String, String>);

impl Content {
    /// Syncs every file of a folder to disk, and writes the list.
    pub fn seal(folder: &Path) -> io::Result<()> {
        let mut lines = HEADING.to_owned();
        let (mut files, folders) = below(folder)?;
        files.sort();
        for path in files {
            // Windows syncs only what is open for writing.
            let file = File::options().read(true).write(cfg!(windows)).open(&path)?;
            file.sync_all()?;
            let name = path.strip_prefix(folder).unwrap_or(&path);
            lines += &format!("{}  {}\n", hash(file)?, name.display());
        }
        // Atomic: a folder with a list is complete.
        replace(&folder.join(LIST), lines.as_bytes())?;
        folders.iter().try_for_each(|below| sync_folder(below))?;
        sync_folder(folder)
    }

    /// Refuses a folder, named `name` by the user, with files that we did not write.
    pub fn check(folder: &Path, name: &Path) -> Result<(), OutputError> {
        let cannot = |e| OutputError::because(format!("cannot read {}", name.display()), &e);
        if !folder.exists() {
            return Ok(());
        }
        let ours = Content::read(folder).map_err(cannot)?;
        let other = ours.find_other(folder, Path::new("")).map_err(cannot)?;
        let Some((file, why)) = other else { return Ok(()) };
        let message = format!("{} contains {}, {why}", name.display(), file.display());
        let help = "results replace a whole folder: give another folder, or move that file away";
        Err(OutputError::new(message).with_help(help))
    }

    /// The first file in a folder that we did not write or that has changed, with the reason; `below` is the folder's path in the
    /// list.
    fn find_other(&self, folder: &Path, below: &Path) -> io::Result<Option<(PathBuf, &'static str)>> {
        const FOREIGN: &str = "which anabranch did not write";
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, file) = (entry.path(), below.join(entry.file_name()));
            if file == Path::new(LIST) {
                continue;
            }
            let there = path.symlink_metadata()?;
            if there.is_dir() && self.0.keys().any(|ours| Path::new(ours).starts_with(&file)) {
                if let Some(other) = self.find_other(&path, &file)? {
                    return Ok(Some(other));
                }
                continue;
            }
            let Some(written) = file.to_str().and_then(|file| self.0.get(file)) else {
                return Ok(Some((file, FOREIGN)));
            };
            // Reading anything but a regular file could block.
            if !there.is_file() || hash(File::open(&path)?)? != *written {
                return Ok(Some((file, "which has been changed")));
            }
        }
        Ok(None)
    }

    /// Removes the list of a folder, if possible.
    pub fn forget(folder: &Path) {
        let _ = fs::remove_file(folder.join(LIST));
    }

    /// Whether a folder has a list.
    pub fn is_listed(folder: &Path) -> bool {
        folder.join(LIST).symlink_metadata().is_ok_and(|there| there.is_file())
    }

    /// The list; empty if missing.
    pub(super) fn read(folder: &Path) -> io::Result<Content> {
        if !Content::is_listed(folder) {
            return Ok(Content(BTreeMap::new()));
        }
        let text = String::from_utf8_lossy(&fs::read(folder.join(LIST))?).into_owned();
        let entry = |line: &str| line.split_once("  ").map(|(hash, name)| (name.to_owned(), hash.to_owned()));
        Ok(Content(text.lines().filter_map(entry).collect()))
    }
}

/// The files and the folders below a folder.
fn below(folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let (more_files, more_folders) = below(&entry.path())?;
            files.extend(more_files);
            folders.extend(more_folders);
            folders.push(entry.path());
        } else {
            files.push(entry.path());
        }
    }
    Ok((files, folders))
}

/// The SHA-256 of a file from its current position.
fn hash(mut file: File) -> io::Result<String> {
    let (mut hash, mut part) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            n => hash.update(&part[..n]),
        }
    }
}
