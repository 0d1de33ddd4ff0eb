//! Texts with placeholders for the values of axes: `{rate} Mbit/s`, `{case.name}`.

use super::{Problem, Spanned};
use indexmap::IndexMap;

/// The texts of a file by name.
pub(crate) type Texts = IndexMap<String, Spanned<String>>;

/// The prefix of placeholders for the file's texts.
const OF_TEXTS: &str = "texts.";

/// The placeholders in a text, with their positions. Braces around anything but a name are text.
pub(crate) fn places(text: &str) -> Vec<(&str, std::ops::Range<usize>)> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|i| from + i) {
        let Some(close) = text[open..].find('}').map(|i| open + i) else { break };
        let inside = &text[open + 1..close];
        let named = inside.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && inside.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
        if named {
            places.push((inside, open..close + 1));
        }
        from = if named { close + 1 } else { open + 1 };
    }
    places
}

/// Checks that this is a name for expressions and texts: letters, digits and `_`, not a digit first.
pub(crate) fn named(name: &str, what: &str) -> Result<(), Problem> {
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let whole = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    Problem::new(format!("`{name}` is not a valid name of {what}"))
        .help("a name has letters, digits and _, and starts with a letter or _")
        .unless(starts && whole && !["and", "or"].contains(&name))
}

/// Replaces the placeholders for which `of` has a value.
fn replaced(text: &str, of: impl Fn(&str) -> Result<Option<String>, Problem>) -> Result<String, Problem> {
    let (mut filled, mut from) = (String::new(), 0);
    for (place, range) in places(text) {
        if let Some(value) = of(place)? {
            filled += &text[from..range.start];
            filled += &value;
            from = range.end;
        }
    }
    Ok(filled + &text[from..])
}

/// Replaces `{texts.NAME}` by the file's texts. Placeholders within these stay.
pub(crate) fn with_texts(text: &str, texts: &Texts) -> Result<String, Problem> {
    replaced(text, |place| {
        let Some(name) = place.strip_prefix(OF_TEXTS) else { return Ok(None) };
        let known = texts.keys().map(String::as_str);
        let unknown = || Problem::new(format!("[texts] has no `{name}`")).suggest(name, known);
        texts.get(name).map(|text| Some(text.as_str().to_owned())).ok_or_else(unknown)
    })
}

/// Rejects texts that contain another text.
pub(crate) fn check_texts(texts: &Texts) -> Result<(), Problem> {
    let mut inside = texts.values().flat_map(|text| places(text).into_iter().map(move |at| (text, at.0)));
    let Some((text, place)) = inside.find(|(_, place)| place.starts_with(OF_TEXTS)) else { return Ok(()) };
    let problem = text.problem(format!("a text cannot contain another text: `{{{place}}}`"));
    Err(problem.help("use both texts where they are needed"))
}

/// Replaces all placeholders by values.
pub(crate) fn fill(
    text: &str,
    value: &dyn Fn(&str) -> Result<Option<String>, Problem>,
    known: &[&str],
) -> Result<String, Problem> {
    replaced(text, |name| {
        let value = value(name)?.ok_or_else(|| {
            let axis = name.split_once('.').map_or(name, |(axis, _)| axis);
            match known.contains(&axis) {
                true => Problem::new(format!("`{{{name}}}` in \"{text}\" has no value here")).help(format!(
                    "name the axis in the identifier, `{{{axis}}}`, or choose a value: at = {{ {axis} = … }}"
                )),
                false => {
                    Problem::new(format!("`{{{name}}}` in \"{text}\" is neither an axis nor a quantity"))
                        .suggest(name, known.iter().copied())
                }
            }
        })?;
        Ok(Some(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_toml_are_text() {
        let value = |name: &str| Ok((name == "p" || name == "case.id").then(|| format!("<{name}>")));
        let fill = |text| fill(text, &value, &["p"]).map_err(|problem| problem.message);
        assert_eq!(
            fill("{ model = \"bernoulli\", rate = {p} }").unwrap(),
            "{ model = \"bernoulli\", rate = <p> }"
        );
        assert_eq!(fill("a{case.id}b{p}").unwrap(), "a<case.id>b<p>");
        assert_eq!(fill("{").unwrap(), "{");
        assert!(fill("{q}").unwrap_err().contains("`{q}`"));
    }
}
