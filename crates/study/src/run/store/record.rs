//! An outcome as a line: `{"sha256":"…","outcome":{"key":"…",…}}`, with the checksum of the outcome's bytes as they stand there.

use crate::key::Key;
use anabranch_record::Summary;
use serde::{Deserialize, Serialize};

const HEAD: &[u8] = b"{\"sha256\":\"";
const MIDDLE: &[u8] = b"\",\"outcome\":";
const KEY: &[u8] = b"{\"key\":\"";
const TAIL: &[u8] = b"}\n";

/// An outcome with its run's key and version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The run's key.
    pub key: Key,
    /// The version of results.
    pub version: String,
    /// Means and totals.
    pub summary: Summary,
}

/// Why a line is invalid that was truncated, or whose content has changed.
pub const TORN: &str = "is cut off or damaged";

/// The line.
pub fn write(key: &Key, version: &str, summary: &Summary) -> Vec<u8> {
    let record = Record { key: *key, version: version.to_owned(), summary: summary.clone() };
    let body = serde_json::to_vec(&record).expect("a summary is plain data");
    let sum = Key::sum(&body).to_string();
    [HEAD, sum.as_bytes(), MIDDLE, &body, TAIL].concat()
}

/// The outcome in a line, or why the line is invalid.
pub fn read(line: &[u8], key: &Key, version: &str) -> Result<Summary, &'static str> {
    let (sum, body) = split(line).ok_or(TORN)?;
    if Key::sum(body).to_string().as_bytes() != sum {
        return Err(TORN);
    }
    let Record { key: there, version: by, summary } = serde_json::from_slice(body).map_err(|_| TORN)?;
    if there == *key && by == version { Ok(summary) } else { Err("contains another run") }
}

/// The key of a line that looks like an outcome.
pub fn key(line: &[u8]) -> Option<Key> {
    let (_, body) = split(line)?;
    str::from_utf8(body.strip_prefix(KEY)?.get(..64)?).ok()?.parse().ok()
}

/// The checksum and the bytes that it covers.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (sum, rest) = line.strip_prefix(HEAD)?.split_at_checked(64)?;
    Some((sum, rest.strip_prefix(MIDDLE)?.strip_suffix(TAIL)?))
}
