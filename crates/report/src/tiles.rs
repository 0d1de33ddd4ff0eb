//! Tiles: a value for each series and label, as a colour.

use crate::scales::drawable;
use anabranch_study::format::significant;
use anabranch_study::{Panel, Point, Series};
use serde_json::{Value, json};

/// Colours of the worst value, the neutral one and the best: distinct for colour-blind readers, and the neutral one from the paper
/// and the dark page.
pub const COLOURS: [&str; 3] = ["#b2182b", "#f3f0e8", "#2166ac"];

/// Tiles across up to which each shows its number.
pub const FEW_LABELS: usize = 20;

/// The Vega-Lite specification; nothing where there is no value.
pub fn spec(panel: &Panel, description: &str) -> Option<Value> {
    let (worst, best) = panel.y.domain.unwrap_or((0.1, 10.0));
    let neutral = (worst * best).sqrt();
    let points = panel.series.iter().flat_map(|s| s.points.iter().map(move |p| (s, p)));
    let tile = |(series, point): (&Series, &Point)| {
        let label = point.label.as_deref().unwrap_or("");
        json!({ "series": series.name, "label": label, "y": significant(point.y, 4) })
    };
    let data: Vec<Value> = points.filter(|(_, p)| drawable(&panel.y, p.y)).map(tile).collect();
    if data.is_empty() {
        return None;
    }
    let labels = panel.series.iter().map(|s| s.points.len()).max().unwrap_or(0);
    let names: Vec<&str> = panel.series.iter().map(|s| s.name.as_str()).collect();
    // Far from neutral the tile is dark.
    let dark = format!("abs(log(datum.y / {neutral})) > {}", (best / neutral).ln().abs() / 2.0);
    let tooltip = format!(
        "{{series: datum.series, place: datum.label, {}: format(datum.y, '.4~g')}}",
        json!(panel.y.title)
    );
    let tiles = json!({
        "mark": { "type": "rect", "stroke": "currentColor", "strokeOpacity": 0.15, "tooltip": { "expr": tooltip } },
        "encoding": {
            "fill": {
                "field": "y",
                "type": "quantitative",
                "title": panel.y.title,
                "scale": { "type": "log", "domain": [worst, neutral, best], "range": COLOURS, "interpolate": "rgb", "clamp": true },
                "legend": {
                    "orient": "bottom",
                    "direction": "horizontal",
                    "gradientLength": 240,
                    "titleLimit": 0,
                    "values": [significant(worst, 3), significant(neutral, 3), significant(best, 3)],
                },
            },
        },
    });
    let numbers = json!({
        "mark": { "type": "text", "fontSize": 9.5, "tooltip": null },
        "encoding": {
            "text": { "field": "y", "type": "quantitative", "format": ".2f" },
            "fill": { "condition": { "test": dark, "value": "white" }, "value": "#222" },
        },
    });
    Some(json!({
        "description": description,
        "width": "container",
        "height": { "step": 22 },
        "autosize": { "type": "fit-x", "contains": "padding" },
        "data": { "values": data },
        "encoding": {
            "x": {
                "field": "label",
                "type": "nominal",
                "title": null,
                "sort": null,
                "axis": { "labelAngle": -60, "labelLimit": 260, "labelOverlap": labels > FEW_LABELS },
            },
            "y": { "field": "series", "type": "nominal", "title": null, "sort": names, "axis": { "labelLimit": 200 } },
        },
        "layer": if labels <= FEW_LABELS { vec![tiles, numbers] } else { vec![tiles] },
    }))
}

/// The meaning of the colours.
pub fn remark(panel: &Panel) -> Option<String> {
    let (worst, best) = panel.y.domain?;
    let side = if worst < best { "Below" } else { "Above" };
    let neutral = (worst * best).sqrt();
    Some(format!(
        "{side} {} red, beyond it blue; colours saturate at {} and {}.",
        significant(neutral, 3),
        significant(worst, 3),
        significant(best, 3)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_study::{Axis, Mark};

    fn panel(domain: (f64, f64), values: &[f64]) -> Panel {
        let axis = |domain| Axis { title: "ratio".into(), log: true, domain };
        let point = |y: &f64| Point { x: 0.0, y: *y, half_width: None, label: Some(format!("{y}")) };
        let points = values.iter().map(point).collect();
        let series = vec![Series { name: "LIA".into(), published: false, points }];
        Panel { title: String::new(), x: axis(None), y: axis(Some(domain)), mark: Mark::Tile, series }
    }

    /// Neutral between 0.25 and 4 is 1, whichever is worse.
    #[test]
    fn the_colour_turns_at_the_geometric_mean() {
        for (domain, says) in [((0.25, 4.0), "Below 1 "), ((4.0, 0.25), "Above 1 ")] {
            let panel = panel(domain, &[0.5, 2.0]);
            let spec = spec(&panel, "").unwrap();
            let scale = &spec["layer"][0]["encoding"]["fill"]["scale"]["domain"];
            assert_eq!(*scale, json!([domain.0, 1.0, domain.1]));
            assert!(remark(&panel).unwrap().starts_with(says));
        }
    }

    #[test]
    fn what_has_no_logarithm_has_no_tile() {
        let drawn = spec(&panel((0.25, 4.0), &[0.0, f64::NAN, 3.0]), "").unwrap();
        assert_eq!(drawn["data"]["values"].as_array().unwrap().len(), 1);
        assert_eq!(spec(&panel((0.25, 4.0), &[0.0]), ""), None);
    }
}
