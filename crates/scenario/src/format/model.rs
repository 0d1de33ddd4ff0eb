//! Loss models and queue disciplines: a key with the name, and the parameters that the model lists.

use crate::diagnostic::{At, Place, Problems};
use crate::leaf::{Length, PositiveSpan, Probability, Size, Span, bounds, number, whole, whole_schema};
use crate::read::{Read, all, as_word, check_keys};
use crate::tree::{Node, Table, Value as TomlValue};
use anabranch_net::{Discipline, Kind, Loss, ModelSpec, Packets, Param, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// A loss model or a queue discipline, and the given values of its parameters, in order.
#[derive(Clone, Debug)]
pub(crate) struct ModelChoice<const LOSS: bool> {
    pub(crate) model: &'static ModelSpec,
    given: Vec<Option<At<KeyValue>>>,
}

impl<const LOSS: bool> ModelChoice<LOSS> {
    const ALL: &[&ModelSpec] = if LOSS { Loss::ALL } else { Discipline::ALL };
    /// The key with the name, and a description for diagnostics.
    const TAG: &str = if LOSS { "model" } else { "kind" };
    const WHAT: &str = if LOSS { "a loss model" } else { "a queue discipline" };
    const EXAMPLE: &str =
        if LOSS { r#"{ model = "bernoulli", rate = 0.01 }"# } else { r#"{ kind = "codel", ecn = true }"# };

    /// The values of the parameters; `length` converts a length to packets or bytes.
    pub(crate) fn values(&self, length: impl Fn(Length) -> Value) -> Vec<Option<Value>> {
        let value = |given: &At<KeyValue>| match given.value {
            KeyValue::Value(value) => value,
            KeyValue::Length(given) => length(given),
        };
        self.given.iter().map(|given| given.as_ref().map(value)).collect()
    }

    /// The place of a given parameter.
    pub(crate) fn place(&self, param: &str) -> Option<&Place> {
        let index = self.model.params.iter().position(|known| known.name == param)?;
        self.given[index].as_ref().map(|given| &given.place)
    }
}

/// The value of a key.
#[derive(Clone, Debug)]
enum KeyValue {
    Value(Value),
    Length(Length),
}

impl<const LOSS: bool> Read for ModelChoice<LOSS> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let words: Vec<_> = Self::ALL.iter().map(|model| model.name).collect();
        let no_keys = Table::default();
        let (name, table) = match &node.value {
            // A name is short for a table with only the name.
            TomlValue::String(_) if !LOSS => (node, &no_keys),
            TomlValue::Table(table) => match table.get(Self::TAG) {
                Some(name) => (name, table),
                None => {
                    let help = format!("known: {}; a whole table is {}", words.join(", "), Self::EXAMPLE);
                    return problems.missing(&node.place, Self::TAG, &help);
                }
            },
            _ if LOSS => {
                let rate = match node.value {
                    TomlValue::Float(rate) if (0.0..=1.0).contains(&rate) => node.place.text(),
                    _ => "0.01",
                };
                let example = format!("{{ model = \"bernoulli\", rate = {rate} }}");
                return node.expected(Self::WHAT, &example, problems);
            }
            _ => {
                return node.expected(Self::WHAT, "\"codel\" or { kind = \"codel\", ecn = true }", problems);
            }
        };
        let model = Self::ALL[as_word(Self::WHAT, &words, name, problems)?];
        let known: Vec<_> = [Self::TAG].into_iter().chain(keys(model).map(|param| param.name)).collect();
        check_keys(table, &known, problems);
        let given = all(model.params.iter().map(|param| given(param, table, node, problems)))?;
        Some(ModelChoice { model, given })
    }
}

/// The parameters that have keys.
fn keys(model: &ModelSpec) -> impl Iterator<Item = &'static Param> {
    model.params.iter().filter(|param| param.kind != Kind::Derived)
}

/// Reads the key of a parameter, or reports that it is missing.
fn given(param: &Param, table: &Table, node: &Node, problems: &mut Problems) -> Option<Option<At<KeyValue>>> {
    match table.get(param.name).filter(|_| param.kind != Kind::Derived) {
        Some(key) => {
            read(param.kind, key, problems).map(|value| Some(At { value, place: key.place.clone() }))
        }
        None if param.required => problems.missing(&node.place, param.name, ""),
        None => Some(None),
    }
}

