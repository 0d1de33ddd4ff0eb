//! `*` in expressions: `mean(goodput("web/*"))` covers each flow of that name, `mean(queue("*"))` each link, `max(at(cc = *, …))`
//! each value of an axis. The innermost function of a list expands it.

use crate::functions::{FUNCTIONS, MATH, Parameter};
use crate::outcome::{Outcome, base};
use crate::parse::expr::{Argument, Expr};

pub(crate) fn takes_list(function: &str) -> bool {
    MATH.iter().any(|(name, _, most, _)| *name == function && *most == usize::MAX)
}

/// The first axis that an `at(axis = *, …)` leaves open, and its `runs`.
pub(crate) fn open_axis(expr: &Expr) -> Option<(&str, Option<&str>)> {
    expr.find(&|expr| {
        let Expr::Call(name, arguments, _) = expr else { return None };
        let named = || arguments.iter().filter_map(Argument::named);
        let inner = || {
            arguments.iter().find_map(|argument| match argument {
                Argument::Value(inner) => open_axis(inner),
                _ => None,
            })
        };
        if takes_list(name) {
            return None;
        }
        let runs = named().find(|(axis, _)| *axis == "runs").map(|(_, runs)| runs);
        let open = named().find(|(_, value)| *value == "*").map(|(axis, _)| (axis, runs));
        open.or_else(inner)
    })
}

/// The expression with a value for the open axis.
pub(crate) fn with_value(expr: &Expr, axis: &str, value: &str) -> Expr {
    expr.replaced(&|expr| {
        let Expr::Call(name, arguments, at) = expr else { return None };
        let argument = |argument: &Argument| match argument {
            Argument::Named(known, open) if known == axis && open == "*" => {
                Argument::Named(known.clone(), value.to_owned())
            }
            Argument::Value(inner) => Argument::Value(with_value(inner, axis, value)),
            other => other.clone(),
        };
        let with_it = || Expr::Call(name.clone(), arguments.iter().map(argument).collect(), at.clone());
        (!takes_list(name)).then(with_it)
    })
}

/// Whether it reads all links of its run: `queue("*")`.
pub(crate) fn reads_every_link(expr: &Expr) -> bool {
    expr.find(&|expr| with_one_link(expr, "")).is_some()
}

/// The expression with a link in place of all links.
pub(crate) fn with_link(expr: &Expr, link: &str) -> Expr {
    expr.replaced(&|expr| with_one_link(expr, link))
}

fn with_one_link(expr: &Expr, link: &str) -> Option<Expr> {
    let Expr::Call(name, arguments, at) = expr else { return None };
    let is_every = of_link(name) && arguments.contains(&Argument::Text("*".into()));
    is_every.then(|| Expr::Call(name.clone(), vec![Argument::Text(link.to_owned())], at.clone()))
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
