//! Figures: quantities over an axis, or lines over time.

use super::build::Planner;
use super::code::{compile, part};
use super::error::{Problem, suggest};
use super::rows::{axes_of, starts};
use super::selection::Selection;
use super::spec::{Figure, Kind};
use crate::draw::{bar, point, published, series};
use crate::expr::{Argument, Expr, parse};
use crate::functions::SERIES;
use crate::{Axis, Figure as Drawn, Mark, Panel, Point, Quantity, Runs, Series, SetupId};
use toml::Spanned;

/// Adds a figure.
pub(crate) fn add(planner: &mut Planner<'_>, figure: &Figure) -> Result<(), Problem> {
    let here = figure.id.span();
    drawn(planner, figure).map_err(|problem| problem.or_at(here))
}

fn drawn(planner: &mut Planner<'_>, figure: &Figure) -> Result<(), Problem> {
    if let Some(x_of) = figure.x_of.as_ref().filter(|_| figure.kind != Kind::Lines) {
        return Err(Problem::at(x_of.span(), "`x_of` places the points of lines"));
    }
    if !figure.log.chars().all(|c| matches!(c, 'x' | 'y')) {
        return Err(Problem::new(format!("`log` is \"x\", \"y\" or \"xy\", not \"{}\"", figure.log)));
    }
    let built = planner.built;
    let group = built.group_or_only(figure.runs.as_deref())?;
    let axes = axes_of(figure.id.get_ref());
    for start in starts(built, planner.open(Some(group)), &figure.at)? {
        for here in start.each(built, &axes)? {
            one(planner, figure, &here)?;
        }
    }
    Ok(())
}

/// A panel before the runs.
struct Plot {
    title: String,
    y_title: String,
    lines: Vec<Line>,
}

fn one(planner: &mut Planner<'_>, figure: &Figure, here: &Selection) -> Result<(), Problem> {
    let (id, caption) =
        (here.fill(planner.built, figure.id.get_ref())?, here.fill(planner.built, &figure.title)?);
    let plots = plots(planner, figure, here)?;
    let (kind, log, limits, x_limits) = (figure.kind, figure.log.clone(), figure.limits, figure.x_limits);
    let x_title = match kind {
        Kind::Time => "time (s)".to_owned(),
        Kind::Bars | Kind::Boxes | Kind::Heat => String::new(),
        Kind::Lines => {
            figure.x_title.clone().or_else(|| named(&figure.x).map(str::to_owned)).unwrap_or_default()
        }
    };
    planner.plan.figure(move |runs| {
        let panel = |plot: &Plot| Panel {
            title: plot.title.clone(),
            x: Axis { title: x_title.clone(), log: log.contains('x'), domain: x_limits },
            y: Axis { title: plot.y_title.clone(), log: log.contains('y'), domain: limits },
            mark: match kind {
                Kind::Lines | Kind::Time => Mark::Line,
                Kind::Bars => Mark::Bar,
                Kind::Boxes => Mark::Box,
                Kind::Heat => Mark::Tile,
            },
            series: plot.lines.iter().map(|line| line.series(runs, kind)).collect(),
        };
        Drawn { id: id.clone(), title: caption.clone(), panels: plots.iter().map(panel).collect() }
    });
    Ok(())
}

fn plots(planner: &mut Planner<'_>, figure: &Figure, here: &Selection) -> Result<Vec<Plot>, Problem> {
    let of = || figure.of.as_ref().map(|of| of.get_ref().clone());
    let y_title = figure.y_title.clone().or_else(of).unwrap_or_default();
    let mut plots = Vec::new();
    for panel in &figure.panels {
        let series = panel.series.iter().map(|(name, of)| (name.clone(), of)).collect::<Vec<_>>();
        plots.push(Plot {
            title: here.fill(planner.built, &panel.title)?,
            y_title: panel.y_title.clone().unwrap_or_else(|| y_title.clone()),
            lines: lines(planner, figure, here, &series)?,
        });
    }
    if !plots.is_empty() {
        return Ok(plots);
    }
    let of = figure.of.iter().map(|of| (String::new(), of));
    let series = of.chain(figure.series.iter().map(|(name, of)| (name.clone(), of))).collect::<Vec<_>>();
    for (title, here) in each(planner, here, named(&figure.panel))? {
        let lines = lines(planner, figure, &here, &series)?;
        plots.push(Plot { title, y_title: y_title.clone(), lines });
    }
    Ok(plots)
}

