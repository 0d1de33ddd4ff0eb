//! Lines, points, bars and intervals.

use super::frame::Frame;
use super::size::{Places, RADIUS, dodge};
use super::tips;
use crate::chart::{VisibleData, base, drawn_ends, ends, is_gap};
use crate::style::{SOLID, SeriesStyle, Shape};
use anabranch_study::{Mark, Panel, Point};
use maud::{Markup, html};

/// The fraction of a label's band that its marks take.
pub const FILLED: f64 = 0.8;
/// The width of lines, in pixels.
const WIDTH: f64 = 1.6;

/// Lines with their intervals, or points.
pub fn series(panel: &Panel, drawn: &VisibleData, styles: &[SeriesStyle], frame: &Frame) -> Markup {
    let Some(x) = &frame.x else { return html! {} };
    let has_intervals = |points: &&Vec<&Point>| points.iter().any(|p| ends(panel, p).is_some());
    let dodged = drawn.few && drawn.series.iter().filter(has_intervals).count() > 1;
    html! {
        @for (i, (points, style)) in drawn.series.iter().zip(styles).enumerate().filter(|(_, (points, _))| !points.is_empty()) {
            @let SeriesStyle { name, stroke: colour, .. } = style;
            @let aside = if dodged { dodge(i, panel.series.len()) } else { 0.0 };
            @let across = |p: &Point| x.place(p.x) + aside;
            @let at = |p: &Point| (across(p), frame.y.place(p.y));
            @let intervals = intervals(panel, points, frame);
            g.series data-series=[frame.tips.then_some(style.family)] stroke=(colour) fill="none" stroke-width=(WIDTH) stroke-linejoin="round" {
                @if panel.mark == Mark::Line {
                    @if !drawn.few && !intervals.is_empty() {
                        path d=(points.split(|p| is_gap(panel, p)).filter(|own| !own.is_empty()).map(|own| band(own, &intervals, x, frame)).collect::<String>()) fill=(colour) fill-opacity="0.15" stroke="none" {}
                    }
                    path.line d=(lines(panel, points, at, frame.tips)) stroke-dasharray=[dash(style.dashes)] { @if frame.tips { title { (name) } } }
                }
                @if drawn.few || panel.mark == Mark::Point {
                    @if !intervals.is_empty() {
                        path d=(whiskers(&intervals, across)) stroke-width="1.2" {}
                    }
                    g fill=(style.fill) {
                        @for point in points.iter().filter(|p| !is_gap(panel, p)) {
                            path d=(symbol(style.shape, at(point), RADIUS)) { @if frame.tips { (tips::point(panel, name, point)) } }
                        }
                    }
                }
            }
        }
    }
}

/// Bars side by side at each label, with their intervals.
pub fn bars(panel: &Panel, drawn: &VisibleData, styles: &[SeriesStyle], frame: &Frame) -> Markup {
    let n = drawn.series.len() as f64;
    let width = frame.band() * FILLED / n;
    let left = |i: usize, p: &Point| {
        frame.band_of(p.label.as_deref().unwrap_or(""))
            + frame.band() * (1.0 - FILLED) / 2.0
            + i as f64 * width
    };
    let base = frame.y.place(base(panel, drawn.y_domain));
    html! {
        @for (i, (points, style)) in drawn.series.iter().zip(styles).enumerate() {
            g.series data-series=[frame.tips.then_some(style.family)] stroke=(style.stroke) fill=(style.fill) {
                @for point in points {
                    @let top = frame.y.place(point.y);
                    rect x=(Places(left(i, point) + 0.5)) y=(Places(top.min(base))) width=(Places(width - 1.0)) height=(Places((base - top).abs())) {
                        @if frame.tips { (tips::point(panel, &style.name, point)) }
                    }
                }
            }
        }
        g stroke="currentColor" stroke-width="1.2" fill="none" {
            @for (i, (points, style)) in drawn.series.iter().zip(styles).enumerate() {
                @let intervals = intervals(panel, points, frame);
                @if !intervals.is_empty() {
                    path.series[frame.tips] data-series=[frame.tips.then_some(style.family)] d=(whiskers(&intervals, |p| left(i, p) + width / 2.0)) {}
                }
            }
        }
    }
}

