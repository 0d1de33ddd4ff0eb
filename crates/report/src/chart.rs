//! What a drawing shows of a panel: the points that its axes can show, their intervals and limits.

use crate::downsample::downsample;
use crate::scales::{STEPS, domain, drawable, extent, nice};
use crate::style::styles;
use anabranch_scenario::distinct;
use anabranch_study::format::{exact, significant};
use anabranch_study::{Axis, Mark, Panel, Point, Series};

/// Points of a series beyond which only extremes are drawn.
pub const MOST_POINTS: usize = 2000;
/// Points of a line up to which each is shown, with its interval as a bar; beyond, the interval is a band.
pub const FEW_POINTS: usize = 40;

/// The visible points and limits of a panel.
pub struct VisibleData<'a> {
    /// The points of each series that the axes can show, thinned out.
    pub series: Vec<Vec<&'a Point>>,
    /// The values across.
    pub xs: (f64, f64),
    /// The values up, intervals included.
    pub ys: (f64, f64),
    /// The limits of the horizontal axis, at whole steps if the paper has no limits.
    pub x_domain: (f64, f64),
    pub y_domain: (f64, f64),
    /// Whether there are few enough points to show each.
    pub few: bool,
}

impl<'a> VisibleData<'a> {
    /// At most `most` points of each series; `None` without points.
    pub fn of(panel: &'a Panel, most: usize) -> Option<Self> {
        let series: Vec<_> = panel.series.iter().map(|s| drawable_points(panel, s, most)).collect();
        let points = || series.iter().flatten().copied();
        let values = points().flat_map(|p| ends(panel, p).into_iter().flatten().chain([p.y]));
        let ys = extent(values.filter(|&y| drawable(&panel.y, y)))?;
        let xs = extent(points().map(|p| p.x))?;
        let from_zero = panel.mark == Mark::Bar || (ys.0 >= 0.0 && ys.0 < ys.1 / 2.0);
        let x_domain = match panel.x.log && panel.x.domain.is_none() && xs.0 < xs.1 {
            // Whole decades may be many times as wide as the values.
            true => xs,
            false => nice(&panel.x, domain(&panel.x, xs, false), STEPS),
        };
        let y_domain = domain(&panel.y, ys, from_zero);
        let few = series.iter().all(|points| points.len() <= FEW_POINTS);
        Some(VisibleData { series, xs, ys, x_domain, y_domain, few })
    }

    /// The labels of its points.
    pub fn labels(&self) -> Vec<&'a str> {
        labels(self.series.iter().flatten().copied())
    }
}

/// Labels in the order of their first points.
pub fn labels<'a>(points: impl Iterator<Item = &'a Point>) -> Vec<&'a str> {
    distinct(points.map(|point| point.label.as_deref().unwrap_or("")))
}

/// The base of bars: zero, or the lower end of a logarithmic axis.
pub fn base(panel: &Panel, y_domain: (f64, f64)) -> f64 {
    if panel.y.log { y_domain.0 } else { 0.0 }
}

/// Whether the horizontal axis has labels.
pub fn labelled(panel: &Panel) -> bool {
    matches!(panel.mark, Mark::Bar | Mark::Box)
}

/// A point without a value: a line has a gap there.
pub fn is_gap(panel: &Panel, point: &Point) -> bool {
    panel.mark == Mark::Line && point.y.is_nan()
}

/// The points of a series that its axes can show, about `most` of them.
pub fn drawable_points<'a>(panel: &Panel, series: &'a Series, most: usize) -> Vec<&'a Point> {
    let fits = |p: &&Point| drawable(&panel.y, p.y) && (labelled(panel) || drawable(&panel.x, p.x));
    let stretches: Vec<_> = series.points.split_inclusive(|p| is_gap(panel, p)).collect();
    let mut points = Vec::new();
    for stretch in stretches {
        let own: Vec<_> = stretch.iter().filter(fits).collect();
        points.extend(downsample(&own, (most * own.len() / series.points.len()).max(4)));
        // Gaps separate two stretches.
        points.extend(stretch.last().filter(|p| is_gap(panel, p) && !points.is_empty()));
    }
    if points.last().is_some_and(|p| is_gap(panel, p)) {
        points.pop();
    }
    points
}

/// Vertical axes of a run's figures, whose quantities are never negative.
const NEVER_NEGATIVE: [&str; 5] = ["segments", "Mbit/s", "ms", "packets", "MB"];

