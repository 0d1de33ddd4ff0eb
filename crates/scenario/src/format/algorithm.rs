//! The congestion control of a flow.

use crate::diagnostic::{At, Place, Problems};
use crate::model::CongestionControl;
use crate::read::{Read, all, schema};
use crate::stack;
use crate::suggest::suggest;
use crate::tree::{Node, Table, Value};
use anabranch_cc::registry::{Allowed, Entry, Param, ParamError, ParamValue};
use anabranch_cc_fixed::registry;
use schemars::{Schema, json_schema};

/// An algorithm of the registry with its parameters, checked: `"cubic"` or `{ name = "cubic", … }`.
#[derive(Clone, Debug)]
pub(crate) struct Algorithm(pub CongestionControl);

impl Read for Algorithm {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let no_keys = Table::default();
        let (name, table) = match &node.value {
            Value::String(_) => (node, &no_keys),
            Value::Table(table) => match table.get("name") {
                Some(name) => (name, table),
                None => {
                    let label = "needs the algorithm's `name`";
                    let help = "for example { name = \"cubic\", pacing = true }";
                    return problems.refuse(&node.place, "`name` is missing", label, help);
                }
            },
            _ => {
                let example = "\"cubic\" or { name = \"cubic\", pacing = true }";
                return node.expected("an algorithm", example, problems);
            }
        };
        let Some(text) = name.string() else {
            return name.expected("the name of an algorithm", "\"cubic\"", problems);
        };
        let entry = find(text, &name.place, problems)?;
        let given = table.0.iter().filter(|(key, _)| key.value != "name");
        let params = all(given.map(|(key, node)| param(entry, key, node, problems)))?;
        Some(Algorithm(CongestionControl { entry, params }))
    }
}

fn find(name: &str, place: &Place, problems: &mut Problems) -> Option<&'static Entry> {
    let found = crate::own::find(name);
    if found.is_none() {
        let of_stack = stack::ENTRIES.iter().map(|entry| entry.name);
        let known = match name.starts_with("noq:") {
            true => suggest(name, of_stack),
            false => suggest(name, registry::entries().map(|entry| entry.name)),
        };
        let help = uncoupled(name).unwrap_or(known);
        problems.add(place, format!("unknown algorithm `{name}`"), "not an algorithm", help);
    }
    found
}

/// How `uncoupled-cubic` is written.
fn uncoupled(name: &str) -> Option<String> {
    let over = name.strip_prefix("uncoupled-").filter(|over| registry::find(over).is_some())?;
    Some(format!(
        "write {{ name = \"uncoupled\", over = \"{over}\" }}; {over} alone is uncoupled over several paths, too"
    ))
}

fn param(
    entry: &Entry,
    key: &At<String>,
    node: &Node,
    problems: &mut Problems,
) -> Option<(String, ParamValue)> {
    let value = match &node.value {
        Value::Integer(number) => ParamValue::Number(*number as f64),
        Value::Float(number) => ParamValue::Number(*number),
        Value::Boolean(flag) => ParamValue::Flag(*flag),
        Value::String(word) => ParamValue::Word(word.clone()),
        _ => return node.expected("a parameter's value", "0.4", problems),
    };
    let given = (key.value.clone(), value);
    match entry.params(std::slice::from_ref(&given)) {
        Ok(_) => Some(given),
        Err(ParamError::Unknown { name, known }) => {
            let message = format!("{} has no parameter `{name}`", entry.name);
            problems.refuse(&key.place, message, "not a parameter", suggest(&name, known))
        }
        Err(ParamError::Invalid { name, allowed }) => {
            let message = format!("the parameter `{name}` of {} must be {allowed}", entry.name);
            let help = match (&given.1, allowed.words()) {
                (ParamValue::Word(word), words) if !words.is_empty() => suggest(word, words),
                _ => String::new(),
            };
            problems.refuse(&node.place, message, format!("must be {allowed}"), help)
        }
    }
}

schema!(Algorithm, "CongestionControl", |_| {
    let name = |entry: &Entry| json_schema!({ "const": entry.name, "description": entry.title });
    let names = registry::entries().chain(&stack::ENTRIES).map(name);
    let all: Vec<Schema> = names.chain(registry::entries().map(with_params)).collect();
    json_schema!({ "anyOf": all })
});

/// The schema of an algorithm's table.
fn with_params(entry: &Entry) -> Schema {
    let mut keys = serde_json::Map::new();
    keys.insert("name".into(), serde_json::json!({ "const": entry.name, "description": entry.title }));
    for param in entry.all_params() {
        keys.insert(param.name.into(), param_schema(param).into());
    }
    json_schema!({ "type": "object", "properties": keys, "required": ["name"], "additionalProperties": false })
}

fn param_schema(param: &Param) -> Schema {
    let mut schema = match param.allowed {
        Allowed::Range(low, high) => json_schema!({ "type": "number", "minimum": low, "maximum": high }),
        Allowed::Whole(low, high) => json_schema!({ "type": "integer", "minimum": low, "maximum": high }),
        Allowed::Flag => json_schema!({ "type": "boolean" }),
        Allowed::OneOf(_) | Allowed::SinglePath => json_schema!({ "enum": param.allowed.words() }),
    };
    schema.insert("description".into(), param.meaning.into());
    schema
}
