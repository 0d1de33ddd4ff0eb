//! The list of a folder's files, which the next command finds in the folder and by which it knows them as ours.

use super::OutputError;
use crate::{quoted, replace};
use rustix::fs::{AtFlags, Dir, Mode, OFlags, open, openat, unlinkat};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The list's name. `sha256sum --check .anabranch` finds what was changed or damaged.
const LIST: &str = ".anabranch";
/// What stands above it.
const HEADING: &str =
    "# Files that anabranch wrote into this folder and will replace. It does not touch other files.\n";

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
        // Whole or not at all: what has a list is complete.
        replace(&folder.join(LIST), lines.as_bytes())?;
        for below in folders(folder)? {
            File::open(below)?.sync_all()?;
        }
        File::open(folder)?.sync_all()
    }

    /// Refuses a folder, which the user calls `name`, that holds anything but what we wrote there.
    pub fn check(folder: &Path, name: &Path) -> Result<(), OutputError> {
        let cannot = |e| OutputError::because(format!("cannot read {}", name.display()), &e);
        if !folder.exists() {
            return Ok(());
        }
        let ours = Content::read(folder).map_err(cannot)?;
        match ours.find_other(folder, Path::new("")).map_err(cannot)? {
            None => Ok(()),
            Some((file, why)) => {
                let message = format!("{} contains {}, {why}", name.display(), file.display());
                let help = match Content::is_listed(folder) {
                    true => "results replace a whole folder: give another folder, or move that file away"
                        .to_owned(),
                    false => unlisted(folder, name),
                };
                Err(OutputError::new(message).with_help(help))
            }
        }
    }

    /// The first thing that is not as we wrote it in a folder, `below` what the list is about, and why.
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
            // Whatever is no file, reading it could take for ever.
            if !there.is_file() || hash(File::open(&path)?)? != *written {
                return Ok(Some((file, "which has been changed")));
            }
        }
        Ok(None)
    }

    /// Deletes the files on a folder's list, and its folders where nothing is left in them: what somebody else put there
    /// stays, and then the list too. Gives whether nothing did.
    pub fn discard(folder: &Path) -> io::Result<bool> {
        let ours = Content::read(folder)?;
        let opened = open(folder, FOLDER, Mode::empty())?;
        let is_ours = |file: &Path| file.to_str().is_some_and(|file| ours.0.contains_key(file));
        // The list goes last, so that what a killed command leaves can still be told from what is not ours.
        Ok(clear(&opened, Path::new(""), &is_ours)? && {
            Content::forget(folder);
            fs::remove_dir(folder).is_ok()
        })
    }

    /// Removes the list of a folder. Where it cannot be, it harms nobody.
    pub fn forget(folder: &Path) {
        let _ = fs::remove_file(folder.join(LIST));
    }

    /// Whether a folder has a list.
    pub fn is_listed(folder: &Path) -> bool {
        folder.join(LIST).symlink_metadata().is_ok_and(|there| there.is_file())
    }

    /// The list; empty where there is none.
    fn read(folder: &Path) -> io::Result<Content> {
        if !Content::is_listed(folder) {
            return Ok(Content(BTreeMap::new()));
        }
        let text = String::from_utf8_lossy(&fs::read(folder.join(LIST))?).into_owned();
        let entry = |line: &str| line.split_once("  ").map(|(hash, name)| (name.to_owned(), hash.to_owned()));
        Ok(Content(text.lines().filter_map(entry).collect()))
    }
}

/// What to do about a folder without a list. Versions before there were lists left results like that.
fn unlisted(folder: &Path, name: &Path) -> String {
    // As the user calls it, unless by dots.
    let shown = if name.file_name().is_some() { name } else { folder };
    let mut away = shown.as_os_str().to_owned();
    away.push(".earlier");
    while Path::new(&away).symlink_metadata().is_ok() {
        away.push("-again");
    }
    let [from, to] = [shown, Path::new(&away)].map(|path| quoted(&path.display().to_string()));
    format!(
        "results replace a whole folder, and {} has no list ({LIST}) of the files that anabranch wrote. If it has results of an earlier \
         version, move them away once:\nmv {from} {to}\nIf not, give another folder",
        name.display()
    )
}

/// A folder is opened, and no link to one.
pub const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Deletes the files in an open folder, `below` what it is called, that are `ours`, and the folders in it where nothing is
/// left. Gives whether nothing is, but the list. No link is followed and no path from the list used: whatever others put
/// there, nothing elsewhere is deleted.
pub fn clear(folder: impl AsFd, below: &Path, ours: &dyn Fn(&Path) -> bool) -> io::Result<bool> {
    let mut nothing_left = true;
    for entry in Dir::read_from(&folder)?.collect::<Result<Vec<_>, _>>()? {
        let name = entry.file_name();
        let file = below.join(OsStr::from_bytes(name.to_bytes()));
        if [c".", c".."].contains(&name) || file == Path::new(LIST) {
            continue;
        }
        nothing_left &= match openat(&folder, name, FOLDER, Mode::empty()) {
            Ok(inner) => clear(inner, &file, ours)? && unlinkat(&folder, name, AtFlags::REMOVEDIR).is_ok(),
            Err(_) => ours(&file) && unlinkat(&folder, name, AtFlags::empty()).is_ok(),
        };
    }
    Ok(nothing_left)
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