fn read(kind: Kind, node: &Node, problems: &mut Problems) -> Option<KeyValue> {
    let value = match kind {
        Kind::Probability => Value::Number(Probability::read(node, problems)?.0),
        Kind::Gain => match number(node, "a number", "0.125", problems)? {
            gain if (0.0..=1e6).contains(&gain) => Value::Number(gain),
            _ => return bounds(node, "the factor", "from 0 to 1000000", problems),
        },
        Kind::Time => Value::Time(Span::read(node, problems)?.0),
        Kind::TimeFrom(least) => match PositiveSpan::read(node, problems)?.0 {
            time if time >= least => Value::Time(time),
            _ => return bounds(node, "the time", &format!("at least {least}"), problems),
        },
        Kind::Count(from, to) => Value::Count(whole(node, from, to, problems)?),
        Kind::Bytes(from, to) => match Size::read(node, problems)?.0 {
            bytes if (from..=to).contains(&bytes) => Value::Count(bytes),
            _ => return bounds(node, "the size", &format!("from {from} B to {to} B"), problems),
        },
        Kind::Length => return Length::read(node, problems).map(KeyValue::Length),
        Kind::Packets => {
            let items = Vec::<Node>::read(node, problems)?;
            let numbers = items.iter().map(|item| whole(item, 1, u32::MAX.into(), problems));
            let numbers = numbers.map(|number| number.map(|number| number as u32));
            let numbers = numbers.collect::<Option<Vec<u32>>>()?;
            match Packets::new(&numbers) {
                Some(packets) => Value::Packets(packets),
                None => {
                    let bounded = format!("one to {} ascending numbers of packets", Packets::MOST);
                    return bounds(node, "the list", &bounded, problems);
                }
            }
        }
        Kind::Flag | Kind::Derived => Value::Flag(bool::read(node, problems)?),
    };
    Some(KeyValue::Value(value))
}

impl<const LOSS: bool> JsonSchema for ModelChoice<LOSS> {
    fn schema_name() -> Cow<'static, str> {
        if LOSS { "Loss" } else { "Aqm" }.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let tables = Self::ALL.iter().map(|model| {
            let mut all = serde_json::Map::new();
            all.insert(Self::TAG.into(), serde_json::json!({ "type": "string", "const": model.name }));
            for param in keys(model) {
                let mut schema = schema(param.kind, generator);
                schema.insert("description".into(), param.meaning.trim().into());
                all.insert(param.name.into(), schema.into());
            }
            let needed = keys(model).filter(|param| param.required).map(|param| param.name);
            let required: Vec<_> = [Self::TAG].into_iter().chain(needed).collect();
            json_schema!({
                "type": "object", "description": model.meaning.trim(), "properties": all,
                "required": required, "additionalProperties": false
            })
        });
        let mut all: Vec<Schema> = tables.collect();
        if !LOSS {
            all.push(json_schema!({ "enum": Self::ALL.iter().map(|model| model.name).collect::<Vec<_>>() }));
        }
        let description =
            if LOSS { "A loss model." } else { "A queue discipline, with or without parameters." };
        json_schema!({ "description": description, "oneOf": all })
    }
}

fn schema(kind: Kind, generator: &mut SchemaGenerator) -> Schema {
    match kind {
        Kind::Probability => generator.subschema_for::<Probability>(),
        Kind::Gain => json_schema!({ "type": "number", "minimum": 0, "maximum": 1e6 }),
        Kind::Time => generator.subschema_for::<Span>(),
        Kind::TimeFrom(_) => generator.subschema_for::<PositiveSpan>(),
        Kind::Count(from, to) => whole_schema(from, to),
        Kind::Bytes(..) => generator.subschema_for::<Size>(),
        Kind::Length => generator.subschema_for::<Length>(),
        Kind::Packets => json_schema!({
            "type": "array", "items": { "type": "integer", "minimum": 1, "maximum": u32::MAX }, "minItems": 1, "maxItems": Packets::MOST
        }),
        Kind::Flag | Kind::Derived => generator.subschema_for::<bool>(),
    }
}
