//! Text as a shell reads it.

const BREAKS: [char; 2] = ['\n', '\r'];

/// As a word of a POSIX shell, on one line.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if word.contains(BREAKS) {
        let escaped = word.replace('\\', r"\\").replace('\'', r"\047");
        return format!("$'{}'", escaped.replace('\n', r"\n").replace('\r', r"\r"));
    }
    format!("'{}'", word.replace('\'', r"'\''"))
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
        ] {
            assert_eq!(quoted(word), shell);
        }
    }
}
