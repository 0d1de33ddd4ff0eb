//! Text that is safe to show on a terminal.

/// Whether a character is invisible or changes how other text is shown: control characters, Unicode's Bidi_Control, line and
/// paragraph separators, and zero-width characters.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with hidden characters escaped as `\u{1b}`, except line ends and tabs.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// The text on one line: line ends and tabs are escaped, too.
pub fn printable_line(text: &str) -> String {
    printable(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// The text with each hidden character replaced by one of the same length in bytes, so that offsets stay valid.
pub fn of_same_length(text: &str) -> String {
    let visible = |c: char| match c.len_utf8() {
        _ if c == '\n' || c == '\t' || c == '\r' || !is_hidden(c) => c,
        1 => '?',
        2 => '·',
        _ => '\u{fffd}',
    };
    text.chars().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UAX #9, table 4 (the explicit and implicit directional formatting characters), and the C0 and C1 controls.
    #[test]
    fn bidi_and_control_characters_are_hidden() {
        let bidi =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        assert!(bidi.chars().all(is_hidden));
        assert!((0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32).all(is_hidden));
        assert!(!"Müller’s 链路 – −1 µs é".chars().any(is_hidden));
        assert_eq!(printable("a\u{1b}[31m\u{202e}b\n"), "a\\u{1b}[31m\\u{202e}b\n");
        assert_eq!(printable_line("a\n\tb\u{7}"), "a\\n\\tb\\u{7}");
        for text in [bidi, "\u{1b}[0m é \u{85}\t\n"] {
            let shown = of_same_length(text);
            assert_eq!(shown.len(), text.len());
            assert!(shown.chars().all(|c| c == '\n' || c == '\t' || !is_hidden(c)), "{shown:?}");
        }
    }
}
