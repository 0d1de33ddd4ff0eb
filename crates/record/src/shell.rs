//! Text as a shell reads it.

/// As a word of a POSIX shell (2024), on one line.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // A word of its own that begins with `$` is then distinct from the form with escapes.
    if word.contains(['\n', '\r']) || word.starts_with('$') {
        let escaped = word.replace('\\', r"\\").replace('\'', r"\047");
        return format!("$'{}'", escaped.replace('\n', r"\n").replace('\r', r"\r"));
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The word again, from what a splitter without `$'…'` makes of the text.
pub fn unescaped(word: String) -> String {
    let Some(escaped) = word.strip_prefix('$') else { return word };
    let plain = |part: &str| part.replace(r"\n", "\n").replace(r"\r", "\r").replace(r"\047", "'");
    escaped.split(r"\\").map(plain).collect::<Vec<_>>().join(r"\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_words() {
        for (word, shell) in [
            ("a=b/1", "a=b/1"),
            ("50 Mbit/s", "'50 Mbit/s'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("it's\n\\n", r"$'it\047s\n\\n'"),
            ("$web=lia", "$'$web=lia'"),
        ] {
            assert_eq!(quoted(word), shell);
        }
    }
}
