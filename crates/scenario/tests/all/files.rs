//! The ready-made scenarios: each is valid, draws its topology, and fits the JSON Schema.

use crate::common::{EXAMPLE, SMALL, valid};
use anabranch_scenario::{Overrides, Source, json_schema};
use regex_lite::Regex;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Each with the traces that it names.
fn ready_made() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let paths = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        let source =
            Source { name: path.display().to_string(), text: std::fs::read_to_string(path).unwrap() };
        let whole = source.with_files(&Overrides::default(), &folder).unwrap();
        (whole.name, whole.text)
    };
    let scenarios = paths.filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let mut files: Vec<_> = scenarios.map(read).collect();
    files.sort();
    files
}

fn parsed(text: &str) -> Value {
    toml::from_str(text).unwrap()
}

#[test]
fn ready_made_files_are_valid() {
    let files = ready_made();
    assert!(files.len() >= 7);
    for (name, text) in files {
        println!("{name}");
        assert!(text.starts_with('#') && text.contains("──"), "{name}: no drawing of its topology");
        assert_eq!(valid(&text).warnings(), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_first_is_the_example_word_for_word() {
    let files = ready_made();
    let (_, text) = files.iter().find(|(name, _)| name.ends_with("two-paths-and-a-neighbour.toml")).unwrap();
    assert!(text.ends_with(EXAMPLE));
}

#[test]
fn the_schema_accepts_what_the_reader_accepts() {
    let schema = json_schema();
    for (name, text) in ready_made().into_iter().chain([("small".into(), SMALL.into())]) {
        assert_eq!(mismatch(&parsed(&text), &schema, &schema), None, "{name}");
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = json_schema();
    let mistakes = [
        ("duration = \"10 s\"\n", ""),
        ("duration", "durations"),
        ("\"10 Mbit/s\"", "\"10 Mbps\""),
        ("\"10 Mbit/s\"", "10"),
        ("\"reno\"", "\"rino\""),
        ("\"reno\"", "{ name = \"cubic\", beta = 9 }"),
        ("\"reno\"", "{ name = \"cubic\", betta = 0.5 }"),
        ("[[\"a\"], [\"b\"]]", "[]"),
        ("[[\"a\"], [\"b\"]]", "[\"a\"]"),
        ("cc", "count = 0\ncc"),
        ("cc", "scheduler = \"first\"\ncc"),
        ("delay", "loss = { model = \"bernoulli\" }\ndelay"),
        ("delay", "loss = { model = \"none\", rate = 0.5 }\ndelay"),
        ("delay", "loss = { model = \"bernoulli\", rate = 1.5 }\ndelay"),
    ];
    for (from, to) in mistakes {
        assert!(SMALL.contains(from));
        let text = SMALL.replacen(from, to, 1);
        assert!(crate::common::read(&text).is_err(), "{to}");
        assert_ne!(mismatch(&parsed(&text), &schema, &schema), None, "{to}");
    }
}

#[test]
fn every_key_is_described() {
    fn keys(schema: &Value, missing: &mut Vec<String>) {
        let Value::Object(object) = schema else { return };
        for (key, value) in object.get("properties").and_then(Value::as_object).unwrap_or(&Map::new()) {
            if value.get("description").is_none() && value.get("const").is_none() {
                missing.push(key.clone());
            }
        }
        for value in object.values() {
            keys(value, missing);
            value.as_array().into_iter().flatten().for_each(|item| keys(item, missing));
        }
    }
    let mut missing = Vec::new();
    keys(&json_schema(), &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}

/// Why a value does not fit a schema; a validator of just the keywords that ours uses.
fn mismatch(value: &Value, schema: &Value, root: &Value) -> Option<String> {
    let object = schema.as_object()?;
    let fits = |schema: &Value| mismatch(value, schema, root).is_none();
    object.iter().find_map(|(keyword, argument)| {
        let ok = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "examples" | "format" | "required" => true,
            "$ref" => {
                let pointer = argument.as_str().unwrap().trim_start_matches('#');
                return mismatch(value, root.pointer(pointer).unwrap(), root);
            }
            "type" => match argument.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                other => panic!("unknown type {other}"),
            },
            "const" => value == argument,
            "enum" => argument.as_array().unwrap().contains(value),
            "anyOf" => argument.as_array().unwrap().iter().any(fits),
            "oneOf" => argument.as_array().unwrap().iter().filter(|each| fits(each)).count() == 1,
            "minimum" => value.as_f64().is_none_or(|x| x >= argument.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|x| x <= argument.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|x| x > argument.as_f64().unwrap()),
            "exclusiveMaximum" => value.as_f64().is_none_or(|x| x < argument.as_f64().unwrap()),
            "minItems" => {
                value.as_array().is_none_or(|items| items.len() as u64 >= argument.as_u64().unwrap())
            }
            "pattern" => {
                value.as_str().is_none_or(|s| Regex::new(argument.as_str().unwrap()).unwrap().is_match(s))
            }
            "items" => {
                return value.as_array()?.iter().find_map(|item| mismatch(item, argument, root));
            }
            "properties" | "additionalProperties" => return keys(value, object, root),
            other => panic!("unknown keyword {other}"),
        };
        (!ok).then(|| format!("{value} does not fit {keyword}: {argument}"))
    })
}

/// Why a table's keys do not fit.
fn keys(value: &Value, schema: &Map<String, Value>, root: &Value) -> Option<String> {
    let table = value.as_object()?;
    let none = json!({});
    let properties = schema.get("properties").unwrap_or(&none);
    for key in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !table.contains_key(key.as_str().unwrap()) {
            return Some(format!("{key} is missing"));
        }
    }
    table.iter().find_map(|(key, value)| match (properties.get(key), schema.get("additionalProperties")) {
        (Some(property), _) => mismatch(value, property, root),
        (None, Some(Value::Bool(false))) => Some(format!("unknown key {key}")),
        (None, Some(others)) => mismatch(value, others, root),
        (None, None) => None,
    })
}
