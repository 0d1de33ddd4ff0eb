//! How a picture says that this project drew it, so that only such a picture is replaced without asking.

use std::fs;
use std::io;
use std::path::Path;

/// At the end of an SVG and of a page.
const COMMENT: &str = "<!-- drawn by anabranch -->\n";
/// A PNG's text chunk (PNG, 11.3.4.3): length, type, keyword and text, CRC.
const CHUNK: [u8; 30] = *b"\0\0\0\x12tEXtSoftware\0anabranch\x8e\xd9\x49\x85";
/// Where it stands: behind the signature and the header's chunk.
const CHUNK_AT: usize = 8 + 25;

/// A text with the mark.
pub(crate) fn mark_text(text: String) -> Vec<u8> {
    (text + COMMENT).into_bytes()
}

/// A PNG with the mark.
pub(crate) fn mark_png(mut png: Vec<u8>) -> Vec<u8> {
    png.splice(CHUNK_AT..CHUNK_AT, CHUNK);
    png
}

/// Whether a file is a picture that this crate drew.
///
/// # Errors
/// Where it cannot be read.
pub fn is_own(file: &Path) -> io::Result<bool> {
    let bytes = fs::read(file)?;
    Ok(bytes.ends_with(COMMENT.as_bytes())
        || bytes.get(CHUNK_AT..).is_some_and(|rest| rest.starts_with(&CHUNK)))
}
