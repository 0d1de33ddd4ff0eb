//! `trace` of a link, and `[files]`.

use crate::diagnostic::{At, Problems};
use crate::leaf::Span;
use crate::read::{Read, schema, table};
use crate::tree::{Node, Value};
use schemars::json_schema;

table! {
    /// An embedded file.
    struct TextFile {
        /// The content of the file.
        text: String,
    }
}

table! {
    /// A trace that a link follows.
    struct TraceKeys {
        /// The file: one line per delivery opportunity, in ms, as in mahimahi, or columns time, rate, and optionally delay and
        /// loss. Its path is relative to the scenario file.
        file: At<String>,
        /// Where in the trace a run begins. "random", the default: drawn with the seed.
        start: Option<TraceStart>,
    }
}

/// A trace that a link follows: a file name, or a table.
#[derive(Clone, Debug)]
pub(crate) struct Trace(pub TraceKeys);

impl Read for Trace {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.value {
            Value::String(_) => At::read(node, problems).map(|file| Trace(TraceKeys { file, start: None })),
            Value::Table(_) => TraceKeys::read(node, problems).map(Trace),
            _ => {
                node.expected("a trace", "\"lte.csv\", or { file = \"lte.csv\", start = \"0 s\" }", problems)
            }
        }
    }
}

schema!(Trace, "Trace", |generator| {
    let keys = generator.subschema_for::<TraceKeys>();
    json_schema!({ "description": "A trace that a link follows: a file name, or a table.",
        "anyOf": [{ "type": "string" }, keys] })
});

/// Where in a trace a run begins.
#[derive(Clone, Debug)]
pub(crate) enum TraceStart {
    Random,
    At(At<Span>),
}

impl Read for TraceStart {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.value {
            Value::String(word) if word == "random" => Some(TraceStart::Random),
            _ => At::read(node, problems).map(TraceStart::At),
        }
    }
}

schema!(TraceStart, "TraceStart", |generator| {
    json_schema!({ "anyOf": [{ "const": "random" }, generator.subschema_for::<Span>()] })
});
