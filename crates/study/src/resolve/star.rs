//! `*` in expressions: `mean(goodput("web/*"))` covers each flow of that name, `mean(queue("*"))` each link, `max(at(cc = *, …))`
//! each value of an axis. The innermost function of a list expands it.

use crate::functions::{FUNCTIONS, MATH, Parameter};
use crate::outcome::{Outcome, base};
use crate::parse::expr::{Argument, Expr};

/// Whether a function takes a list of numbers.
pub(crate) fn takes_list(function: &str) -> bool {
    MATH.iter().any(|(name, _, most, _)| *name == function && *most == usize::MAX)
}

/// The first axis that an `at(axis = *, …)` leaves open, and its `runs`.
pub(crate) fn open_axis(expr: &Expr) -> Option<(&str, Option<&str>)> {
    match expr {
        Expr::Number(_) | Expr::Name(..) => None,
        Expr::Negative(inner) => open_axis(inner),
        Expr::Binary(_, a, b, _) => open_axis(a).or_else(|| open_axis(b)),
        Expr::Call(name, ..) if takes_list(name) => None,
        Expr::Call(_, arguments, _) => {
            let open = arguments.iter().find_map(|argument| match argument {
                Argument::Named(axis, value) if value == "*" => Some(axis.as_str()),
                _ => None,
            });
            let runs = arguments.iter().find_map(|argument| match argument {
                Argument::Named(axis, value) if axis == "runs" => Some(value.as_str()),
                _ => None,
            });
            let inner = || {
                arguments.iter().find_map(|argument| match argument {
                    Argument::Value(inner) => open_axis(inner),
                    _ => None,
                })
            };
            open.map(|axis| (axis, runs)).or_else(inner)
        }
    }
}

/// The expression with a value for the open axis.
pub(crate) fn with_value(expr: &Expr, axis: &str, value: &str) -> Expr {
    let again = |inner: &Expr| Box::new(with_value(inner, axis, value));
    match expr {
        Expr::Number(_) | Expr::Name(..) => expr.clone(),
        Expr::Negative(inner) => Expr::Negative(again(inner)),
        Expr::Binary(operator, a, b, at) => Expr::Binary(*operator, again(a), again(b), at.clone()),
        Expr::Call(name, ..) if takes_list(name) => expr.clone(),
        Expr::Call(name, arguments, at) => {
            let argument = |argument: &Argument| match argument {
                Argument::Named(known, open) if known == axis && open == "*" => {
                    Argument::Named(known.clone(), value.to_owned())
                }
                Argument::Value(inner) => Argument::Value(with_value(inner, axis, value)),
                other => other.clone(),
            };
            Expr::Call(name.clone(), arguments.iter().map(argument).collect(), at.clone())
        }
    }
}

/// Whether it reads all links of its run: `queue("*")`.
pub(crate) fn reads_every_link(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) | Expr::Name(..) => false,
        Expr::Negative(inner) => reads_every_link(inner),
        Expr::Binary(_, a, b, _) => reads_every_link(a) || reads_every_link(b),
        Expr::Call(name, arguments, _) if of_link(name) => arguments.contains(&Argument::Text("*".into())),
        Expr::Call(..) => false,
    }
}

pub(crate) fn with_link(expr: &Expr, link: &str) -> Expr {
    let again = |inner: &Expr| Box::new(with_link(inner, link));
    match expr {
        Expr::Negative(inner) => Expr::Negative(again(inner)),
        Expr::Binary(operator, a, b, at) => Expr::Binary(*operator, again(a), again(b), at.clone()),
        Expr::Call(name, _, at) if of_link(name) && reads_every_link(expr) => {
            Expr::Call(name.clone(), vec![Argument::Text(link.to_owned())], at.clone())
        }
        Expr::Number(_) | Expr::Name(..) | Expr::Call(..) => expr.clone(),
    }
}

/// Whether a function takes a link and nothing else.
fn of_link(function: &str) -> bool {
    FUNCTIONS.iter().any(|known| known.name == function && *known.takes == [Parameter::Link])
}

/// The flows that `*` matches in an argument, or their subflows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StarFlows {
    /// The position of their run; `None` before the first `*`.
    pub run: Option<usize>,
    /// `web/*`, or a flow's name if only its subflows are expanded.
    pub flows: String,
    pub subflows: bool,
}

impl StarFlows {
    /// Each flow, or each subflow of each flow, of a run: the flow's name and the subflow.
    pub fn of<'a>(&'a self, run: &'a Outcome) -> impl Iterator<Item = (&'a str, usize)> {
        let all = self.flows.strip_suffix("/*");
        let is_meant = move |name: &str| all.map_or(name == self.flows, |all| base(name) == all);
        let flows = run.summary.flows.iter().filter(move |flow| is_meant(&flow.name));
        flows.flat_map(|flow| {
            let subflows = if self.subflows { flow.subflows.len() } else { 1 };
            (0..subflows).map(|r| (flow.name.as_str(), r))
        })
    }
}
