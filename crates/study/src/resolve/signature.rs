//! Signatures of functions in expressions.

use crate::functions::{Arguments, Function, Parameter};

/// A function's signature: `cwnd("flow", subflow)`.
pub(crate) fn signature(function: &Function) -> String {
    let takes = function.takes.iter().map(|takes| match takes {
        Parameter::Flow => "\"flow\"",
        Parameter::Flows => "\"flow\", …",
        Parameter::Subflow => "subflow",
        Parameter::MaybeSubflow => "[subflow]",
        Parameter::Link => "\"link\"",
        Parameter::Word => "\"name\"",
        Parameter::Number => "number",
        Parameter::MaybeNumber => "[number]",
        Parameter::Elsewhere => "runs = NAME",
    });
    format!("{}({})", function.name, takes.collect::<Vec<_>>().join(", "))
}

/// A call as text: `cwnd("mptcp", 2)`.
pub(crate) fn written(function: &Function, given: &Arguments<'_>) -> String {
    let mut texts = given.texts.iter().map(|text| format!("\"{text}\""));
    let mut numbers = given.numbers.iter().map(f64::to_string);
    let parts = function.takes.iter().flat_map(|takes| match takes {
        Parameter::Flow | Parameter::Link | Parameter::Word => texts.next(),
        Parameter::Flows => Some(texts.by_ref().collect::<Vec<_>>().join(", ")),
        Parameter::Subflow | Parameter::MaybeSubflow => given.subflow.map(|r| (r + 1).to_string()),
        Parameter::Number | Parameter::MaybeNumber => numbers.next(),
        Parameter::Elsewhere => Some("…".to_owned()),
    });
    format!("{}({})", function.name, parts.collect::<Vec<_>>().join(", "))
}
