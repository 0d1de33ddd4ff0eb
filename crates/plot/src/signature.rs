//! A signature in pictures, so that only our own pictures are replaced without asking.

use crate::format::Format;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The signature at the end of an SVG or a page.
const COMMENT: &str = "<!-- drawn by anabranch -->\n";
/// A PNG's text chunk (PNG, 11.3.4.3): length, type, keyword and text, CRC.
const CHUNK: [u8; 30] = *b"\0\0\0\x12tEXtSoftware\0anabranch\x8e\xd9\x49\x85";
/// Where it stands: behind the signature and the header's chunk.
const CHUNK_AT: usize = 8 + 25;

/// A file of that format with the signature; values have it in their heading.
pub(crate) fn signed(format: Format, mut file: Vec<u8>) -> Vec<u8> {
    let comment = match format {
        Format::Svg | Format::Html => "",
        // A PDF's readers ignore what is behind its end.
        Format::Pdf | Format::Tex => "\n% ",
        Format::MplStyle => "# ",
        Format::Png => {
            file.splice(CHUNK_AT..CHUNK_AT, CHUNK);
            return file;
        }
        Format::Csv => return file,
    };
    [&file[..], comment.as_bytes(), COMMENT.as_bytes()].concat()
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
    let header = anabranch_report::VALUES;
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
        let png = signed(Format::Png, [&[0; CHUNK_AT][..], b"rest"].concat());
        for format in [Format::Svg, Format::Pdf, Format::Html, Format::Tex, Format::MplStyle] {
            assert!(of(&signed(format, vec![])) && of(&signed(format, b"<svg/>".to_vec())), "{format:?}");
        }
        assert!(of(&png) && of(anabranch_report::values(&[]).as_bytes()));
        for other in [&b""[..], b"-->\n", b"<!-- drawn by anabranch --> \n", &png[1..], &png[..CHUNK_AT + 5]]
        {
            assert!(!of(other), "{other:?}");
        }
        let file = File::create(&at).unwrap();
        file.set_len(1 << 43).unwrap();
        assert!(!is_own(&at).unwrap());
    }
}
