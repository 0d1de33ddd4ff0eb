//! Macros and traits that read the format's types and describe them in the JSON Schema, from one definition.

use crate::diagnostic::{At, Place, Problems};
use crate::suggest::suggest;
use crate::tree::{Node, Table, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Describes a type for the JSON Schema: its name, and its schema by a generator. With `inline_schema` it is described where it
/// is used. Generic parameters come last.
macro_rules! schema {
    ($type:ty, $name:expr, |$generator:pat_param| $schema:expr $(, $inline:ident)? $(; $($generic:tt)+)?) => {
        impl $(<$($generic)+>)? schemars::JsonSchema for $type {
            $(fn $inline() -> bool {
                true
            })?

            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema($generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
}

/// A type of the format.
pub(crate) trait Read: Sized {
    /// Reads a node, or reports every problem in it.
    fn read(node: &Node, problems: &mut Problems) -> Option<Self>;

    /// The value if the key is absent; `None` if the key is required.
    fn absent() -> Option<Self> {
        None
    }

    const IS_ARRAY: bool = false;
}

/// Reads the value of a table's key.
pub(crate) fn field<T: Read>(key: &str, table: &Table, place: &Place, problems: &mut Problems) -> Option<T> {
    if let Some(node) = table.get(key) {
        return T::read(node, problems);
    }
    T::absent().or_else(|| problems.missing(place, key, ""))
}

/// Reads the word that determines a table's other keys.
pub(crate) fn tag<'a>(
    key: &str,
    words: &[&str],
    table: &'a Table,
    place: &Place,
    problems: &mut Problems,
) -> Option<&'a Node> {
    table.get(key).or_else(|| problems.missing(place, key, &format!("known: {}", words.join(", "))))
}

/// Names of keys elsewhere, and here.
const OTHER_NAMES: [(&str, &str); 12] = [
    ("bandwidth", "rate"),
    ("capacity", "rate"),
    ("speed", "rate"),
    ("latency", "delay"),
    ("buffer", "queue"),
    ("limit", "queue"),
    ("loss_rate", "loss"),
    ("qdisc", "aqm"),
    ("algorithm", "cc"),
    ("congestion_control", "cc"),
    ("subflows", "paths"),
    ("workload", "application"),
];

/// Reports unknown keys of a table.
pub(crate) fn check_keys(table: &Table, known: &[&str], problems: &mut Problems) {
    for (key, _) in &table.0 {
        if !known.contains(&key.value.as_str()) {
            let other = OTHER_NAMES.iter().find(|(other, name)| *other == key.value && known.contains(name));
            let help = suggest(other.map_or(key.value.as_str(), |(_, name)| *name), known.iter().copied());
            problems.add(&key.place, format!("unknown key `{}`", key.value), "not a key of this table", help);
        }
    }
}

pub(crate) fn as_table<'a>(node: &'a Node, problems: &mut Problems) -> Option<&'a Table> {
    node.table().or_else(|| node.expected("a table", "", problems))
}

/// Reads a node as one of several words: its place among them.
pub(crate) fn as_word(what: &str, words: &[&str], node: &Node, problems: &mut Problems) -> Option<usize> {
    let Some(text) = node.string() else {
        return node.expected(what, &format!("\"{}\"", words[0]), problems);
    };
    let found = words.iter().position(|word| word == text);
    if found.is_none() {
        let help = suggest(text, words.iter().copied());
        problems.add(&node.place, format!("`{text}` is not {what}"), format!("not {what}"), help);
    }
    found
}

/// The values, if there are all of them. Reads each, so that all problems are reported.
pub(crate) fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    values.collect::<Vec<_>>().into_iter().collect()
}

impl Read for Node {
    fn read(node: &Node, _: &mut Problems) -> Option<Self> {
        Some(node.clone())
    }
}

impl<T: Read> Read for Option<T> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        T::read(node, problems).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Read> Read for At<T> {
    const IS_ARRAY: bool = T::IS_ARRAY;

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        T::read(node, problems).map(|value| At { value, place: node.place.clone() })
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T: Read> Read for Vec<T> {
    const IS_ARRAY: bool = true;

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Value::Array(items) = &node.value else {
            // `[flows]` lacks a pair of brackets.
            let text = node.place.text();
            let example = match node.value {
                Value::String(ref name) if T::IS_ARRAY => format!("[[{name:?}]]"),
                Value::String(ref name) => format!("[{name:?}]"),
                Value::Table(_) if text.starts_with('[') && !text.contains('.') => format!("[{text}]"),
                _ => String::new(),
            };
            return node.expected("an array", &example, problems);
        };
        let is_string = |item: &Node| matches!(item.value, Value::String(_));
        if T::IS_ARRAY && !items.is_empty() && items.iter().all(is_string) {
            let each: Vec<String> = items.iter().map(|item| format!("[{}]", item.place.text())).collect();
            let help = format!("a list of paths, each a list of links: [{}]", each.join(", "));
            let message = "expected an array of arrays, found an array of strings";
            return problems.refuse(&node.place, message, "lacks brackets", help);
        }
        all(items.iter().map(|item| T::read(item, problems)))
    }
}

