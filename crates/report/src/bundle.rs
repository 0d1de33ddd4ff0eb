//! Content that a page loads when opened.

use crate::{site::Site, visible};
use maud::{Markup, html};

/// A fragment file with the content of several sections: similar texts compress well together.
pub struct Bundle {
    path: String,
    texts: Vec<String>,
}

impl Bundle {
    /// A bundle at that path.
    pub fn of(path: String) -> Self {
        Bundle { path, texts: vec![] }
    }

    /// Adds folded content under its `summary`; `hint` shows without scripts.
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

    /// Writes the fragment unless empty.
    pub fn finish(self, site: &mut Site) {
        if !self.texts.is_empty() {
            let text = serde_json::Value::from(self.texts).to_string();
            site.add_part(&self.path, &text);
        }
    }
}
