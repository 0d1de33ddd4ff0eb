//! Figures: quantities over an axis, or lines over time.

use super::planner::Planner;
use super::rows::axes_of;
use super::{FigurePlan, Line, Plot, Position, curves, time};
use crate::parse::spec::{Figure, Kind, Panel};
use crate::parse::{OrAt, Problem, Spanned, keys};
use crate::resolve::axes::AxisValue;
use crate::resolve::chosen_values::starts_over;
use crate::resolve::selection::Selection;
use crate::result::{Axis, Point};
use indexmap::IndexMap;
use std::collections::HashSet;
use toml::Value;

pub(super) fn add(planner: &mut Planner<'_>, figure: &Figure) -> Result<(), Problem> {
    if let Some(x_of) = figure.x_of.as_ref().filter(|_| figure.kind != Kind::Lines) {
        return Err(x_of.problem("`x_of` is only allowed in figures of kind \"lines\""));
    }
    keys::figure(figure)?;
    let study = planner.study;
    let groups = match &figure.runs {
        Some(names) => names.all().iter().map(|name| study.group(name)).collect::<Result<Vec<_>, _>>()?,
        None => vec![study.group_or_only(None)?],
    };
    let axes = axes_of(&figure.id);
    let views = figure.panels.iter().map(Some).chain([None]).map(|panel| View::of(figure, panel));
    let over: Vec<&str> = views.flat_map(|view| view.axes()).chain(named(&figure.panel)).collect();
    for group in groups {
        for start in starts_over(planner.open(Some(group)), &figure.at, &over)? {
            for here in start.each(&axes)? {
                one(planner, figure, &here)?;
            }
        }
    }
    Ok(())
}

/// A panel's keys, with the figure's as defaults.
struct View<'a> {
    figure: &'a Figure,
    x: Option<&'a Spanned<Value>>,
    by: Option<&'a str>,
    /// The expressions to draw, by name; without a name if there is only one.
    quantities: Vec<(&'a str, &'a Spanned<String>)>,
    published: &'a IndexMap<String, Spanned<Value>>,
    limits: Option<(f64, f64)>,
    y_title: Option<&'a str>,
    /// Instead of `y_title`: missing if the series have different expressions.
    of: Option<&'a Spanned<String>>,
}

impl<'a> View<'a> {
    fn of(figure: &'a Figure, panel: Option<&'a Panel>) -> Self {
        let expressions = |of: &'a Option<Spanned<String>>, series: &'a IndexMap<String, Spanned<String>>| {
            let of = of.iter().map(|of| ("", of));
            of.chain(series.iter().map(|(name, of)| (name.as_str(), of))).collect::<Vec<_>>()
        };
        let own = panel.map(|panel| expressions(&panel.of, &panel.series)).filter(|own| !own.is_empty());
        let published = panel.map(|panel| &panel.published).filter(|published| !published.is_empty());
        let limits = panel.and_then(|panel| panel.limits.as_ref()).or(figure.limits.as_ref());
        View {
            figure,
            x: panel.and_then(|panel| panel.x.as_ref()).or(figure.x.as_ref()),
            by: panel.and_then(|panel| named(&panel.by)).or(named(&figure.by)),
            quantities: own.unwrap_or_else(|| expressions(&figure.of, &figure.series)),
            published: published.unwrap_or(&figure.published),
            limits: limits.map(|limits| **limits),
            y_title: panel.and_then(|panel| panel.y_title.as_deref()).or(figure.y_title.as_deref()),
            of: panel.and_then(|panel| panel.of.as_ref()).or(figure.of.as_ref()),
        }
    }

    /// The axes along the horizontal.
    fn along(&self) -> Vec<&'a str> {
        match self.x.map(|x| &**x) {
            Some(Value::String(axis)) => vec![axis],
            Some(Value::Array(axes)) => axes.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        }
    }

    /// The axes that it shows.
    fn axes(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.along().into_iter().chain(self.by)
    }
}

fn named(axis: &Option<Spanned<String>>) -> Option<&str> {
    axis.as_ref().map(|axis| axis.as_str())
}

