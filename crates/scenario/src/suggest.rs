//! Suggestions for unknown names.

/// The most names listed; enough for all algorithms.
const MAX_NAMES: usize = 50;
/// The longest name, in bytes, for which similar ones are searched: the search takes the product of both lengths.
const MAX_CLOSE: usize = 100;

/// "did you mean `x`?" if a known name is similar, and the list of known names.
pub fn suggest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let list = match &*known {
        [] => "none is defined".to_owned(),
        names if names.len() <= MAX_NAMES => format!("known: {}", names.join(", ")),
        names => {
            let more = names.len() - MAX_NAMES;
            format!("known: {} and {more} more", names[..MAX_NAMES].join(", "))
        }
    };
    did_you_mean(given, &known, &list)
}

/// The same with other help instead of the list.
pub(crate) fn did_you_mean(given: &str, known: &[&str], help: &str) -> String {
    let distance = |name: &str| strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase());
    let close = |name: &&&str| {
        !given.is_empty()
            && given.len().max(name.len()) <= MAX_CLOSE
            && distance(name) <= 1 + name.chars().count() / 4
    };
    match known.iter().filter(close).min_by_key(|name| distance(name)) {
        Some(name) => format!("did you mean `{name}`? {help}"),
        None => help.to_owned(),
    }
}
