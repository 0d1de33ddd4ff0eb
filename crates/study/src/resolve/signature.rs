//! How functions of expressions are written.

use crate::functions::{Function, Given, Takes};

/// How a function is written: `cwnd("flow", subflow)`.
pub fn signature(function: &Function) -> String {
    let takes = function.takes.iter().map(|takes| match takes {
        Takes::Flow => "\"flow\"",
        Takes::Flows => "\"flow\", …",
        Takes::Subflow => "subflow",
        Takes::MaybeSubflow => "[subflow]",
        Takes::Link => "\"link\"",
        Takes::Word => "\"name\"",
        Takes::Number => "number",
        Takes::MaybeNumber => "[number]",
        Takes::Elsewhere => "runs = NAME",
    });
    format!("{}({})", function.name, takes.collect::<Vec<_>>().join(", "))
}

/// How it was called: `cwnd("mptcp", 2)`.
pub(crate) fn written(function: &Function, given: &Given<'_>) -> String {
    let mut texts = given.texts.iter().map(|text| format!("\"{text}\""));
    let mut numbers = given.numbers.iter().map(f64::to_string);
    let parts = function.takes.iter().flat_map(|takes| match takes {
        Takes::Flow | Takes::Link | Takes::Word => texts.next(),
        Takes::Flows => Some(texts.by_ref().collect::<Vec<_>>().join(", ")),
        Takes::Subflow | Takes::MaybeSubflow => given.subflow.map(|r| (r + 1).to_string()),
        Takes::Number | Takes::MaybeNumber => numbers.next(),
        Takes::Elsewhere => Some("…".to_owned()),
    });
    format!("{}({})", function.name, parts.collect::<Vec<_>>().join(", "))
}
