//! Plain text as HTML: `code` between backticks, and addresses as links.

use maud::{Markup, html};
use std::collections::BTreeMap;

/// Where the rows, figures and experiments of a study are, by identifier.
pub type Links = BTreeMap<String, String>;

/// One paragraph's worth of text.
pub fn prose(text: &str) -> Markup {
    with_links(text, &Links::new())
}

/// The same with links to the rows, figures and experiments that it names.
pub fn with_links(text: &str, links: &Links) -> Markup {
    // Odd pieces stand between backticks; an unpaired one is only a character.
    let pieces: Vec<&str> = text.split('`').collect();
    let paired = pieces.len() % 2 == 1;
    html! {
        @for (i, piece) in pieces.iter().enumerate() {
            @if i % 2 == 1 && (paired || i + 1 < pieces.len()) { code { (piece) } }
            @else {
                @if i > 0 && !paired && i + 1 == pieces.len() { "`" }
                (linked(piece, links))
            }
        }
    }
}

/// Text whose http(s) addresses and identifiers are links.
fn linked(text: &str, links: &Links) -> Markup {
    html! {
        @for word in text.split_inclusive(char::is_whitespace) {
            @match address(word) {
                Some((before, url, after)) => { (before) a href=(url) rel="noreferrer" { (url) } (after) },
                None => (reference(word, links)),
            }
        }
    }
}

/// A word, linked if it is an identifier or the beginning of several ("A-T5.eq1" of "A-T5.eq1.20").
fn reference(word: &str, links: &Links) -> Markup {
    let id = word.trim_matches(|c: char| !c.is_alphanumeric());
    let first_of = || {
        let within = format!("{id}.");
        links.range(within.clone()..).next().filter(|(known, _)| known.starts_with(&within))
    };
    let target = if id.contains('-') { links.get_key_value(id).or_else(first_of) } else { None };
    match (target, word.split_once(id)) {
        (Some((_, href)), Some((before, after))) => html! { (before) a href=(href) { (id) } (after) },
        _ => html! { (word) },
    }
}

/// Splits a word at the address in it; punctuation that follows belongs to the sentence.
fn address(word: &str) -> Option<(&str, &str, &str)> {
    let start = word.find("https://").or_else(|| word.find("http://"))?;
    let (before, rest) = word.split_at(start);
    let end = rest.trim_end_matches(|c: char| c.is_whitespace() || ".,;:)]>\"'".contains(c)).len();
    let (url, after) = rest.split_at(end);
    Some((before, url, after))
}

/// Paragraphs, one for each note.
pub fn paragraphs(notes: &[String], links: &Links) -> Markup {
    html! {
        @for note in notes { p { (with_links(note, links)) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_links() {
        let links: Links = [("A-T4.alpha", "a.html#1"), ("A-T5.eq1.20", "b.html#2"), ("A-X6", "c.html#3")]
            .map(|(id, href)| (id.to_owned(), href.to_owned()))
            .into();
        let text = with_links("(row A-T4.alpha, A-T5.eq1) and A-X6. Not A-X60, A-T, `A-X6`.", &links);
        assert_eq!(
            text.into_string(),
            "(row <a href=\"a.html#1\">A-T4.alpha</a>, <a href=\"b.html#2\">A-T5.eq1</a>) and <a href=\"c.html#3\">A-X6</a>. \
             Not A-X60, A-T, <code>A-X6</code>."
        );
    }

    #[test]
    fn code_links_and_hostile_text() {
        assert_eq!(prose("run `a<b` now").into_string(), "run <code>a&lt;b</code> now");
        assert_eq!(prose("a ` b").into_string(), "a ` b");
        assert_eq!(
            prose("see (https://doi.org/10.1/x).").into_string(),
            r#"see (<a href="https://doi.org/10.1/x" rel="noreferrer">https://doi.org/10.1/x</a>)."#
        );
        assert_eq!(
            prose(r#"https://x/"onload="y"#).into_string(),
            r#"<a href="https://x/&quot;onload=&quot;y" rel="noreferrer">https://x/&quot;onload=&quot;y</a>"#
        );
        assert!(!prose("javascript:alert(1)").into_string().contains("href"));
    }
}