/// The ends of a point's interval; in a run's figures over time at least 0.
pub fn ends(panel: &Panel, point: &Point) -> Option<[f64; 2]> {
    let half = point.half_width.filter(|h| h.is_finite() && *h > 0.0)?;
    let is_over_time = panel.mark == Mark::Line && panel.x.title == "time (s)";
    let is_cut = is_over_time && point.y >= 0.0 && NEVER_NEGATIVE.contains(&panel.y.title.as_str());
    let least = if is_cut { 0.0 } else { f64::NEG_INFINITY };
    Some([(point.y - half).max(least), point.y + half])
}

/// The same in a drawing between these vertical limits: an interval that extends below a logarithmic axis ends at the axis.
pub fn drawn_ends(panel: &Panel, point: &Point, limits: (f64, f64)) -> Option<[f64; 2]> {
    let [low, high] = ends(panel, point)?;
    Some([if drawable(&panel.y, low) { low } else { limits.0 }, high])
}

/// A value in a tooltip or a table.
pub fn value(value: f64) -> String {
    exact(significant(value, 6))
}

/// A description for screen readers.
pub fn describe(panel: &Panel) -> String {
    let kind = match panel.mark {
        Mark::Line => "Line chart",
        Mark::Point => "Scatter plot",
        Mark::Bar => "Bar chart",
        Mark::Box => "Box plot",
        Mark::Tile => "Tiles by colour",
    };
    let log = |axis: &Axis| if axis.log { " (logarithmic)" } else { "" };
    format!(
        "{kind}: {}. Horizontal axis: {}{}. Vertical axis: {}{}. Series: {}.",
        panel.title,
        panel.x.title,
        log(&panel.x),
        panel.y.title,
        log(&panel.y),
        styles(&panel.series).iter().map(|style| style.name.as_str()).collect::<Vec<_>>().join("; "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(mark: Mark, (x, y): (Axis, Axis), point: &Point) -> Panel {
        let series = vec![Series { points: vec![point.clone()], ..Series::default() }];
        Panel { x, y, mark, series, ..Panel::default() }
    }

    /// A mean window of 2 ± 3 segments; an observable may be negative.
    #[test]
    fn intervals_of_what_is_never_negative_end_at_zero() {
        let point = Point { half_width: Some(3.0), ..Point::at(1.0, 2.0) };
        for (title, low) in [("segments", 0.0), ("epsilon", -1.0)] {
            let axes = (Axis::new("time (s)", false), Axis::new(title, false));
            assert_eq!(ends(&panel(Mark::Line, axes, &point), &point), Some([low, 5.0]));
        }
    }

    #[test]
    fn a_logarithmic_axis_ends_at_its_values() {
        let of = |xs: [f64; 2], domain| {
            let x = Axis { domain, ..Axis::new("queue (BDP)", true) };
            let mut panel = panel(Mark::Line, (x, Axis::new("Mbit/s", false)), &Point::at(xs[0], 1.0));
            panel.series[0].points.push(Point::at(xs[1], 2.0));
            VisibleData::of(&panel, 10).unwrap().x_domain
        };
        assert_eq!(of([0.5, 2.0], None), (0.5, 2.0));
        assert_eq!(of([0.5, 2.0], Some((0.1, 4.0))), (0.1, 4.0));
        assert_eq!(of([2.0, 2.0], None), (1.0, 10.0));
    }

    /// An interval that reaches below zero does not move what bars stand on; a logarithmic axis has no zero.
    #[test]
    fn bars_stand_on_zero() {
        for (log, half, low, expected) in
            [(false, 1.0, 0.0, 0.0), (false, 5.0, -3.0, 0.0), (true, 1.5, 0.1, 0.1), (true, 5.0, 1.0, 1.0)]
        {
            let bar = Point { half_width: Some(half), ..Point::bar("LIA", 2.0) };
            let panel = panel(Mark::Bar, (Axis::default(), Axis::new("Mbit/s", log)), &bar);
            let limits = VisibleData::of(&panel, 10).unwrap().y_domain;
            assert_eq!((limits.0, base(&panel, limits)), (low, expected));
            // On a logarithmic axis 2 ± 5 has no lower end.
            let end = if log && half > 2.0 { 1.0 } else { 2.0 - half };
            assert_eq!(drawn_ends(&panel, &bar, limits), Some([end, 2.0 + half]));
        }
    }
}
