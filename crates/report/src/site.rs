//! The files of a report, gathered in memory and written at once.

use anabranch_record::WriteError;
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Files by their path below the report's folder, with `/` between folders.
#[derive(Default)]
pub struct Site(BTreeMap<String, Cow<'static, [u8]>>);

const ASSETS: [(&str, &str); 3] = [
    ("assets/report.css", include_str!("../assets/report.css")),
    ("assets/report.js", include_str!("../assets/report.js")),
    ("assets/sort.js", include_str!("../assets/sort.js")),
];

impl Site {
    /// A report that has its styles and scripts, and no page yet.
    pub fn with_assets() -> Self {
        Self(ASSETS.map(|(path, text)| (path.to_owned(), Cow::Borrowed(text.as_bytes()))).into())
    }

    /// Adds a text file.
    pub fn add(&mut self, path: impl Into<String>, text: String) {
        self.0.insert(path.into(), Cow::Owned(text.into_bytes()));
    }

    /// Adds what a page loads once it is opened. A page from a disk may not read other files, but it may load scripts: a fragment
    /// is a script that hands over its text, compressed.
    pub fn add_part(&mut self, path: &str, text: &str) {
        let (name, text) = (serde_json::json!(path), STANDARD.encode(deflated(text)));
        self.add(path, format!("anabranch.part({name}, \"{text}\");\n"));
    }

    /// Adds a file of that text, as `gzip` makes it but without a time.
    pub fn add_gzip(&mut self, path: &str, text: &str) {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(text.as_bytes()).expect("memory takes every byte");
        self.0.insert(path.to_owned(), Cow::Owned(gzip.finish().expect("memory is flushed")));
    }

    /// The text of the file of that path, if it has been added.
    pub fn text(&self, path: &str) -> Option<&str> {
        std::str::from_utf8(self.0.get(path)?).ok()
    }

    /// Writes every file below `dir`.
    pub fn write(self, dir: &Path) -> Result<(), WriteError> {
        for (path, bytes) in self.0 {
            let path = dir.join(path);
            let folder = path.parent().unwrap_or(dir);
            fs::create_dir_all(folder).map_err(|source| WriteError { path: folder.to_owned(), source })?;
            fs::write(&path, bytes).map_err(|source| WriteError { path: path.clone(), source })?;
        }
        Ok(())
    }
}

/// The text in the format that browsers call `deflate-raw`.
pub fn deflated(text: &str) -> Vec<u8> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(text.as_bytes()).expect("memory takes every byte");
    deflate.finish().expect("memory is flushed")
}
