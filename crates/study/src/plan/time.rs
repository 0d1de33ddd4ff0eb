//! Parses lines over time from expressions.

use super::Points;
use super::planner::Planner;
use crate::functions::{Parameter, SERIES};
use crate::parse::expr::{Argument, Expr, Operator};
use crate::parse::{OrAt, Problem, Spanned};
use crate::resolve::compile::{expression, part};
use crate::resolve::selection::Selection;
use crate::result::Point;
use crate::setup::Samples;
use anabranch_record::SubflowSeries;
use std::ops::Range;

/// Parses a line, with its simulation: `cwnd("mptcp", 1)`, `rtt("mptcp", 1) * 1000`, `throughput("tcp")`.
pub(super) fn trace(
    planner: &mut Planner<'_>,
    of: &Spanned<String>,
    here: &Selection<'_>,
) -> Result<(usize, Points), Problem> {
    let (call, scale) = match expression(of)? {
        Expr::Binary(operator @ (Operator::Times | Operator::Divided), line, number, at) => match *number {
            Expr::Number(x) if operator == Operator::Times || x != 0.0 => (*line, Some((operator, x))),
            _ => return Err(no_line(of, at)),
        },
        other => (other, None),
    };
    let Expr::Call(function, arguments, at) = &call else { return Err(no_line(of, 0..of.len())) };
    let place = part(of, at.clone());
    let network = here.network().or_at(place.clone())?;
    let of: Points = match (function.as_str(), &arguments[..]) {
        ("throughput", flows @ [_, ..]) => {
            let name = |argument: &Argument| match argument {
                Argument::Text(flow) => {
                    network.check(Parameter::Flow, flow).map(|()| flow.clone()).or_at(place.clone())
                }
                _ => Err(no_line(of, at.clone())),
            };
            let flows = flows.iter().map(name).collect::<Result<Vec<_>, _>>()?;
            Box::new(move |run| run.throughput(&flows).into_iter().map(|(x, y)| Point::at(x, y)).collect())
        }
        (function, [Argument::Text(flow), Argument::Value(Expr::Number(number)), rest @ ..]) => {
            let known = SERIES.iter().find(|(name, _)| *name == function);
            let values: Values = match (known, rest) {
                (Some((_, series)), []) => Box::new(|samples| Some(series(samples))),
                (None, [Argument::Text(name)]) if function == "observable" => {
                    let name = name.clone();
                    Box::new(move |samples| samples.observable(&name))
                }
                (None, _) if function != "observable" => {
                    let names = SERIES.iter().map(|(name, _)| *name).chain(["observable", "throughput"]);
                    let problem = Problem::new(format!("`{function}` cannot be drawn over time"));
                    return Err(problem.suggest(function, names).or_at(place));
                }
                _ => return Err(no_line(of, at.clone())),
            };
            network.check(Parameter::Flow, flow).or_at(place.clone())?;
            let (flow, r) = (flow.clone(), network.subflow(flow, *number).or_at(place.clone())?);
            Box::new(move |run| {
                let series = run.samples.series(&flow, r).into_iter();
                let points = series.flat_map(|s| s.time_s.iter().zip(values(s).unwrap_or(&[])));
                points.filter(|(_, y)| y.is_finite()).map(|(x, y)| Point::at(*x, *y)).collect()
            })
        }
        _ => return Err(no_line(of, at.clone())),
    };
    let run = here.run().or_at(place)?;
    let setup = planner.simulate(run, Samples::First)?;
    let Some((operator, number)) = scale else { return Ok((setup, of)) };
    let scaled = move |point: Point| Some(Point { y: operator.of(point.y, number).ok()?, ..point });
    Ok((setup, Box::new(move |run| of(run).into_iter().filter_map(scaled).collect())))
}

/// A subflow's values over time.
type Values = Box<dyn Fn(&SubflowSeries) -> Option<&[f64]> + Send + Sync>;

fn no_line(of: &Spanned<String>, at: Range<usize>) -> Problem {
    let known: Vec<_> = SERIES.iter().map(|(name, _)| format!("{name}(\"flow\", subflow)")).collect();
    Problem::at(part(of, at), "a line over time must be a function of a subflow, or a throughput").help(format!(
        "the functions are: {}, observable(\"flow\", subflow, \"name\"), throughput(\"flow\", …), each optionally * or / a number",
        known.join(", ")
    ))
}
