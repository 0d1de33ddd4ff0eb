//! Text as a shell reads it.

/// As a word of a POSIX shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_words() {
        for (word, shell) in
            [("a=b/1", "a=b/1"), ("50 Mbit/s", "'50 Mbit/s'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(quoted(word), shell);
        }
    }
}
