//! Descriptions of algorithms, as JSON.

use anabranch_cc::registry::{Allowed, Entry, Kind, Param, Value};
use anabranch_cc_fixed::registry::find_kernel;
use serde_json::{Value as Json, json};

/// The description of an algorithm: `anabranch cc show NAME --json`.
pub fn describe(entry: &Entry) -> Json {
    let param = |p: &Param| {
        let allowed = match p.allowed {
            Allowed::Range(low, high) | Allowed::Whole(low, high) => json!({ "min": low, "max": high }),
            Allowed::Flag => json!([true, false]),
            Allowed::OneOf(_) | Allowed::SinglePath => json!(p.allowed.words()),
        };
        json!({ "name": p.name, "default": default(p), "allowed": allowed, "meaning": p.meaning })
    };
    json!({
        "name": entry.name,
        "title": entry.title,
        "kind": kind(entry),
        "source": entry.source,
        "kernel": find_kernel(entry.name).map(|kernel| kernel.kernel_name),
        "equations": entry.equations,
        "interpretations": entry.interpretations,
        "params": entry.all_params().map(param).collect::<Vec<_>>(),
        "observables": entry.observables.iter()
            .map(|o| json!({ "name": o.name, "meaning": o.meaning }))
            .collect::<Vec<_>>(),
    })
}

/// Whether it couples paths, in words.
pub fn kind(entry: &Entry) -> &'static str {
    match entry.kind {
        Kind::SinglePath => "single path",
        Kind::Coupled => "coupled",
    }
}

/// A parameter's default.
pub fn default(param: &Param) -> Json {
    match param.default {
        Value::Number(x) => json!(x),
        Value::Flag(x) => json!(x),
        Value::Word(x) => json!(x),
    }
}
