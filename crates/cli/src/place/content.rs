//! What a command wrote into a folder: a list in the folder, by which the next command knows that it is ours.

use crate::failure::Failure;
use miette::miette;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The list's name. `sha256sum --check .anabranch` finds what was changed or damaged.
const LIST: &str = ".anabranch";
/// What stands above it.
const HEADING: &str =
    "# What anabranch wrote into this folder, and will replace: other files it leaves alone.\n";

/// The files of a folder, each with the SHA-256 of its content.
pub struct Content(BTreeMap<String, String>);

impl Content {
    /// Puts every file of a folder on the disk, and the list of them.
    pub fn seal(folder: &Path) -> io::Result<()> {
        let mut lines = HEADING.to_owned();
        for name in files(folder)? {
            let file = File::open(folder.join(&name))?;
            file.sync_all()?;
            lines += &format!("{}  {}\n", hash(file)?, name.display());
        }
        let mut list = File::create_new(folder.join(LIST))?;
        list.write_all(lines.as_bytes())?;
        list.sync_all()?;
        for below in folders(folder)? {
            File::open(below)?.sync_all()?;
        }
        File::open(folder)?.sync_all()
    }

    /// Refuses a folder, which the user calls `name`, that holds anything but what we wrote there.
    pub fn check(folder: &Path, name: &Path) -> Result<(), Failure> {
        let cannot = |e| Failure::environment(format!("cannot read {}", name.display()), &e);
        if !folder.exists() {
            return Ok(());
        }
        let ours = Content::read(folder).map_err(cannot)?;
        match ours.find_other(folder, Path::new("")).map_err(cannot)? {
            None => Ok(()),
            Some((file, why)) => {
                let help = "results replace a folder as a whole: give another one, or move that file away";
                let message = format!("{} holds {}, {why}", name.display(), file.display());
                Err(Failure::Input(miette!(help = help, "{message}")))
            }
        }
    }

    /// The first thing that is not as we wrote it in a folder, `below` what the list is about, and why.
    fn find_other(&self, folder: &Path, below: &Path) -> io::Result<Option<(PathBuf, &'static str)>> {
        const FOREIGN: &str = "which no command of ours wrote there";
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
            // Whatever is no file, reading it could take for ever.
            if !there.is_file() || hash(File::open(&path)?)? != *written {
                return Ok(Some((file, "which was changed since it was written")));
            }
        }
        Ok(None)
    }

    /// Deletes the files on a folder's list, and its folders where nothing is left in them: what somebody else put there
    /// stays. Gives whether nothing did.
    pub fn discard(folder: &Path) -> io::Result<bool> {
        for file in Content::read(folder)?.0.keys() {
            let _ = fs::remove_file(folder.join(file));
        }
        let _ = fs::remove_file(folder.join(LIST));
        // The deepest first.
        for below in folders(folder)?.iter().rev() {
            let _ = fs::remove_dir(below);
        }
        Ok(fs::remove_dir(folder).is_ok())
    }

    /// The list; empty where there is none.
    fn read(folder: &Path) -> io::Result<Content> {
        let list = folder.join(LIST);
        if !list.symlink_metadata().is_ok_and(|there| there.is_file()) {
            return Ok(Content(BTreeMap::new()));
        }
        let text = String::from_utf8_lossy(&fs::read(list)?).into_owned();
        let entry = |line: &str| line.split_once("  ").map(|(hash, name)| (name.to_owned(), hash.to_owned()));
        Ok(Content(text.lines().filter_map(entry).collect()))
    }
}

/// Paths of the files below a folder, in order.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for below in [vec![folder.to_owned()], folders(folder)?].concat() {
        for entry in fs::read_dir(below)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                let path = entry.path();
                found.push(path.strip_prefix(folder).unwrap_or(&path).to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The folders below a folder.
fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
            found.extend(folders(&entry.path())?);
        }
    }
    Ok(found)
}

/// The SHA-256 of what a file holds from where it stands.
fn hash(mut file: File) -> io::Result<String> {
    let (mut hash, mut part) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            n => hash.update(&part[..n]),
        }
    }
}
