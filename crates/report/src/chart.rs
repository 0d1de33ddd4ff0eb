//! A panel as a Vega-Lite specification.

use crate::downsample::downsample;
use crate::scales::{STEPS, domain, drawable, exceeds, extent, nice, quantitative};
use crate::style::Style;
use crate::visible::visible;
use crate::{boxes, tiles};
use anabranch_scenario::distinct;
use anabranch_study::format::significant;
use anabranch_study::{Axis, Mark, Panel, Point, Series};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Points of a series beyond which only extremes are drawn.
pub const MOST_POINTS: usize = 2000;
/// Points of a line up to which each is shown, with its interval as a bar; beyond, the interval is a band.
pub const FEW_POINTS: usize = 40;
/// Pixels of a horizontal axis beyond points at its ends: more than a symbol's radius.
const MARGIN: u32 = 8;
/// The resolution of a vertical axis in a drawing 250 pixels high.
const STEPS_SHOWN: f64 = 500.0;
const TOOLTIP_DIGITS: usize = 6;
/// Invisible points of a long line that carry its tooltips.
const HANDLES: usize = 80;

/// A drawing with its description and remarks.
pub struct Chart {
    /// The Vega-Lite specification, with its data.
    pub spec: Value,
    /// A description for screen readers.
    pub description: String,
    /// Differences between the drawing and the data or the paper's axes.
    pub remarks: Vec<String>,
}

/// Draws a panel; `None` without a drawable point.
pub fn chart(panel: &Panel) -> Option<Chart> {
    let panel = &*visible(panel);
    if panel.mark == Mark::Tile {
        return tiled(panel);
    }
    let bars = panel.mark == Mark::Bar;
    let labelled = labelled(panel);
    let VisibleData { series: drawn, xs, ys, x_domain, y_domain, few } = VisibleData::of(panel, MOST_POINTS)?;
    let points = || drawn.iter().flatten().copied();
    let style = Style::new(&panel.series, panel.mark == Mark::Line && !few);
    let series = panel.series.iter().zip(&drawn).zip(&style.names);
    let shown = if panel.y.log { 0.0 } else { y_domain.1 - y_domain.0 };
    let (data, flatten): (Vec<Value>, _) = match panel.mark {
        Mark::Box => (boxes::data(panel, &style.names), None),
        _ => {
            let columns = series.map(|((_, points), name)| columns(panel, name, points, shown)).collect();
            let own: &[&str] = if bars { &["label"] } else { &["x", "handle"] };
            let fields = [own, &["y", "low", "high"]].concat();
            (columns, Some(json!({ "flatten": fields })))
        }
    };

    let mut shared = Map::new();
    shared.insert("y".into(), quantitative("y", &panel.y, y_domain));
    if labelled {
        shared.insert("x".into(), categories(&panel.x.title, points()));
        shared.insert("xOffset".into(), json!({ "field": "series", "sort": null }));
    } else {
        let mut x = quantitative("x", &panel.x, x_domain);
        if few || panel.mark == Mark::Point {
            // Room for symbols at the ends. Without `nice: false`, Vega would round the padded limits, which are already rounded.
            x["scale"]["padding"] = json!(MARGIN);
            x["scale"]["nice"] = json!(false);
        }
        shared.insert("x".into(), x);
    }
    shared.insert("stroke".into(), style.channel(&style.strokes));
    shared.insert("opacity".into(), json!({ "condition": { "param": "shown", "value": 1 }, "value": 0 }));

    let own = || style.channel(&style.strokes);
    let layer = match panel.mark {
        Mark::Bar => {
            vec![
                bar_layer(&style, panel, base(panel, y_domain)),
                interval_bars(json!({ "value": "currentColor" })),
            ]
        }
        Mark::Box => boxes::layers(&style, &panel.y.title),
        Mark::Tile => vec![], // has a drawing of its own
        Mark::Point => vec![interval_bars(own()), point_layer(&style, panel)],
        Mark::Line if few => {
            vec![line_layer(&style), interval_bars(own()), point_layer(&style, panel)]
        }
        Mark::Line => vec![line_layer(&style), interval_band(&style), handle_layer(panel)],
    };
    let layer = if labelled { layer } else { zoomed(layer.into_iter().chain(crosshair()).collect()) };
    let description = describe(panel, &style.names);
    let spec = json!({
        "description": description,
        "width": "container",
        "height": 250,
        "autosize": { "type": "fit-x", "contains": "padding" },
        "data": { "values": data },
        "transform": flatten.into_iter().collect::<Vec<_>>(),
        "encoding": shared,
        "layer": chosen_by_legend(layer),
    });
    let mut remarks = remarks(panel, xs, ys);
    // By more than a tooltip's rounding.
    let off = |points: &[&Point], y: f64| (digits(points, shown, y) - y).abs() > 0.5e-5 * y.abs();
    let rounded = |points: &Vec<&Point>| points.iter().any(|p| drawable(&panel.y, p.y) && off(points, p.y));
    if panel.mark != Mark::Box && drawn.iter().any(rounded) {
        remarks
            .push("Values are rounded to the chart's resolution; the data file has all digits.".to_owned());
    }
    Some(Chart { spec, description, remarks })
}

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
    /// The limits of the vertical axis.
    pub y_domain: (f64, f64),
    /// Whether there are few enough points to show each.
    pub few: bool,
}