fn named(axis: &Option<Spanned<String>>) -> Option<&str> {
    axis.as_ref().map(|axis| axis.get_ref().as_str())
}

/// A selection for each value of an axis, with the value's name; one without a name where there is no axis.
fn each(
    planner: &Planner<'_>,
    here: &Selection,
    axis: Option<&str>,
) -> Result<Vec<(String, Selection)>, Problem> {
    let Some(axis) = axis else { return Ok(vec![(String::new(), here.clone())]) };
    let label = |here: Selection| {
        let label = here.value(planner.built, axis).map(|value| value.label.clone()).unwrap_or_default();
        (label, here)
    };
    Ok(here.each(planner.built, &[axis])?.into_iter().map(label).collect())
}

/// A series before the runs.
enum Line {
    /// A label, a place and a quantity for each point.
    Points(String, Vec<(String, Place, Quantity)>),
    /// Published ones.
    Published(String, Vec<Point>),
    /// Samples of a subflow.
    Time { name: String, run: SetupId, flow: String, subflow: usize, column: Samples },
}

/// Where a point stands along the horizontal axis.
enum Place {
    At(f64),
    /// At the mean of what was measured.
    Mean(Quantity),
}

enum Samples {
    Column(fn(&anabranch_record::SubflowSeries) -> &[f64]),
    Observable(String),
}

impl Line {
    fn series(&self, runs: &Runs<'_>, kind: Kind) -> Series {
        match self {
            Line::Published(name, points) => published(name.clone(), points.clone()),
            Line::Points(name, points) => {
                let point = |(label, place, quantity): &(String, Place, Quantity)| match kind {
                    Kind::Boxes => runs.spread(label, quantity),
                    Kind::Lines => {
                        let x = match place {
                            Place::At(x) => Some(*x),
                            Place::Mean(x) => runs.estimate(x).map(|x| x.mean),
                        };
                        x.and_then(|x| runs.point(x, quantity)).into_iter().collect()
                    }
                    Kind::Bars | Kind::Heat | Kind::Time => runs.bar(label, quantity).into_iter().collect(),
                };
                series(name.clone(), points.iter().flat_map(point).collect())
            }
            Line::Time { name, run, flow, subflow, column } => {
                crate::draw::trace(name.clone(), runs.first(*run), flow, *subflow, |samples| match column {
                    Samples::Column(column) => Some(column(samples)),
                    Samples::Observable(name) => samples.observable(name),
                })
            }
        }
    }
}

fn lines(
    planner: &mut Planner<'_>,
    figure: &Figure,
    here: &Selection,
    quantities: &[(String, &Spanned<String>)],
) -> Result<Vec<Line>, Problem> {
    if quantities.is_empty() {
        return Err(Problem::new("a figure has `of`, an expression, or `series`, names with expressions"));
    }
    let mut lines = Vec::new();
    for (by, here) in each(planner, here, named(&figure.by))? {
        for (name, of) in quantities {
            let name = match (name.is_empty(), by.is_empty()) {
                (true, _) => by.clone(),
                (false, true) => here.fill(planner.built, name)?,
                (false, false) => format!("{by}, {}", here.fill(planner.built, name)?),
            };
            lines.push(match figure.kind {
                Kind::Time => over_time(planner, name, of, &here)?,
                _ => over_axis(planner, figure, name, of, &here)?,
            });
        }
    }
    if figure.kind != Kind::Time {
        for (name, values) in &figure.published {
            lines.push(published_line(planner, figure, name, values, here)?);
        }
    }
    Ok(lines)
}

/// The points along the horizontal axis.
fn along(
    planner: &Planner<'_>,
    figure: &Figure,
    here: &Selection,
) -> Result<Vec<(String, Selection)>, Problem> {
    let x = figure.x.as_ref().ok_or_else(|| {
        Problem::new("a figure over an axis names it").help("add x = \"AXIS\", or kind = \"time\"")
    })?;
    each(planner, here, Some(x.get_ref())).map_err(|problem| problem.or_at(x.span()))
}

