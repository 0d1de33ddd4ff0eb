//! What a page has only once it is opened. A page from a disk may not read other files, but it may load scripts: a part is a
//! script that hands over its text, compressed.

use std::io::Write;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder},
};
use maud::{Markup, html};

use crate::{site::Site, visible};

/// The script that hands over `text` as the part of that path.
pub fn script(path: &str, text: &str) -> String {
    format!("anabranch.part({}, \"{}\");\n", serde_json::json!(path), STANDARD.encode(deflated(text)))
}

/// The text in the format that browsers call `deflate-raw`.
pub fn deflated(text: &str) -> Vec<u8> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(text.as_bytes()).expect("memory takes every byte");
    deflate.finish().expect("memory is flushed")
}

/// A part that has the text of several places: they are much alike, and together take a quarter of what they take apart.
pub struct Pieces {
    path: String,
    texts: Vec<String>,
}

impl Pieces {
    /// The part of that path.
    pub fn of(path: String) -> Self {
        Pieces { path, texts: vec![] }
    }

    /// What is opened, folded away under its `summary`; without scripts `hint` stands there.
    pub fn folded(&mut self, class: &str, summary: &Markup, body: Markup, hint: &str) -> Markup {
        let number = self.texts.len();
        self.texts.push(visible::page(body));
        html! {
            details class=(class) data-part=(self.path) data-piece=(number) {
                summary { (summary) }
                div.part { noscript { p.hint { (hint) } } }
            }
        }
    }

    /// Writes the part, where there is something in it.
    pub fn finish(self, site: &mut Site) {
        if !self.texts.is_empty() {
            let text = serde_json::Value::from(self.texts).to_string();
            site.add(self.path.as_str(), script(&self.path, &text));
        }
    }
}

/// A file of that text, as `gzip` makes it but without a time.
pub fn gzip(text: &str) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(text.as_bytes()).expect("memory takes every byte");
    gzip.finish().expect("memory is flushed")
}
