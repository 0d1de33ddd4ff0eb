//! Plain text as HTML: `code` between backticks, and addresses as links.

use maud::{Markup, html};

/// One paragraph's worth of text.
pub fn prose(text: &str) -> Markup {
    // Odd pieces stand between backticks; an unpaired one is only a character.
    let pieces: Vec<&str> = text.split('`').collect();
    let paired = pieces.len() % 2 == 1;
    html! {
        @for (i, piece) in pieces.iter().enumerate() {
            @if i % 2 == 1 && (paired || i + 1 < pieces.len()) { code { (piece) } }
            @else {
                @if i > 0 && !paired && i + 1 == pieces.len() { "`" }
                (linked(piece))
            }
        }
    }
}

/// Text whose http(s) addresses are links.
fn linked(text: &str) -> Markup {
    html! {
        @for word in text.split_inclusive(char::is_whitespace) {
            @match address(word) {
                Some((before, url, after)) => { (before) a href=(url) rel="noreferrer" { (url) } (after) },
                None => (word),
            }
        }
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
pub fn paragraphs(notes: &[String]) -> Markup {
    html! {
        @for note in notes { p { (prose(note)) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
