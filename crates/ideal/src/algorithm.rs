//! Which rule a flow's algorithm follows.

use crate::response::Response;
use crate::rule::Rule;
use anabranch_cc::registry::{Params, Value};
use anabranch_cc::response::Cubic;
use anabranch_scenario::Flow;

/// CUBIC with RFC 9438's constants.
pub(crate) fn cubic() -> Response {
    Response::Cubic(Cubic::new(0.4, 0.7))
}

/// The coupled algorithms that have a model: name and title.
pub const COUPLED: [(&str, &str); 4] = [
    ("lia", "LIA"),
    ("olia", "OLIA"),
    ("balia", "BALIA, decrease limited to 3/2"),
    ("linked-cubic", "Linked CUBIC"),
];

/// The rule of one of [`COUPLED`], with its default parameters.
pub(crate) fn coupled(name: &str) -> Option<Rule> {
    Some(match name {
        "lia" => Rule::Linked(Response::Reno),
        "olia" => Rule::Olia { sharpness: 1.0 },
        "balia" => Rule::Balia,
        "linked-cubic" => Rule::Linked(cubic()),
        _ => return None,
    })
}

/// The name of a flow's algorithm, in whatever arithmetic.
pub(crate) fn name(flow: &Flow) -> &'static str {
    let name = flow.cc.entry.name;
    name.split_once('@').map_or(name, |(name, _)| name)
}

/// Whether it has its default parameters as far as rules show them.
pub(crate) fn has_defaults(flow: &Flow) -> bool {
    let is_default = |(name, _): &(String, _)| !matches!(name.as_str(), "c" | "beta");
    flow.cc.entry.params(&flow.cc.params).is_ok_and(|params| is_exact(&params))
        && flow.cc.params.iter().all(is_default)
}

/// Whether each acknowledged segment counts, and numbers are exact, as in every rule.
fn is_exact(params: &Params) -> bool {
    let rules = [
        ("count", Value::Word("segments")),
        ("scale", Value::Number(0.0)),
        ("quotient", Value::Word("real")),
    ];
    rules.iter().all(|(name, of)| params.find(name).is_none_or(|value| value == *of))
}

/// The rule of what a flow runs, with its parameters.
///
/// # Errors
/// The reason why it has no model: it answers to delay or rate, has no model over several paths, or a parameter that no
/// model shows.
pub(crate) fn own(flow: &Flow) -> Result<Rule, String> {
    let runs = format!("{} runs {}", flow.name, flow.cc.entry.name);
    let Ok(params) = flow.cc.entry.params(&flow.cc.params) else {
        return Err(format!("{runs} with parameters that the model lacks"));
    };
    if !is_exact(&params) {
        return Err(format!(
            "{runs} with another arithmetic (`count`, `scale` or `quotient`), which the model lacks"
        ));
    }
    let alone = !flow.is_multipath();
    // The kernel's CUBIC has RFC 9438's constants, and no parameters for them.
    let cubic_with = || match params.find("c") {
        Some(_) => Response::Cubic(Cubic::new(params.number("c"), params.number("beta"))),
        None => cubic(),
    };
    let over = || match params.word("over") {
        "reno" => Some(Rule::Uncoupled(Response::Reno)),
        "cubic" => Some(Rule::Uncoupled(cubic())),
        _ => None,
    };
    let rule = match name(flow) {
        "reno" => Some(Rule::Uncoupled(Response::Reno)),
        "cubic" => Some(Rule::Uncoupled(cubic_with())),
        "linked-cubic" => Some(Rule::Linked(cubic_with())),
        "uncoupled" => over(),
        "independent" if alone => over(),
        "coupled" | "ewtcp" | "adw-lia" | "adw-olia" | "adw-balia" if alone => {
            Some(Rule::Uncoupled(Response::Reno))
        }
        "coupled-cubic" | "coupled-cubic-a1" if alone => {
            // Where it turns from Reno to CUBIC.
            let turn = |(name, _): &&(String, _)| matches!(name.as_str(), "threshold" | "hysteresis");
            if let Some((name, _)) = flow.cc.params.iter().find(turn) {
                return Err(format!("{runs} with a non-default `{name}`, which the model lacks"));
            }
            Some(Rule::Uncoupled(cubic_with()))
        }
        name => coupled(name),
    };
    rule.ok_or_else(|| format!("{runs}, which has no model of windows and loss"))
}
