//! Lines over time: samples of the first seed's run.

use super::build::Planner;
use super::compile::part;
use super::error::Problem;
use super::selection::Selection;
use crate::expr::{Argument, Expr, Operator, parse};
use crate::functions::{SERIES, Takes};
use crate::setup::Samples;
use crate::{Point, Runs, SetupId, draw};
use anabranch_record::SubflowSeries;
use anabranch_scenario::suggest;
use std::ops::Range;
use toml::Spanned;

/// A line before the runs.
pub(crate) struct Trace {
    run: SetupId,
    of: Of,
    /// What its values are multiplied with or divided by.
    scale: Option<(Operator, f64)>,
}

enum Of {
    /// A column of a subflow.
    Subflow(String, usize, Column),
    /// What these flows deliver together in each second.
    Throughput(Vec<String>),
}

enum Column {
    Sampled(fn(&SubflowSeries) -> &[f64]),
    Observable(String),
}

impl Trace {
    /// Its points; none where the run failed.
    pub fn points(&self, runs: &Runs<'_>) -> Vec<Point> {
        let run = runs.first(self.run);
        let mut points = match &self.of {
            Of::Subflow(flow, subflow, column) => {
                draw::trace("", run, flow, *subflow, |samples| match column {
                    Column::Sampled(column) => Some(column(samples)),
                    Column::Observable(name) => samples.observable(name),
                })
                .points
            }
            Of::Throughput(flows) => run.map_or(vec![], |run| run.throughput(flows)),
        };
        if let Some((operator, number)) = self.scale {
            let scaled = |point: Point| Some(Point { y: operator.of(point.y, number).ok()?, ..point });
            points = points.into_iter().filter_map(scaled).collect();
        }
        points
    }
}

/// What the horizontal axis shows: these limits, but all of a run that ends before them or where there are none.
pub(crate) fn shown<'a>(
    limits: Option<(f64, f64)>,
    traces: impl Iterator<Item = &'a Trace>,
    runs: &Runs<'_>,
) -> Option<(f64, f64)> {
    let ends = traces.filter_map(|trace| Some(runs.first(trace.run)?.summary.duration_s));
    match (limits, ends.reduce(f64::max)) {
        (Some((_, to)), Some(end)) if to > end => Some((0.0, end)),
        (None, Some(end)) => Some((0.0, end)),
        (limits, _) => limits,
    }
}

/// Reads a line: `cwnd("mptcp", 1)`, `rtt("mptcp", 1) * 1000`, `throughput("tcp")`.
pub(crate) fn trace(
    planner: &mut Planner<'_>,
    of: &Spanned<String>,
    here: &Selection,
) -> Result<Trace, Problem> {
    let expr = parse(of.get_ref()).map_err(|wrong| Problem::at(part(of, wrong.at.clone()), wrong.message))?;
    let (call, scale) = match expr {
        Expr::Two(operator @ (Operator::Times | Operator::Divided), line, number, at) => match *number {
            Expr::Number(x) if operator == Operator::Times || x != 0.0 => (*line, Some((operator, x))),
            _ => return Err(no_line(of, at)),
        },
        other => (other, None),
    };
    let Expr::Call(function, arguments, at) = &call else { return Err(no_line(of, 0..of.get_ref().len())) };
    let place = |problem: Problem| problem.or_at(part(of, at.clone()));
    let group = here.group(planner.built)?;
    let network = planner.built.groups[group].network(planner.built, here).map_err(place)?;
    let of = match (function.as_str(), &arguments[..]) {
        ("throughput", flows @ [_, ..]) => {
            let name = |argument: &Argument| match argument {
                Argument::Text(flow) => {
                    network.check(Takes::Flow, flow).map(|()| flow.clone()).map_err(place)
                }
                _ => Err(no_line(of, at.clone())),
            };
            Of::Throughput(flows.iter().map(name).collect::<Result<_, _>>()?)
        }
        (function, [Argument::Text(flow), Argument::Value(Expr::Number(number)), rest @ ..]) => {
            let known = SERIES.iter().find(|series| series.name == function);
            let column = match (known, rest) {
                (Some(series), []) => Column::Sampled(series.column),
                (None, [Argument::Text(name)]) if function == "observable" => {
                    Column::Observable(name.clone())
                }
                (None, _) if function != "observable" => {
                    let names = SERIES.iter().map(|series| series.name).chain(["observable", "throughput"]);
                    let problem = Problem::new(format!("there is no line `{function}`"));
                    return Err(place(problem.help(suggest(function, names))));
                }
                _ => return Err(no_line(of, at.clone())),
            };
            network.check(Takes::Flow, flow).map_err(place)?;
            Of::Subflow(flow.clone(), network.subflow(flow, *number).map_err(place)?, column)
        }
        _ => return Err(no_line(of, at.clone())),
    };
    let run = (group, here.point(planner.built).map_err(place)?);
    Ok(Trace { run: planner.simulate(run, Samples::First)?, of, scale })
}

fn no_line(of: &Spanned<String>, at: Range<usize>) -> Problem {
    let known: Vec<_> = SERIES.iter().map(|series| format!("{}(\"flow\", subflow)", series.name)).collect();
    Problem::at(part(of, at), "a line over time is one of a subflow, or a throughput").help(format!(
        "there are: {}, observable(\"flow\", subflow, \"name\"), throughput(\"flow\", …), and each of them * or / a number",
        known.join(", ")
    ))
}
