//! Figures from runs.

use super::runs::Runs;
use crate::parse::spec::Kind;
use crate::plan::{FigurePlan, Line, Plot, Position, Quantity};
use crate::result::{Axis, Figure, Mark, Panel, Point, Series};

/// A figure; points without a value are left out, and counted.
pub(super) fn figure(plan: &FigurePlan, runs: &Runs<'_>) -> Figure {
    let panel = |plot: &Plot| {
        let domain = match plan.kind {
            Kind::Time => shown(plan.x.domain, plot, runs),
            _ => plan.x.domain,
        };
        let series = |line: &Line| {
            let mut series = series(line, plan.kind, domain, runs);
            // Values that a logarithmic axis cannot show.
            series.points.retain(|point| !plot.y.log || point.y > 0.0);
            if joins_in_order(line, plan.kind) {
                series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
            }
            series
        };
        Panel {
            title: plot.title.clone(),
            x: Axis { domain, ..plan.x.clone() },
            y: plot.y.clone(),
            mark: match plan.kind {
                Kind::Lines | Kind::Time => Mark::Line,
                Kind::Bars => Mark::Bar,
                Kind::Boxes => Mark::Box,
                Kind::Heat => Mark::Tile,
            },
            series: plot.lines.iter().map(series).collect(),
        }
    };
    Figure {
        id: plan.id.clone(),
        title: plan.title.clone(),
        panels: plan.plots.iter().map(panel).collect(),
        missing: missing(plan, runs),
    }
}

/// Whether a line joins its points from left to right, in whatever order the axis has its values. If a quantity gives the positions,
/// the line follows the axis.
fn joins_in_order(line: &Line, kind: Kind) -> bool {
    let is_measured = |(_, place, _): &(String, Position, Quantity)| matches!(place, Position::Mean(_));
    kind == Kind::Lines && !matches!(line, Line::Points(_, points) if points.iter().any(is_measured))
}

/// The time axis: its limits, or the whole run if it ends earlier or there are no limits.
fn shown(limits: Option<(f64, f64)>, plot: &Plot, runs: &Runs<'_>) -> Option<(f64, f64)> {
    let ends = plot.lines.iter().filter_map(|line| match line {
        Line::Time(_, setup, _) => Some(runs.first(*setup)?.summary.duration_s),
        _ => None,
    });
    match (limits, ends.reduce(f64::max)) {
        (Some((_, to)), Some(end)) if to > end => Some((0.0, end)),
        (None, Some(end)) => Some((0.0, end)),
        (limits, _) => limits,
    }
}

/// The number of points without a value, and the first one's reason; or of lines over time without points.
fn missing(plan: &FigurePlan, runs: &Runs<'_>) -> Option<String> {
    let lines = || plan.plots.iter().flat_map(|plot| &plot.lines);
    let is_empty = |line: &Line| match line {
        Line::Time(_, setup, points) => Some(points(runs.first(*setup)?).is_empty()),
        _ => None,
    };
    let timed: Vec<bool> = lines().filter_map(is_empty).collect();
    if let n @ 1.. = timed.iter().filter(|empty| **empty).count() {
        return Some(format!("{n} of {} lines have no value in the first seed's run", timed.len()));
    }
    let points = lines().flat_map(|line| match line {
        Line::Points(_, points) => &points[..],
        _ => &[],
    });
    let points: Vec<_> = points.collect();
    let failed = points.iter().filter_map(|(_, place, quantity)| {
        let of_place = if let Position::Mean(x) = place { runs.values(x).err() } else { None };
        of_place.or_else(|| runs.values(quantity).err())
    });
    let failed: Vec<String> = failed.collect();
    let first = failed.first()?;
    Some(format!("{} of {} points have no value: {first}", failed.len(), points.len()))
}

fn series(line: &Line, kind: Kind, domain: Option<(f64, f64)>, runs: &Runs<'_>) -> Series {
    let (name, published, points) = match line {
        Line::Published(name, points) => (name, true, points.clone()),
        Line::Level(name, y) => {
            let ends = domain.into_iter().flat_map(|(from, to)| [from, to]);
            (name, true, ends.map(|x| Point::at(x, *y)).collect())
        }
        Line::Points(name, points) => {
            let points = points.iter().flat_map(|(label, place, of)| points_of(label, place, of, kind, runs));
            (name, false, points.collect())
        }
        Line::Time(name, setup, points) => {
            let shown = |point: &Point| domain.is_none_or(|(from, to)| (from..=to).contains(&point.x));
            let points = runs.first(*setup).map_or(vec![], points);
            (name, false, points.into_iter().filter(shown).collect())
        }
    };
    Series { name: name.clone(), published, points }
}

/// A quantity as a point with its interval, or its values for a box; empty if its row fails.
fn points_of(label: &str, place: &Position, quantity: &Quantity, kind: Kind, runs: &Runs<'_>) -> Vec<Point> {
    if kind == Kind::Boxes {
        return runs.values(quantity).unwrap_or_default().into_iter().map(|y| Point::bar(label, y)).collect();
    }
    let point = match (kind, place) {
        (Kind::Lines, Position::At(x)) => Some(Point::at(*x, 0.0)),
        (Kind::Lines, Position::Mean(x)) => runs.estimate(x).map(|x| Point::at(x.mean, 0.0)),
        _ => Some(Point::bar(label, 0.0)),
    };
    let ours = runs.estimate(quantity);
    let point = point.zip(ours).map(|(point, e)| Point { y: e.mean, half_width: e.half_width, ..point });
    point.into_iter().collect()
}