/// Points with an interval, and the places of its lower and upper end.
fn intervals<'a>(panel: &Panel, points: &[&'a Point], frame: &Frame) -> Vec<(&'a Point, f64, f64)> {
    let ends = |p| Some(drawn_ends(panel, p, frame.y.limits)?.map(|v| frame.y.place(v)));
    let of = |p: &&'a Point| ends(p).map(|[low, high]| (*p, low, high));
    points.iter().filter_map(of).collect()
}

fn whiskers(intervals: &[(&Point, f64, f64)], x: impl Fn(&Point) -> f64) -> String {
    let one = |(p, low, high): &(&Point, f64, f64)| {
        let (x, low, high) = (x(p), Places(*low), Places(*high));
        let (a, b) = (Places(x - 4.0), Places(x + 4.0));
        format!("M{a} {low}H{b}M{a} {high}H{b}M{} {low}V{high}", Places(x))
    };
    intervals.iter().map(one).collect()
}

/// The area between the ends of all intervals; it skips a point without one.
fn band(
    points: &[&Point],
    intervals: &[(&Point, f64, f64)],
    x: &super::frame::Scale,
    frame: &Frame,
) -> String {
    let middle = |p: &Point| (x.place(p.x), frame.y.place(p.y));
    let end = |p: &Point, upper: bool| {
        let own = intervals.iter().find(|(of, ..)| std::ptr::eq(*of, p));
        own.map_or(middle(p), |(_, low, high)| (middle(p).0, if upper { *high } else { *low }))
    };
    let there = points.iter().map(|p| end(p, true));
    line(there.chain(points.iter().rev().map(|p| end(p, false))), frame.tips) + "Z"
}

/// A path through all points, with gaps. A lone point is a dot as wide as the line.
fn lines(panel: &Panel, points: &[&Point], at: impl Fn(&Point) -> (f64, f64), coarse: bool) -> String {
    let stretches = points.split(|p| is_gap(panel, p)).filter(|stretch| !stretch.is_empty());
    let drawn = |stretch: &[&Point]| {
        let (x, y) = at(stretch[0]);
        match stretch.len() {
            1 => line([x - WIDTH / 2.0, x + WIDTH / 2.0].map(|x| (x, y)).into_iter(), coarse),
            _ => line(stretch.iter().map(|p| at(p)), coarse),
        }
    };
    stretches.map(drawn).collect()
}

/// A path through all of these places, each after the first relative to the one before it, which is half as long. Places are exact to a
/// tenth of a pixel, or to a half in a page, which is not compressed.
fn line(places: impl Iterator<Item = (f64, f64)>, coarse: bool) -> String {
    let per_pixel = if coarse { 2.0 } else { 10.0 };
    let mut path = String::new();
    let mut push = |before: &str, units: i64| {
        // A sign needs no space before it.
        path += if before == " " && units < 0 { "" } else { before };
        path += &Places(units as f64 / per_pixel).to_string();
    };
    // In whole units, so that rounding does not add up.
    let mut last = (0, 0);
    for (i, (x, y)) in places.enumerate() {
        let here = ((x * per_pixel).round() as i64, (y * per_pixel).round() as i64);
        push(["M", "l", " "][i.min(2)], here.0 - last.0);
        push(" ", here.1 - last.1);
        last = here;
    }
    path
}

/// A point's shape around a place.
pub fn symbol(shape: &Shape, (x, y): (f64, f64), r: f64) -> String {
    if shape.corners.is_empty() {
        let (left, y, width) = (Places(x - r), Places(y), 2.0 * r);
        return format!("M{left} {y}a{r} {r} 0 1 0 {width} 0a{r} {r} 0 1 0 {} 0Z", -width);
    }
    line(shape.corners.iter().map(|(dx, dy)| (x + dx * r, y + dy * r)), false) + "Z"
}

/// A line's dashes; `None` for a solid one.
pub fn dash([on, off]: [f64; 2]) -> Option<String> {
    ([on, off] != SOLID).then(|| format!("{} {}", Places(on), Places(off)))
}