/// Where a point is: of bars and the like nowhere in particular.
fn place(planner: &Planner<'_>, figure: &Figure, here: &Selection) -> Result<f64, Problem> {
    let x = figure.x.as_ref().map_or("", |x| x.get_ref());
    match (figure.kind, here.value(planner.built, x)) {
        (Kind::Lines, Some(value)) => value.number.ok_or_else(|| {
            Problem::new(format!("lines go over numbers, and `{}` of axis `{x}` is none", value.id))
                .help("kind = \"bars\" takes names")
        }),
        _ => Ok(0.0),
    }
}

fn over_axis(
    planner: &mut Planner<'_>,
    figure: &Figure,
    name: String,
    of: &Spanned<String>,
    here: &Selection,
) -> Result<Line, Problem> {
    let mut points = Vec::new();
    for (label, here) in along(planner, figure, here)? {
        let x = match &figure.x_of {
            Some(x) => Place::Mean(planner.quantity(compile(planner.built, x, &here, &[])?)?),
            None => Place::At(place(planner, figure, &here)?),
        };
        let compiled = compile(planner.built, of, &here, &[])?;
        points.push((label, x, planner.quantity(compiled)?));
    }
    Ok(Line::Points(name, points))
}

fn published_line(
    planner: &Planner<'_>,
    figure: &Figure,
    name: &str,
    values: &Spanned<Vec<f64>>,
    here: &Selection,
) -> Result<Line, Problem> {
    let along = along(planner, figure, here)?;
    if along.len() != values.get_ref().len() {
        let message = format!("{} published values for {} of the axis", values.get_ref().len(), along.len());
        return Err(Problem::at(values.span(), message));
    }
    let points = along.iter().zip(values.get_ref()).map(|((label, here), y)| match figure.kind {
        Kind::Lines => Ok(point(place(planner, figure, here)?, *y)),
        _ => Ok(bar(label, *y)),
    });
    Ok(Line::Published(name.to_owned(), points.collect::<Result<_, Problem>>()?))
}

fn over_time(
    planner: &mut Planner<'_>,
    name: String,
    of: &Spanned<String>,
    here: &Selection,
) -> Result<Line, Problem> {
    let wrong = |at| {
        let known: Vec<_> =
            SERIES.iter().map(|series| format!("{}(\"flow\", subflow)", series.name)).collect();
        Problem::at(part(of, at), "a line over time is one of a subflow")
            .help(format!("there are: {}, observable(\"flow\", subflow, \"name\")", known.join(", ")))
    };
    let expr = parse(of.get_ref()).map_err(|wrong| Problem::at(part(of, wrong.at.clone()), wrong.message))?;
    let Expr::Call(function, arguments, at) = &expr else { return Err(wrong(0..of.get_ref().len())) };
    let (flow, number, rest) = match &arguments[..] {
        [Argument::Text(flow), Argument::Value(Expr::Number(r)), rest @ ..] => (flow, *r, rest),
        _ => return Err(wrong(at.clone())),
    };
    let known = SERIES.iter().find(|series| series.name == function);
    let column = match (known, rest) {
        (Some(series), []) => Samples::Column(series.column),
        (None, [Argument::Text(name)]) if function == "observable" => Samples::Observable(name.clone()),
        (None, _) if function != "observable" => {
            let names = SERIES.iter().map(|series| series.name).chain(["observable"]);
            return Err(Problem::at(part(of, at.clone()), format!("there is no line `{function}`"))
                .help(suggest(function, names)));
        }
        _ => return Err(wrong(at.clone())),
    };
    let group = here.group(planner.built)?;
    let runs = &planner.built.groups[group];
    let place = |problem: Problem| problem.or_at(part(of, at.clone()));
    runs.check(crate::functions::Takes::Flow, flow).map_err(place)?;
    let subflow = runs.subflow(flow, number).map_err(place)?;
    let run = (group, here.point(planner.built).map_err(place)?);
    let run = planner.simulate(run, true)?;
    Ok(Line::Time { name, run, flow: flow.clone(), subflow, column })
}