fn one<'a>(planner: &mut Planner<'a>, figure: &Figure, here: &Selection<'a>) -> Result<(), Problem> {
    let (id, title) = (here.fill(&figure.id)?, here.fill(&figure.title)?);
    planner.names.figure(&id, figure.id.span())?;
    let plots = plots(planner, figure, here)?;
    if plots.is_empty() {
        return Ok(());
    }
    let x_title = match figure.kind {
        Kind::Time => "time (s)".to_owned(),
        Kind::Bars | Kind::Boxes | Kind::Heat => String::new(),
        Kind::Lines => {
            let axis = figure.x.as_ref().and_then(|x| x.as_str());
            let stated = figure.x_title.as_ref().map(|title| here.fill(title)).transpose()?;
            // A quantity may have braces that only its points fill.
            let quantity = || figure.x_of.as_ref().and_then(|of| here.fill(of).ok());
            let titled = || axis.map(|name| titled(here, name));
            stated.or_else(quantity).or_else(titled).unwrap_or_default()
        }
    };
    let domain = figure.x_limits.as_ref().map(|limits| **limits);
    let is_wide =
        figure.kind == Kind::Lines && figure.log.is_none() && domain.is_none() && spans_decades(figure, here);
    let x = Axis { title: x_title, log: figure.is_log('x') || is_wide, domain };
    planner.plan.figures.push(FigurePlan { id, title, kind: figure.kind, x, plots });
    Ok(())
}

/// Whether the horizontal axis spans more than two decades, so that equal differences would crowd its lower end.
fn spans_decades(figure: &Figure, here: &Selection<'_>) -> bool {
    let Some(axis) = figure.x.as_ref().and_then(|x| here.axis(x.as_str()?).ok()) else {
        return false;
    };
    let values: Option<Vec<f64>> = axis.values.iter().map(|value| value.number).collect();
    let (Some(values), None) = (values, &figure.x_of) else { return false };
    let (least, most) =
        (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(0.0, f64::max));
    least > 0.0 && most > 100.0 * least
}

/// The name of an axis with the unit that all of its values have.
fn titled(here: &Selection<'_>, name: &str) -> String {
    let values = here.axis(name).map_or(&[][..], |axis| &axis.values);
    let has_unit = |value: &AxisValue| value.number.is_some() && !value.fields.contains_key("value");
    match values.first().map(AxisValue::unit) {
        Some(unit)
            if !unit.is_empty() && values.iter().all(|value| has_unit(value) && value.unit() == unit) =>
        {
            format!("{name} ({unit})")
        }
        _ => name.to_owned(),
    }
}

fn plots<'a>(planner: &mut Planner<'a>, figure: &Figure, here: &Selection<'a>) -> Result<Vec<Plot>, Problem> {
    let mut panels = Vec::new();
    for panel in &figure.panels {
        let view = View::of(figure, Some(panel));
        let over: Vec<&str> = view.axes().collect();
        match &starts_over(here.clone(), &panel.at, &over)?[..] {
            [] => {} // of values that the command line left out
            [there] => panels.push((here.fill(&panel.title)?, String::new(), there.clone(), view)),
            _ => {
                let title = &panel.title;
                return Err(Problem::new(format!(
                    "panel \"{title}\" has several values of an axis that it neither shows nor fixes"
                )));
            }
        }
    }
    if figure.panels.is_empty() {
        let each = each(here, named(&figure.panel))?;
        // A number alone does not name its quantity.
        let title = |label: &str| match named(&figure.panel) {
            Some(axis) if label.parse::<f64>().is_ok() => format!("{axis} = {label}"),
            _ => label.to_owned(),
        };
        let panel = |(label, here): (String, _)| (title(&label), label, here, View::of(figure, None));
        panels.extend(each.into_iter().map(panel));
    }
    let mut plots = Vec::new();
    for (i, (title, label, here, view)) in panels.into_iter().enumerate() {
        let letter = char::from(b'a' + u8::try_from(i % 26).unwrap_or(0));
        let title = if figure.letters { format!("({letter}) {title}").trim_end().to_owned() } else { title };
        let lines = lines(planner, &view, &here, &label)?;
        let y_title = match view.y_title {
            Some(stated) => here.fill(stated)?,
            None => view.of.and_then(|of| here.fill(of).ok()).unwrap_or_default(),
        };
        let y = Axis { title: y_title, log: figure.is_log('y'), domain: view.limits };
        plots.push(Plot { title, y, lines });
    }
    Ok(plots)
}

