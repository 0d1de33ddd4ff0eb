//! Texts with places for the values of axes: `{rate} Mbit/s`, `{case.name}`.

use super::error::{Problem, suggest};

/// The places in a text: what stands between the braces, and where. Braces around anything but a name are text.
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

/// The text with values in its places.
pub(crate) fn fill(
    text: &str,
    value: &dyn Fn(&str) -> Option<String>,
    known: &[&str],
) -> Result<String, Problem> {
    let mut filled = String::new();
    let mut from = 0;
    for (name, range) in places(text) {
        let value = value(name).ok_or_else(|| {
            let axis = name.split_once('.').map_or(name, |(axis, _)| axis);
            match known.contains(&axis) {
                true => Problem::new(format!("`{{{name}}}` in \"{text}\" has no value here")).help(format!(
                    "name the axis in the identifier, `{{{axis}}}`, or give it: at = {{ {axis} = … }}"
                )),
                false => Problem::new(format!("`{{{name}}}` in \"{text}\" is no axis"))
                    .help(suggest(name, known.iter().copied())),
            }
        })?;
        filled += &text[from..range.start];
        filled += &value;
        from = range.end;
    }
    Ok(filled + &text[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_toml_are_text() {
        let value = |name: &str| (name == "p" || name == "case.id").then(|| format!("<{name}>"));
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