/// A table whose keys are names chosen by the user, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Named<T>(pub Vec<(At<String>, T)>);

impl<T: Read> Read for Named<T> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let entries = as_table(node, problems)?.0.iter();
        all(entries.map(|(key, value)| Some((key.clone(), T::read(value, problems)?)))).map(Named)
    }
}

schema!(Named<T>, format!("Named_{}", T::schema_name()), |generator| {
    json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<T>() })
}, inline_schema; T: JsonSchema);

impl Read for bool {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.value {
            Value::Boolean(flag) => Some(flag),
            _ => node.expected("true or false", "", problems),
        }
    }
}

impl Read for String {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        node.string().cloned().or_else(|| node.expected("a string", "", problems))
    }
}

/// Defines a table of the format: a struct, its reader, and its JSON Schema, whose descriptions are the doc
/// comments. A key with an `Option` type may be absent.
macro_rules! table {
    ($(#[$meta:meta])* struct $name:ident { $($(#[$doc:meta])* $key:ident: $type:ty,)* }) => {
        #[derive(Clone, Debug, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        $(#[$meta])*
        pub(crate) struct $name { $($(#[$doc])* pub(crate) $key: $type,)* }

        impl $crate::read::Read for $name {
            fn read(node: &$crate::tree::Node, problems: &mut $crate::diagnostic::Problems) -> Option<Self> {
                let table = $crate::read::as_table(node, problems)?;
                let known = [$(stringify!($key).trim_start_matches("r#")),*];
                $crate::read::check_keys(table, &known, problems);
                let mut keys = known.into_iter();
                $(let $key: Option<$type> =
                    $crate::read::field(keys.next().unwrap_or_default(), table, &node.place, problems);)*
                Some($name { $($key: $key?,)* })
            }
        }
    };
}

/// Defines a table with a key, the tag, that determines the other keys: an enum, its reader, and its JSON Schema.
macro_rules! tagged {
    (
        $(#[$meta:meta])*
        enum $name:ident $(<$unit:ident>)? by $tag:literal, $what:literal {
            $($(#[$variant_doc:meta])* $word:literal $variant:ident { $($(#[$doc:meta])* $key:ident: $type:ty,)* },)*
        }
    ) => {
        #[derive(Clone, Debug, schemars::JsonSchema)]
        #[schemars(tag = $tag, deny_unknown_fields)]
        $(#[$meta])*
        pub(crate) enum $name $(<$unit>)? {
            $($(#[$variant_doc])* #[schemars(rename = $word)] $variant { $($(#[$doc])* $key: $type,)* },)*
        }

        impl $(<$unit: $crate::read::Read>)? $crate::read::Read for $name $(<$unit>)? {
            fn read(node: &$crate::tree::Node, problems: &mut $crate::diagnostic::Problems) -> Option<Self> {
                let table = $crate::read::as_table(node, problems)?;
                let words = [$($word),*];
                let tag = $crate::read::tag($tag, &words, table, &node.place, problems)?;
                let word = words[$crate::read::as_word($what, &words, tag, problems)?];
                $(if word == $word {
                    $crate::read::check_keys(table, &[$tag, $(stringify!($key)),*], problems);
                    $(let $key: Option<$type> =
                        $crate::read::field(stringify!($key), table, &node.place, problems);)*
                    return Some($name::$variant { $($key: $key?,)* });
                })*
                None
            }
        }
    };
}

/// Reads a word as a value, and describes the words for the JSON Schema.
macro_rules! words {
    ($type:ty, $name:literal, $what:literal { $($word:expr => $value:expr, $meaning:literal;)* }) => {
        impl $crate::read::Read for $type {
            fn read(node: &$crate::tree::Node, problems: &mut $crate::diagnostic::Problems) -> Option<Self> {
                let index = $crate::read::as_word($what, &[$($word),*], node, problems)?;
                [$($value),*].into_iter().nth(index)
            }
        }

        $crate::read::schema!($type, $name, |_| {
            schemars::json_schema!({ "oneOf": [$({ "const": $word, "description": $meaning }),*] })
        });
    };
}

pub(crate) use {schema, table, tagged, words};
