//! Passages of texts that depend on the sensitivity variants that were run: `[[v0: A variant has other arithmetic.]]`.

use super::variant::{self, Variant};
use crate::parse::Problem;

/// The text before a passage, its variants, its own text and the rest.
fn passage(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, rest) = text.split_at(begin(text)?);
    let (inside, after) = rest[2..].split_once("]]")?;
    let (variants, own) = inside.split_once(':')?;
    Some((before, variants, own, after))
}

/// Where the first passage begins. TOML's own brackets, as in `[[flows]]` and `[["dsl"], ["lte"]]`, are text.
fn begin(text: &str) -> Option<usize> {
    let is_toml = |inside: &str| {
        let key = inside.split("]]").next().unwrap_or("");
        !inside.starts_with(|c: char| c.is_alphanumeric())
            || inside.contains("]]") && key.chars().all(|c| c.is_ascii_lowercase() || "_.".contains(c))
    };
    text.match_indices("[[").map(|(at, _)| at).find(|at| !is_toml(&text[at + 2..]))
}

/// The text with the passages whose variants were all run.
pub(crate) fn kept(text: &str, ran: &[&str]) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, variants, own, after)) = passage(rest) {
        kept += before;
        if variants.split_whitespace().all(|variant| ran.contains(&variant)) {
            kept += own.trim_start();
        } else if after.is_empty() || after.starts_with(' ') {
            kept.truncate(kept.trim_end().len());
        }
        rest = after;
    }
    kept + rest
}

/// Rejects passages with unknown variants, or without an end.
pub(crate) fn check(text: &str) -> Result<(), Problem> {
    let mut rest = text;
    while let Some((_, variants, _, after)) = passage(rest) {
        for name in variants.split_whitespace() {
            find(name)?;
        }
        rest = after;
    }
    Problem::new("a passage has no end, or no variant")
        .help("write [[v0: text]] for a text that is shown if variant v0 was run")
        .unless(begin(rest).is_none())
}

pub(super) fn find(name: &str) -> Result<&'static Variant, Problem> {
    variant::ALL.into_iter().find(|known| known.id == name).ok_or_else(|| {
        Problem::new(format!("there is no sensitivity variant `{name}`"))
            .suggest(name, variant::ALL.map(|known| known.id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_depend_on_what_was_run() {
        let text = "See A-X6. [[v0 tick: Variants have both.]] The end[[v0: ; one more]].";
        assert_eq!(kept(text, &["v0", "tick"]), "See A-X6. Variants have both. The end; one more.");
        assert_eq!(kept(text, &["v0"]), "See A-X6. The end; one more.");
        assert_eq!(kept(text, &[]), "See A-X6. The end.");
        assert_eq!(kept("A. [[v0: B.]]", &[]), "A.");
        assert_eq!(kept("[[v0: B.]]", &["v0"]), "B.");
        assert_eq!(kept("a [list] of [[x]]", &[]), "a [list] of [[x]]");
    }

    #[test]
    fn toml_is_text() {
        let text = "Each `[[flows]]` has `paths = [[\"dsl\"], [\"lte\"]]`[[v0: , as before]].";
        assert!(check(text).is_ok());
        assert!(kept(text, &["v0"]).ends_with("[\"lte\"]]`, as before."));
        assert!(kept(text, &[]).ends_with("[\"lte\"]]`."));
    }

    #[test]
    fn mistakes_are_found() {
        assert!(check("A. [[v0 tick+tso: B.]] C.").is_ok());
        let problem = check("[[v00: B.]]").unwrap_err();
        assert!(problem.message.contains("`v00`"), "{}", problem.message);
        assert!(check("A [[v0: B.").is_err() && check("A [[B.]]").is_err());
    }
}
