//! Keys under their old names, which this version still reads.

use toml::Table;

/// Old and new names.
const RENAMED: [(&str, &str); 2] = [("columns", "variants"), ("readings", "interpretations")];

/// A note on each old name in a file.
pub(crate) fn notes(text: &str) -> Vec<String> {
    let named: Vec<_> = RENAMED.iter().filter(|(old, _)| text.contains(old)).collect();
    let table = if named.is_empty() { Table::new() } else { text.parse().unwrap_or_default() };
    let found = named.into_iter().filter(|(old, _)| has(&table, old));
    found.map(|(old, new)| renamed(&format!("the key `{old}`"), &format!("`{new}`"))).collect()
}

/// Whether the file, an experiment or a row has the key.
fn has(table: &Table, key: &str) -> bool {
    let mut inner = ["experiments", "rows"].iter().filter_map(|name| table.get(*name)?.as_array()).flatten();
    table.contains_key(key) || inner.any(|value| value.as_table().is_some_and(|table| has(table, key)))
}

/// The note on an old name.
pub fn renamed(old: &str, new: &str) -> String {
    format!("{old} is now called {new}; the old name works until version 0.3.0")
}