impl<'a> VisibleData<'a> {
    /// At most `most` points of each series; `None` without points.
    pub fn of(panel: &'a Panel, most: usize) -> Option<Self> {
        let series: Vec<_> = panel.series.iter().map(|s| drawable_points(panel, s, most)).collect();
        let points = || series.iter().flatten().copied();
        let values = points().flat_map(|p| ends(panel, p).into_iter().chain([p.y]));
        let ys = extent(values.filter(|&y| drawable(&panel.y, y)))?;
        let xs = extent(points().map(|p| p.x))?;
        let from_zero = panel.mark == Mark::Bar || (ys.0 >= 0.0 && ys.0 < ys.1 / 2.0);
        let x_domain = nice(&panel.x, domain(&panel.x, xs, false), STEPS);
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

fn tiled(panel: &Panel) -> Option<Chart> {
    let names: Vec<String> = panel.series.iter().map(|s| s.name.clone()).collect();
    let description = describe(panel, &names);
    let spec = tiles::spec(panel, &description)?;
    Some(Chart { spec, description, remarks: tiles::remark(panel).into_iter().collect() })
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
pub fn ends(panel: &Panel, point: &Point) -> Vec<f64> {
    let half = point.half_width.filter(|h| h.is_finite() && *h > 0.0);
    let is_over_time = panel.mark == Mark::Line && panel.x.title == "time (s)";
    let is_cut = is_over_time && point.y >= 0.0 && NEVER_NEGATIVE.contains(&panel.y.title.as_str());
    let least = if is_cut { 0.0 } else { f64::NEG_INFINITY };
    half.map(|h| vec![(point.y - h).max(least), point.y + h]).unwrap_or_default()
}

/// A series as columns, which `flatten` turns into points: a third of the size. `shown` is the span of the vertical axis, 0 if
/// logarithmic.
fn columns(panel: &Panel, name: &str, points: &[&Point], shown: f64) -> Value {
    let value = |v: f64| json!(digits(points, shown, v));
    let y: Vec<_> = points.iter().map(|p| value(p.y)).collect();
    // A logarithmic axis cannot show an interval's end at or below 0: it then ends at its point.
    let end = |p: &&Point, which: usize| match ends(panel, p).get(which) {
        Some(&end) if drawable(&panel.y, end) => value(end),
        Some(_) => value(p.y),
        None => Value::Null,
    };
    // Without intervals the columns stay empty: `flatten` reads them as nulls.
    let with_interval = |which| match points.iter().any(|p| !ends(panel, p).is_empty()) {
        true => points.iter().map(|p| end(p, which)).collect(),
        false => Vec::new(),
    };
    let (low, high): (Vec<_>, Vec<_>) = (with_interval(0), with_interval(1));
    if panel.mark == Mark::Bar {
        let label: Vec<_> = points.iter().map(|p| p.label.as_deref().unwrap_or("")).collect();
        return json!({ "series": name, "label": label, "y": y, "low": low, "high": high });
    }
    let x: Vec<_> = points.iter().map(|p| json!(significant(p.x, TOOLTIP_DIGITS))).collect();
    let stride = points.len().div_ceil(HANDLES).max(1);
    let handle: Vec<_> = (0..points.len()).map(|i| u8::from(i % stride == 0)).collect();
    json!({ "series": name, "x": x, "y": y, "low": low, "high": high, "handle": handle })
}

/// A value rounded to the drawing's resolution; the data file has all digits.
fn digits(points: &[&Point], shown: f64, value: f64) -> f64 {
    match (points.len() > FEW_POINTS, shown > 0.0) {
        (false, _) => significant(value, TOOLTIP_DIGITS),
        (true, false) => significant(value, 4),
        (true, true) => rounded(value, shown / STEPS_SHOWN),
    }
}

/// The nearest multiple of the largest power of ten that is not above `step`.
fn rounded(value: f64, step: f64) -> f64 {
    let decimals = -step.log10().floor() as i32;
    // Powers of ten above 1 are exact, as factors and as divisors.
    let power = 10f64.powi(decimals.abs());
    if decimals >= 0 { (value * power).round() / power } else { (value / power).round() * power }
}

/// The horizontal axis of bars; long labels are set at an angle where the chart is too narrow for them.
fn categories<'a>(title: &str, points: impl Iterator<Item = &'a Point>) -> Value {
    let labels: BTreeSet<&str> = points.filter_map(|p| p.label.as_deref()).collect();
    let longest = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    let needed = labels.len() * (longest * 7 + 10);
    let narrow =
        |then: &str, otherwise: &str| json!({ "signal": format!("width < {needed} ? {then} : {otherwise}") });
    json!({
        "field": "label",
        "type": "nominal",
        "title": title,
        "sort": null,
        "scale": { "paddingInner": 0.25, "paddingOuter": 0.15 },
        "axis": {
            "labelAngle": narrow("-35", "0"),
            "labelAlign": narrow("'right'", "'center'"),
            "labelBaseline": "top",
            "labelLimit": 170,
            "grid": false,
        },
    })
}

fn bar_layer(style: &Style, panel: &Panel, base: f64) -> Value {
    json!({
        "mark": { "type": "bar", "strokeWidth": 1.5, "tooltip": tooltip(("place", "label"), &panel.y.title) },
        "encoding": {
            "y2": { "datum": base },
            "fill": style.channel(&style.fills),
        },
    })
}

fn line_layer(style: &Style) -> Value {
    json!({
        "mark": { "type": "line", "strokeWidth": 1.6, "strokeJoin": "round", "order": false },
        "encoding": { "strokeDash": style.channel(&style.dashes) },
    })
}

fn point_layer(style: &Style, panel: &Panel) -> Value {
    json!({
        "params": pointed(),
        "mark": {
            "type": "point",
            "size": 44,
            "strokeWidth": 1.6,
            "tooltip": tooltip((&panel.x.title, "x"), &panel.y.title),
        },
        "encoding": {
            "fill": style.channel(&style.fills),
            "shape": style.channel(&style.shapes),
        },
    })
}

/// Points that appear under the pointer, on lines too long to show them all.
fn handle_layer(panel: &Panel) -> Value {
    json!({
        "transform": [{ "filter": "datum.handle" }],
        "params": pointed(),
        "mark": {
            "type": "point",
            "size": 70,
            "strokeWidth": 2,
            "fill": "transparent",
            "tooltip": tooltip((&panel.x.title, "x"), &panel.y.title),
        },
        "encoding": {
            "opacity": { "condition": { "param": POINTED, "empty": false, "value": 1 }, "value": 0 },
        },
    })
}

fn interval_bars(stroke: Value) -> Value {
    json!({
        "transform": [{ "filter": "datum.low != null" }],
        "mark": { "type": "errorbar", "ticks": { "size": 8, "thickness": 1.2 }, "thickness": 1.2 },
        "encoding": {
            "y": { "field": "low", "type": "quantitative" },
            "y2": { "field": "high" },
            "stroke": stroke,
        },
    })
}

fn interval_band(style: &Style) -> Value {
    let mut fill = style.channel(&style.strokes);
    fill["legend"] = Value::Null;
    json!({
        "transform": [{ "filter": "datum.low != null" }],
        "mark": { "type": "area", "fillOpacity": 0.15, "strokeOpacity": 0, "order": false },
        "encoding": {
            "y": { "field": "low", "type": "quantitative" },
            "y2": { "field": "high" },
            "fill": fill,
        },
    })
}

/// A mark's tooltip: an expression, to omit the interval of points without one.
fn tooltip(place: (&str, &str), value: &str) -> Value {
    let show = |title: &str, value: &str| format!("{}: {value}", json!(title));
    let number = |field: &str| format!("format(datum.{field}, '.{TOOLTIP_DIGITS}~g')");
    let (title, field) = place;
    let place = if field == "label" { "datum.label".to_owned() } else { number(field) };
    let lines = [show("series", "datum.series"), show(title, &place), show(value, &number("y"))].join(", ");
    let interval = show("95 % interval", &format!("{} + ' to ' + {}", number("low"), number("high")));
    json!({ "expr": format!("datum.low == null ? {{{lines}}} : {{{lines}, {interval}}}") })
}

/// The point under the pointer, or the next one to it.
fn pointed() -> Value {
    let select = json!({
        "type": "point",
        "fields": ["series", "x"],
        "nearest": true,
        "on": "pointerover",
        "clear": "pointerout",
    });
    json!([{ "name": POINTED, "select": select }])
}

const POINTED: &str = "pointed";

/// Lines across and up through the point under the pointer.
fn crosshair() -> [Value; 2] {
    let line = |encoding: Value| {
        let mut encoding = encoding;
        encoding["stroke"] = json!({ "value": "currentColor" });
        encoding["opacity"] = json!({ "value": 0.5 });
        json!({
            "transform": [{ "filter": { "param": POINTED, "empty": false } }],
            "mark": { "type": "rule", "tooltip": null },
            "encoding": encoding,
        })
    };
    [
        line(json!({ "y": { "value": 0 }, "y2": { "value": "height" } })),
        line(json!({ "x": { "value": 0 }, "x2": { "value": "width" } })),
    ]
}

/// Dragging moves the horizontal axis, the wheel with Ctrl or Alt stretches it (alone it scrolls the page), a double click resets it.
fn zoomed(mut layers: Vec<Value>) -> Vec<Value> {
    for layer in &mut layers {
        layer["mark"]["clip"] = json!(true);
    }
    let select = json!({
        "type": "interval",
        "encodings": ["x"],
        "zoom": "wheel![event.ctrlKey || event.altKey]",
    });
    with_param(layers, json!({ "name": "zoom", "select": select, "bind": "scales" }))
}

/// A click on a legend entry shows only its series; further clicks add or remove others.
fn chosen_by_legend(layers: Vec<Value>) -> Vec<Value> {
    let shown = json!({
        "name": "shown",
        "select": { "type": "point", "fields": ["series"], "toggle": "true" },
        "bind": "legend",
    });
    with_param(layers, shown)
}

/// A selection belongs to one layer, which must not be a composite mark like the interval bars, and is read by all.
fn with_param(mut layers: Vec<Value>, param: Value) -> Vec<Value> {
    if let Some(layer) = layers.iter_mut().find(|layer| layer["mark"]["type"] != "errorbar") {
        match layer["params"].as_array_mut() {
            Some(params) => params.push(param),
            None => layer["params"] = json!([param]),
        }
    }
    layers
}

pub fn describe(panel: &Panel, names: &[String]) -> String {
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
        names.join("; "),
    )
}

fn remarks(panel: &Panel, xs: (f64, f64), ys: (f64, f64)) -> Vec<String> {
    let mut remarks = Vec::new();
    if panel.mark == Mark::Box {
        remarks.push(boxes::RULE.to_owned());
    }
    if (!labelled(panel) && exceeds(&panel.x, xs)) || exceeds(&panel.y, ys) {
        remarks.push("The axes extend beyond the paper's to show every value.".to_owned());
    }
    let all = panel.series.iter().flat_map(|s| &s.points);
    let off = all
        .filter(|p| !is_gap(panel, p))
        .filter(|p| !drawable(&panel.y, p.y) || (!labelled(panel) && !drawable(&panel.x, p.x)));
    match off.count() {
        0 => {}
        n => remarks.push(format!("{n} points do not fit on these axes; the data file has them.")),
    }
    if panel.series.iter().any(|s| s.points.len() > MOST_POINTS) {
        remarks.push(
            "The chart shows the lowest and highest value of each interval; the data file has all values."
                .to_owned(),
        );
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(title: &str, log: bool) -> Axis {
        Axis { title: title.into(), log, domain: None }
    }

    fn panel(mark: Mark, (x, y): (Axis, Axis), points: Vec<Point>) -> Panel {
        let series = vec![Series { name: "rate".into(), published: false, points }];
        Panel { title: String::new(), x, y, mark, series }
    }

    /// A mean window of 2 ± 3 segments; an observable may be negative.
    #[test]
    fn intervals_of_what_is_never_negative_end_at_zero() {
        let point = Point { x: 1.0, y: 2.0, half_width: Some(3.0), label: None };
        for (title, low) in [("segments", 0.0), ("epsilon", -1.0)] {
            let axes = (axis("time (s)", false), axis(title, false));
            let panel = panel(Mark::Line, axes, vec![point.clone()]);
            assert_eq!(ends(&panel, &point), [low, 5.0]);
        }
    }

    fn point((x, y): (f64, f64)) -> Point {
        Point { x, y, half_width: None, label: None }
    }

    /// An interval that reaches below zero does not move what bars stand on; a logarithmic axis has no zero.
    #[test]
    fn bars_stand_on_zero() {
        for (log, half, low, base) in
            [(false, 1.0, 0.0, 0.0), (false, 5.0, -3.0, 0.0), (true, 1.5, 0.1, 0.1), (true, 5.0, 1.0, 1.0)]
        {
            let bar = Point { x: 0.0, y: 2.0, half_width: Some(half), label: Some("LIA".into()) };
            let spec =
                chart(&panel(Mark::Bar, (axis("", false), axis("Mbit/s", log)), vec![bar])).unwrap().spec;
            assert_eq!(spec["encoding"]["y"]["scale"]["domain"][0], low);
            assert_eq!(spec["layer"][0]["encoding"]["y2"]["datum"], base);
        }
    }

    /// The limits are whole steps before room is left for symbols, and nobody rounds them once more.
    #[test]
    fn room_for_symbols_does_not_move_the_limits() {
        for (log, values, domain) in [
            (false, [0.3, 11.2], [0.0, 12.0]),
            (true, [1.0, 1000.0], [1.0, 1000.0]),
            (true, [2.0, 70.0], [1.0, 100.0]),
        ] {
            let points = values.map(|x| point((x, x))).to_vec();
            let of = panel(Mark::Point, (axis("RTT (ms)", log), axis("rate", false)), points);
            let scale = &chart(&of).unwrap().spec["encoding"]["x"]["scale"];
            assert_eq!(scale["domain"], json!(domain));
            assert_eq!((&scale["padding"], &scale["nice"]), (&json!(MARGIN), &json!(false)));
            assert_eq!(VisibleData::of(&of, 100).unwrap().x_domain, (domain[0], domain[1]), "as in SVG");
        }
    }

    /// Only a long line whose values have more digits than its drawing is said to be rounded.
    #[test]
    fn rounded_values_are_said_to_be() {
        let says = |n: u32, each: f64| {
            let points = (0..n).map(|i| point((f64::from(i), f64::from(i) * each))).collect();
            let chart =
                chart(&panel(Mark::Line, (axis("time", false), axis("window", false)), points)).unwrap();
            chart.remarks.iter().any(|remark| remark.contains("rounded"))
        };
        assert!(says(100, 1.0 / 7.0));
        assert!(!says(100, 1.0));
        assert!(!says(10, 1.0 / 7.0));
    }
}