/// A selection for each value of an axis, with its name; one without a name if there is no axis.
fn each<'a>(here: &Selection<'a>, axis: Option<&str>) -> Result<Vec<(String, Selection<'a>)>, Problem> {
    let Some(axis) = axis else { return Ok(vec![(String::new(), here.clone())]) };
    let label =
        |here: Selection<'a>| (here.value(axis).map(|value| value.label.clone()).unwrap_or_default(), here);
    let each: Vec<_> = here.each(&[axis])?.into_iter().map(label).collect();
    check_distinct(each.iter().map(|(label, _)| label)).map(|()| each)
}

/// The series of the panel of that name.
fn lines<'a>(
    planner: &mut Planner<'a>,
    view: &View<'_>,
    here: &Selection<'a>,
    panel: &str,
) -> Result<Vec<Line>, Problem> {
    let mut lines = given(planner, view, here, panel)?;
    for (by, here) in each(here, view.by)? {
        // A lone series is its panel.
        let by = if by.is_empty() { panel } else { &by };
        if let Some(Value::Table(places)) = view.x.map(|x| &**x) {
            lines.push(over_places(planner, view, by.to_owned(), places, &here)?);
            continue;
        }
        Problem::new("a figure needs `of`, an expression, or `series`, names with expressions")
            .unless(!view.quantities.is_empty() || !view.figure.bars.is_empty())?;
        for (name, of) in &view.quantities {
            let name = match (name.is_empty(), view.by.is_none()) {
                (true, _) => by.to_owned(),
                (false, true) => here.fill(name)?,
                (false, false) => format!("{by}, {}", here.fill(name)?),
            };
            lines.push(match view.figure.kind {
                Kind::Time => {
                    let (setup, points) = time::trace(planner, of, &here)?;
                    Line::Time(name, setup, points)
                }
                _ => over_axis(planner, view, name, of, &here)?,
            });
        }
    }
    Ok(lines)
}

/// Published series, curves, and bars without an axis.
fn given<'a>(
    planner: &mut Planner<'a>,
    view: &View<'_>,
    here: &Selection<'a>,
    panel: &str,
) -> Result<Vec<Line>, Problem> {
    let figure = view.figure;
    let mut lines = Vec::new();
    if figure.kind == Kind::Time {
        let level = |(name, level): (&String, &Spanned<Value>)| {
            Ok(Line::Level(name.clone(), curves::finite(level, level)?))
        };
        return view.published.iter().map(level).collect();
    }
    // If an axis makes the panels, published values are given by panel.
    let here_too = |name: &str| figure.panel.is_none() || name == panel;
    for (name, values) in figure.published.iter().filter(|(name, _)| here_too(name)) {
        let points = curves::published(values, || {
            let at = |(label, here): &(String, Selection<'_>)| match figure.kind {
                Kind::Lines => Ok(Point::at(place(view, here)?, 0.0)),
                _ => Ok(Point::bar(label, 0.0)),
            };
            along(view, here)?.iter().map(at).collect()
        })?;
        lines.push(Line::Published(name.clone(), points));
    }
    for (name, of) in &figure.curves {
        let axis = here.axis(axis_along(view)?).or_at(of.span())?;
        let points = curves::curve(axis, of, here, figure.is_log('x'))?;
        lines.push(Line::Published(name.clone(), points));
    }
    for (name, bars) in &figure.bars {
        let mut read = |of| planner.read(of, here, figure.is_pooled());
        let points = bars.iter().map(|(label, of)| Ok((label.clone(), Position::At(0.0), read(of)?)));
        lines.push(Line::Points(name.clone(), points.collect::<Result<_, Problem>>()?));
    }
    Ok(lines)
}

