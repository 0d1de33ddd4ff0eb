//! An outcome as a file: `{"sha256":"…","outcome":{…}}`, the checksum that of the outcome's bytes as they stand there.

use super::Key;
use anabranch_record::Summary;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

const HEAD: &[u8] = b"{\"sha256\":\"";
const MIDDLE: &[u8] = b"\",\"outcome\":";
const TAIL: &[u8] = b"}\n";

/// What a run gave, and which run of which program it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The run's key.
    pub key: Key,
    /// The program.
    pub version: String,
    /// Means and totals.
    pub summary: Summary,
}

/// Why a file is no outcome.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum Damage {
    /// It does not end as it should, or its content has changed.
    #[error("is cut off or damaged")]
    Torn,
    /// It is whole, but another run's.
    #[error("holds another run")]
    Other,
    /// A folder, a pipe or the like.
    #[error("is no file")]
    NoFile,
    /// The system does not let us.
    #[error("cannot be read ({0})")]
    Unreadable(ErrorKind),
}

/// The file's content.
pub fn write(key: &Key, version: &str, summary: &Summary) -> Vec<u8> {
    #[derive(Serialize)]
    struct Borrowed<'a> {
        key: &'a Key,
        version: &'a str,
        summary: &'a Summary,
    }
    let body = serde_json::to_vec(&Borrowed { key, version, summary }).expect("a summary is plain data");
    let sum = Key::sum(&body).to_string();
    [HEAD, sum.as_bytes(), MIDDLE, &body, TAIL].concat()
}

/// The outcome in a file; none where there is no file.
pub fn read(file: &Path, key: &Key, version: &str) -> Result<Option<Record>, Damage> {
    let unreadable = |why: std::io::Error| Damage::Unreadable(why.kind());
    match file.symlink_metadata() {
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(None),
        // Reading a pipe would wait for ever.
        Ok(there) if !there.is_file() => return Err(Damage::NoFile),
        there => there.map_err(unreadable)?,
    };
    let bytes = fs::read(file).map_err(unreadable)?;
    let outcome = parse(&bytes).ok_or(Damage::Torn)?;
    if outcome.key == *key && outcome.version == version { Ok(Some(outcome)) } else { Err(Damage::Other) }
}

fn parse(bytes: &[u8]) -> Option<Record> {
    let (sum, rest) = bytes.strip_prefix(HEAD)?.split_at_checked(64)?;
    let body = rest.strip_prefix(MIDDLE)?.strip_suffix(TAIL)?;
    if Key::sum(body).to_string().as_bytes() != sum {
        return None;
    }
    serde_json::from_slice(body).ok()
}
