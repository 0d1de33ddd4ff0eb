//! What a page has only once it is opened. A page from a disk may not read other files, but it may load scripts: a part is a
//! script that hands over its text, compressed.

use std::io::Write;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder},
};

/// The script that hands over `text` as the part of that path.
pub fn script(path: &str, text: &str) -> String {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(text.as_bytes()).expect("memory takes every byte");
    let bytes = deflate.finish().expect("memory is flushed");
    format!("anabranch.part({}, \"{}\");\n", serde_json::json!(path), STANDARD.encode(bytes))
}

/// A file of that text, as `gzip` makes it but without a time.
pub fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(text.as_bytes()).expect("memory takes every byte");
    gzip.finish().expect("memory is flushed")
}
