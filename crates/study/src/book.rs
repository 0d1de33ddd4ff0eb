//! The tables of keys and functions in the book's pages on study files.

use crate::file::json_schema;
use crate::functions::FUNCTIONS;
use crate::resolve::signature::signature;
use crate::theory::{FORMULAS, Formula};
use serde_json::Value;
use std::collections::BTreeSet;

/// The pages, in `docs/src`.
const PAGES: [&str; 3] = ["study-file.md", "study-rows.md", "study-functions.md"];

/// Entries of a study file that the pages have tables of, as the schema names them.
const ENTRIES: [&str; 12] = [
    "File",
    "Headline",
    "Changes",
    "Group",
    "AxisTable",
    "AxisFields",
    "Row",
    "Explanation",
    "Figure",
    "Panel",
    "Finding",
    "Experiment",
];

/// A page says after which marker a table stands, and what it has, in which order: `<!-- keys Row: id, what -->` or
/// `<!-- functions: goodput -->`. With `ANABRANCH_WRITE_BOOK=1` the test writes the tables.
#[test]
fn the_book_has_every_key_and_function() {
    let schema = json_schema();
    let mut left: BTreeSet<(&str, String)> = BTreeSet::new();
    for entry in ENTRIES {
        left.extend(keys(&schema, entry).keys().map(|key| (entry, key.clone())));
    }
    left.extend(functions().map(|(name, _)| ("functions", name.to_owned())));
    for page in PAGES {
        let path = format!("{}/../../docs/src/{page}", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).unwrap();
        let whole = with_tables(&page, &schema, &mut left);
        if std::env::var_os("ANABRANCH_WRITE_BOOK").is_some() {
            std::fs::write(&path, &whole).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == whole, "ANABRANCH_WRITE_BOOK=1 renews {path}");
    }
    assert!(left.is_empty(), "in no page: {left:?}");
}

/// The page with its tables as they should be. Their keys and functions are taken out of `left`.
fn with_tables(page: &str, schema: &Value, left: &mut BTreeSet<(&str, String)>) -> String {
    let mut whole = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        whole += &format!("{line}\n");
        let Some((kind, names)) = marker(line) else { continue };
        while lines.next_if(|line| line.is_empty() || line.starts_with('|')).is_some() {}
        whole += match kind {
            "functions" => "\n| function | unit | value |\n|---|---|---|\n",
            _ => "\n| key | meaning | example |\n|---|---|---|\n",
        };
        for name in names {
            let listed = ENTRIES.iter().find(|entry| **entry == kind).copied().unwrap_or("functions");
            assert!(left.remove(&(listed, name.to_owned())), "{kind}: `{name}` is unknown, or stands twice");
            whole += &match kind {
                "functions" => functions().find(|(known, _)| *known == name).unwrap().1,
                _ => row(name, keys(schema, kind)[name]["description"].as_str().unwrap_or_default()),
            };
        }
        whole.push('\n');
    }
    whole
}

/// A marker's kind, and the names in its table.
fn marker(line: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    let inside = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (kind, names) = inside.split_once(": ")?;
    let kind = kind.strip_prefix("keys ").or((kind == "functions").then_some(kind))?;
    Some((kind, names.split(", ")))
}

fn keys<'a>(schema: &'a Value, entry: &str) -> &'a serde_json::Map<String, Value> {
    let entry = if entry == "File" { schema } else { &schema["$defs"][entry] };
    entry["properties"].as_object().unwrap()
}

/// A key's line, from its comment.
fn row(key: &str, comment: &str) -> String {
    let comment = comment.replace('\n', " ");
    let (meaning, example) =
        comment.split_once(" Example: ").unwrap_or_else(|| panic!("`{key}` has no example"));
    format!("| `{key}` | {} | {example} |\n", meaning.trim_end_matches('.'))
}

/// Every function's name and line.
fn functions() -> impl Iterator<Item = (&'static str, String)> {
    let line = |signature: String, unit, doc| format!("| `{signature}` | {unit} | {doc} |\n");
    let read = FUNCTIONS.iter().map(move |f| (f.name, line(signature(f), f.unit, f.doc)));
    let formula = |f: &Formula| format!("{}({})", f.name, f.takes.join(", "));
    read.chain(FORMULAS.iter().map(move |f| (f.name, line(formula(f), f.unit, f.doc))))
}
