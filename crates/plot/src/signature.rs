//! A signature in pictures, so that only our own pictures are replaced without asking.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The signature at the end of an SVG or a page.
const COMMENT: &str = "<!-- drawn by anabranch -->\n";
/// A PNG's text chunk (PNG, 11.3.4.3): length, type, keyword and text, CRC.
const CHUNK: [u8; 30] = *b"\0\0\0\x12tEXtSoftware\0anabranch\x8e\xd9\x49\x85";
/// Where it stands: behind the signature and the header's chunk.
const CHUNK_AT: usize = 8 + 25;

pub(crate) fn mark_text(text: String) -> Vec<u8> {
    (text + COMMENT).into_bytes()
}

/// A PDF with the mark behind its end, where readers ignore it.
pub(crate) fn mark_pdf(pdf: Vec<u8>) -> Vec<u8> {
    [&pdf[..], b"\n% ", COMMENT.as_bytes()].concat()
}

/// A file of TeX with the mark, as a comment.
pub(crate) fn mark_tex(text: String) -> Vec<u8> {
    format!("{text}\n% {COMMENT}").into_bytes()
}

/// A style sheet of matplotlib with the mark, as a comment.
pub(crate) fn mark_style(text: String) -> Vec<u8> {
    format!("{text}# {COMMENT}").into_bytes()
}

pub(crate) fn mark_png(mut png: Vec<u8>) -> Vec<u8> {
    png.splice(CHUNK_AT..CHUNK_AT, CHUNK);
    png
}

/// Whether a file is a picture that this crate drew.
///
/// # Errors
/// Where it cannot be read.
pub fn is_own(file: &Path) -> io::Result<bool> {
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    let mut part = |from: u64, bytes: usize| {
        let mut part = Vec::with_capacity(bytes);
        file.seek(SeekFrom::Start(from))?;
        file.by_ref().take(bytes as u64).read_to_end(&mut part).map(|_| part)
    };
    let is_text = part(length.saturating_sub(COMMENT.len() as u64), COMMENT.len())? == COMMENT.as_bytes();
    let header = anabranch_report::VALUES.join(",");
    let is_values = part(0, header.len())? == header.as_bytes();
    Ok(is_text || is_values || part(CHUNK_AT as u64, CHUNK.len())? == CHUNK)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file is ours by its ends, whatever its length, of which no more is read: here 8 TB, a hole but for the mark.
    #[test]
    fn files_are_recognised_by_their_ends() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("file");
        let of = |bytes: &[u8]| {
            std::fs::write(&at, bytes).unwrap();
            is_own(&at).unwrap()
        };
        let png = [&[0; CHUNK_AT][..], &CHUNK, b"rest"].concat();
        assert!(of(&mark_tex(String::new())) && of(&mark_style(String::new())));
        assert!(of(&mark_pdf(b"%PDF-1.7".to_vec())) && of(anabranch_report::values(&[]).as_bytes()));
        assert!(of(&mark_text("<svg/>".into())) && of(&mark_text(String::new())) && of(&png));
        for other in [&b""[..], b"-->\n", b"<!-- drawn by anabranch --> \n", &png[1..], &png[..CHUNK_AT + 5]]
        {
            assert!(!of(other), "{other:?}");
        }
        let file = File::create(&at).unwrap();
        file.set_len(1 << 43).unwrap();
        assert!(!is_own(&at).unwrap());
    }
}
