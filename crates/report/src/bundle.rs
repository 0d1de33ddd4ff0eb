//! What a page has only once it is opened.

use maud::{Markup, html};

use crate::{site::Site, visible};

/// A part that has the text of several places: they are much alike, and together take a quarter of what they take apart.
pub struct Bundle {
    path: String,
    texts: Vec<String>,
}

impl Bundle {
    /// The part of that path.
    pub fn of(path: String) -> Self {
        Bundle { path, texts: vec![] }
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
            site.add_part(&self.path, &text);
        }
    }
}