/// A place for each expression.
fn over_places(
    planner: &mut Planner<'_>,
    view: &View<'_>,
    name: String,
    places: &toml::Table,
    here: &Selection<'_>,
) -> Result<Line, Problem> {
    let span = view.x.map(Spanned::span).unwrap_or_default();
    if matches!(view.figure.kind, Kind::Lines | Kind::Time) {
        return Err(Problem::at(span, "a figure of lines needs an axis")
            .help("use kind = \"bars\" or \"boxes\" for names"));
    }
    if let Some((_, of)) = view.quantities.first() {
        return Err(of.problem("`x` already has the expressions"));
    }
    let mut points = Vec::new();
    for (label, of) in places {
        let no_text = || Problem::at(span.clone(), format!("`{label}` must be an expression in quotes"));
        let text = Spanned::new(span.clone(), of.as_str().ok_or_else(no_text)?.to_owned());
        let quantity = planner.read(&text, here, view.figure.is_pooled())?;
        points.push((here.fill(label).or_at(span.clone())?, Position::At(0.0), quantity));
    }
    Ok(Line::Points(name, points))
}

/// The name of the horizontal axis.
fn axis_along<'a>(view: &View<'a>) -> Result<&'a str, Problem> {
    let x = view.x.ok_or_else(|| {
        Problem::new("a figure of this kind needs an axis").help("add x = \"AXIS\", or kind = \"time\"")
    })?;
    x.as_str()
        .ok_or_else(|| x.problem("`x` must be the name of an axis, or a table of names with expressions"))
}

/// The points along the horizontal axis.
fn along<'a>(view: &View<'_>, here: &Selection<'a>) -> Result<Vec<(String, Selection<'a>)>, Problem> {
    let span = view.x.map(Spanned::span).unwrap_or_default();
    let points = match &view.along()[..] {
        axes @ [_, _, ..] => each_point(here, axes),
        _ => each(here, Some(axis_along(view)?)),
    };
    let points = points.or_at(span)?;
    let Some(only) = &view.figure.only else { return Ok(points) };
    let mut kept = Vec::new();
    for (label, here) in points {
        if here.constant(only)? != 0.0 {
            kept.push((label, here));
        }
    }
    Ok(kept)
}

/// A selection for each run combination of several axes' values, in order, with the values' names.
fn each_point<'a>(here: &Selection<'a>, axes: &[&str]) -> Result<Vec<(String, Selection<'a>)>, Problem> {
    let mut places = Vec::new();
    let mut known = HashSet::new();
    for point in here.points() {
        let there = here.at_point(point, axes)?;
        let values: Vec<_> = axes.iter().filter_map(|axis| there.value(axis)).collect();
        if known.insert(values.iter().map(|value| value.id.as_str()).collect::<Vec<_>>()) {
            let labels = values.iter().map(|value| value.label.as_str());
            places.push((labels.collect::<Vec<_>>().join(", "), there));
        }
    }
    check_distinct(places.iter().map(|(label, _)| label)).map(|()| places)
}

/// Rejects equal names of series, panels or labels: they would be drawn as one.
fn check_distinct<'a>(mut labels: impl Iterator<Item = &'a String>) -> Result<(), Problem> {
    let mut known = HashSet::new();
    let Some(twice) = labels.find(|label| !known.insert(*label)) else { return Ok(()) };
    Err(Problem::new(format!("two values of the figure's axis have the name \"{twice}\""))
        .help("give each a different `name`, or choose values with `at`"))
}

/// A point's position; unused for bars and the like.
fn place(view: &View<'_>, here: &Selection<'_>) -> Result<f64, Problem> {
    let x = view.x.and_then(|x| x.as_str()).unwrap_or_default();
    match (view.figure.kind, here.value(x)) {
        (Kind::Lines, Some(value)) => value.number.ok_or_else(|| {
            Problem::new(format!(
                "lines need an axis of numbers, and `{}` of axis `{x}` is not a number",
                value.id
            ))
            .help("use kind = \"bars\" for names")
        }),
        _ => Ok(0.0),
    }
}

fn over_axis(
    planner: &mut Planner<'_>,
    view: &View<'_>,
    name: String,
    of: &Spanned<String>,
    here: &Selection<'_>,
) -> Result<Line, Problem> {
    let mut points = Vec::new();
    for (label, here) in along(view, here)? {
        let x = match &view.figure.x_of {
            Some(x) => Position::Mean(planner.read(x, &here, false)?),
            None => Position::At(place(view, &here)?),
        };
        points.push((label, x, planner.read(of, &here, view.figure.is_pooled())?));
    }
    Ok(Line::Points(name, points))
}
