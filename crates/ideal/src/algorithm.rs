//! Which rule a flow's algorithm follows.

use crate::response::Response;
use crate::rule::Rule;
use anabranch_cc::registry::Given;
use anabranch_cc::response::Cubic;
use anabranch_scenario::{CongestionControl, Flow};

/// CUBIC with RFC 9438's constants.
fn cubic() -> Response {
    Response::Cubic(Cubic::new(0.4, 0.7))
}

/// The coupled algorithms that have a model: name and title.
pub const COUPLED: [(&str, &str); 4] =
    [("lia", "LIA"), ("olia", "OLIA"), ("balia", "BALIA"), ("linked-cubic", "Linked CUBIC")];

/// The rule of one of [`COUPLED`].
pub(crate) fn coupled(name: &str) -> Option<Rule> {
    Some(match name {
        "lia" => Rule::Linked(Response::Reno),
        "olia" => Rule::Olia { sharpness: 1.0 },
        "balia" => Rule::Balia,
        "linked-cubic" => Rule::Linked(cubic()),
        _ => return None,
    })
}

/// The name of a flow's algorithm, the kernel's arithmetic or not.
pub(crate) fn name(flow: &Flow) -> &'static str {
    flow.cc.entry.name.trim_end_matches("@kernel")
}

/// The rule of what a flow runs; none where it answers to delay or rate, or has no model over several paths.
pub(crate) fn own(flow: &Flow) -> Option<Rule> {
    let alone = !flow.is_multipath();
    let single = |name: &str| match name {
        "reno" => Some(Response::Reno),
        "cubic" => Some(cubic()),
        _ => None,
    };
    match name(flow) {
        "reno" => Some(Rule::Uncoupled(Response::Reno)),
        "cubic" => {
            let (c, beta) = (number(&flow.cc, "c", 0.4), number(&flow.cc, "beta", 0.7));
            Some(Rule::Uncoupled(Response::Cubic(Cubic::new(c, beta))))
        }
        "uncoupled" => single(word(&flow.cc, "over", "reno")).map(Rule::Uncoupled),
        "independent" if alone => single(word(&flow.cc, "over", "reno")).map(Rule::Uncoupled),
        "coupled" | "ewtcp" | "adw-lia" | "adw-olia" | "adw-balia" if alone => {
            Some(Rule::Uncoupled(Response::Reno))
        }
        "coupled-cubic" | "coupled-cubic-a1" if alone => Some(Rule::Uncoupled(cubic())),
        name => coupled(name),
    }
}

fn given<'a>(cc: &'a CongestionControl, name: &str) -> Option<&'a Given> {
    cc.params.iter().rev().find(|(known, _)| known == name).map(|(_, given)| given)
}

fn number(cc: &CongestionControl, name: &str, default: f64) -> f64 {
    match given(cc, name) {
        Some(Given::Number(number)) => *number,
        _ => default,
    }
}

fn word<'a>(cc: &'a CongestionControl, name: &str, default: &'a str) -> &'a str {
    match given(cc, name) {
        Some(Given::Word(word)) => word,
        _ => default,
    }
}
