//! Axes of a chart.

use anabranch_study::Axis;
use serde_json::{Value, json};

use anabranch_study::format::power_of_ten;

/// Smallest and largest of the values; nothing where there are none.
pub fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |extent, v| match extent {
        None => Some((v, v)),
        Some((low, high)) => Some((f64::min(low, v), f64::max(high, v))),
    })
}

/// May a value be drawn on this axis?
pub fn drawable(axis: &Axis, value: f64) -> bool {
    value.is_finite() && (!axis.log || value > 0.0)
}

/// The paper's limits, where it gives them, and whatever more our values need.
pub fn domain(axis: &Axis, extent: (f64, f64), from_zero: bool) -> (f64, f64) {
    let (mut low, mut high) = extent;
    if from_zero && !axis.log {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    if let Some((a, b)) = axis.domain.filter(|&(a, b)| drawable(axis, a) && drawable(axis, b)) {
        return (low.min(a), high.max(b));
    }
    match (axis.log, low < high) {
        (true, _) => (decade(low, f64::floor), decade(high, f64::ceil).max(10.0 * decade(low, f64::floor))),
        (false, true) => (low, high),
        (false, false) => (low - 1.0, high + 1.0),
    }
}

/// Do our values leave the paper's limits?
pub fn exceeds(axis: &Axis, (low, high): (f64, f64)) -> bool {
    axis.domain.is_some_and(|(a, b)| low < a.min(b) || high > a.max(b))
}

/// A quantitative axis as Vega-Lite has it.
pub fn quantitative(field: &str, axis: &Axis, (low, high): (f64, f64)) -> Value {
    let mut guide = json!({});
    let (first, last) = (low.log10().ceil(), high.log10().floor());
    if axis.log && last - first >= 2.0 {
        let decades: Vec<i32> = (first as i32..=last as i32).collect();
        let labels: Vec<String> = decades.iter().map(|&e| format!("'{e}':'{}'", power_of_ten(e))).collect();
        guide = json!({
            "tickCount": decades.len(),
            "values": decades.iter().map(|&e| 10f64.powi(e)).collect::<Vec<_>>(),
            "labelExpr": format!("{{{}}}[round(log(datum.value)/LN10)]", labels.join(",")),
        });
    }
    json!({
        "field": field,
        "type": "quantitative",
        "title": axis.title,
        "scale": {
            "type": if axis.log { "log" } else { "linear" },
            "domain": [low, high],
            "nice": axis.domain.is_none(),
            "zero": false,
        },
        "axis": guide,
    })
}

fn decade(value: f64, round: impl Fn(f64) -> f64) -> f64 {
    10f64.powi(round(value.log10()) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(log: bool, domain: Option<(f64, f64)>) -> Axis {
        Axis { title: String::new(), log, domain }
    }

    #[test]
    fn the_papers_limits_hold_until_a_value_leaves_them() {
        let paper = axis(false, Some((0.0, 1400.0)));
        assert_eq!(domain(&paper, (30.0, 1290.0), false), (0.0, 1400.0));
        assert!(!exceeds(&paper, (30.0, 1290.0)));
        assert_eq!(domain(&paper, (30.0, 1500.0), false), (0.0, 1500.0));
        assert!(exceeds(&paper, (30.0, 1500.0)));
    }

    #[test]
    fn logarithmic_axes_run_over_whole_decades() {
        assert_eq!(domain(&axis(true, None), (3.0, 450.0), true), (1.0, 1000.0));
        assert_eq!(domain(&axis(true, None), (10.0, 10.0), false), (10.0, 100.0));
        assert_eq!(domain(&axis(true, Some((0.0, 10.0))), (3.0, 45.0), false), (1.0, 100.0));
        assert!(!drawable(&axis(true, None), 0.0));
    }

    #[test]
    fn degenerate_data_still_has_an_axis() {
        assert_eq!(domain(&axis(false, None), (5.0, 5.0), false), (4.0, 6.0));
        assert_eq!(domain(&axis(false, None), (5.0, 9.0), true), (0.0, 9.0));
    }
}
