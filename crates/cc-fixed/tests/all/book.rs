//! The book's pages of the algorithms have what the registry says, between markers such as `<!-- registry: lia -->`.
//! With `ANABRANCH_WRITE_BOOK=1` the tests write it.

use anabranch_cc::registry::{self, Allowed, Entry, Kind, Value};
use anabranch_cc_fixed::registry as kernel;
use std::fmt::Write;
use std::path::PathBuf;

const END: &str = "<!-- end -->";

/// A marker's first word, and how the text behind it is made from the names in the marker.
type Part = (&'static str, fn(&[&Entry]) -> String);

const PARTS: [Part; 3] = [("registry", facts), ("parameters", parameters), ("variants", variants)];

fn pages() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/algorithms");
    let mut pages: Vec<_> = std::fs::read_dir(folder).unwrap().map(|page| page.unwrap().path()).collect();
    pages.sort();
    pages
}

/// A page with one kind of generated text renewed, and the names in its markers.
fn renewed(page: &str, (word, make): Part) -> (String, Vec<String>) {
    let (mut whole, mut names) = (String::new(), Vec::new());
    let (start, mut rest) = (format!("<!-- {word}: "), page);
    while let Some(at) = rest.find(&start) {
        let (before, marked) = rest.split_at(at + start.len());
        let (listed, after) = marked.split_once(" -->").expect("a marker ends");
        let (_, after) = after.split_once(END).expect("a generated part ends with its marker");
        let entries: Vec<&Entry> = listed.split(", ").map(|name| registry::find(name).expect(name)).collect();
        write!(whole, "{before}{listed} -->\n\n{}\n{END}", make(&entries)).unwrap();
        names.extend(listed.split(", ").map(str::to_owned));
        rest = after;
    }
    (whole + rest, names)
}

/// Names and sources.
fn facts(entries: &[&Entry]) -> String {
    let mut text =
        "| name | title | over several paths | on Linux | source |\n|---|---|---|---|---|\n".to_owned();
    for entry in entries {
        let paths = match entry.kind {
            Kind::SinglePath => "each by itself",
            Kind::Coupled => "coupled",
        };
        let linux = kernel::find_kernel(entry.name).map_or("–".into(), |k| format!("`{}`", k.kernel_name));
        let (name, title, source) = (entry.name, entry.title, entry.source);
        writeln!(text, "| `{name}` | {title} | {paths} | {linux} | {source} |").unwrap();
    }
    text
}

/// Parameters and observables.
fn parameters(entries: &[&Entry]) -> String {
    let parameters = shared(entries, |entry| {
        let row = |p: &registry::Param| {
            (p.name, format!("{} | {} | {}", code(p.default), allowed(p.allowed), p.meaning))
        };
        entry.all_params().map(row).collect()
    });
    let observables =
        shared(entries, |entry| entry.observables.iter().map(|o| (o.name, o.meaning.to_owned())).collect());
    let parameters = table("| parameter | default | values | effect |\n|---|---|---|---|\n", parameters);
    let observables = table("| observable | meaning |\n|---|---|\n", observables);
    [parameters, observables].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The rows of several algorithms, each once; where not all have a row, it names those that do.
fn shared(entries: &[&Entry], rows: impl Fn(&Entry) -> Vec<(&'static str, String)>) -> Vec<String> {
    let mut found: Vec<((&str, String), Vec<String>)> = Vec::new();
    for entry in entries {
        for row in rows(entry) {
            match found.iter_mut().find(|(known, _)| *known == row) {
                Some((_, owners)) => owners.push(format!("`{}`", entry.name)),
                None => found.push((row, vec![format!("`{}`", entry.name)])),
            }
        }
    }
    let line = |((name, cells), owners): &((&str, String), Vec<String>)| {
        let only =
            if owners.len() == entries.len() { String::new() } else { format!(" ({})", owners.join(", ")) };
        format!("| `{name}`{only} | {cells} |\n")
    };
    found.iter().map(line).collect()
}

fn table(head: &str, rows: Vec<String>) -> Option<String> {
    (!rows.is_empty()).then(|| head.to_owned() + &rows.concat())
}

/// The values in which each variant differs from its algorithm.
fn variants(entries: &[&Entry]) -> String {
    let mut text = "| name | sets |\n|---|---|\n".to_owned();
    for variant in entries {
        let reference =
            registry::find(variant.name.trim_end_matches("@v0")).expect("a variant has a reference");
        let differs = |p: &&registry::Param| {
            let own = reference.params.iter().find(|known| known.name == p.name);
            own.is_none_or(|own| own.default != p.default)
        };
        let set = |p: &registry::Param| format!("`{} = {}`", p.name, toml(p.default));
        let values: Vec<_> = variant.params.iter().filter(differs).map(set).collect();
        writeln!(text, "| `{}` | {} |", variant.name, values.join(", ")).unwrap();
    }
    text
}

fn toml(value: Value) -> String {
    match value {
        Value::Number(x) => x.to_string(),
        Value::Flag(x) => x.to_string(),
        Value::Word(x) => format!("\"{x}\""),
    }
}

fn code(value: Value) -> String {
    format!("`{}`", toml(value))
}

fn allowed(allowed: Allowed) -> String {
    match allowed {
        Allowed::Range(low, high) | Allowed::Whole(low, high) => format!("{low} to {high}"),
        Allowed::Flag => "`true`, `false`".into(),
        Allowed::OneOf(words) => {
            words.iter().map(|word| code(Value::Word(word))).collect::<Vec<_>>().join(", ")
        }
        Allowed::SinglePath => "a single-path algorithm".into(),
    }
}

#[test]
fn the_pages_say_what_the_registry_says() {
    let mut named = PARTS.map(|_| Vec::new());
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let mut whole = page.clone();
        for (part, named) in PARTS.into_iter().zip(&mut named) {
            let (text, names) = renewed(&whole, part);
            whole = text;
            named.extend(names);
        }
        if std::env::var_os("ANABRANCH_WRITE_BOOK").is_some() {
            std::fs::write(&path, &whole).unwrap();
        } else {
            assert!(page == whole, "{}: ANABRANCH_WRITE_BOOK=1 renews it", path.display());
        }
    }
    for (named, list) in named.iter_mut().zip([registry::ALL, registry::ALL, registry::V0]) {
        named.sort();
        let mut known: Vec<_> = list.iter().map(|entry| entry.name).collect();
        known.sort_unstable();
        assert_eq!(*named, known, "each algorithm once");
    }
}

#[test]
fn the_readme_counts_them() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    for count in [
        format!("**Algorithms**, {}:", registry::ALL.len()),
        format!("**For Linux**, {} of them", kernel::all().len()),
    ] {
        assert!(readme.contains(&count), "{count}");
    }
}
