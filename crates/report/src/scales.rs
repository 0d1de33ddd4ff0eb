//! Axes of a chart.

use anabranch_study::Axis;
use anabranch_study::format::{exact, power_of_ten, scientific, scientific_range, significant};

/// Smallest and largest of the values; `None` without values.
pub fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().map(|v| (v, v)).reduce(|(low, high), (v, _)| (low.min(v), high.max(v)))
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
        // Most quantities are never negative.
        (false, false) if low == 0.0 => (0.0, 1.0),
        (false, false) => (low - 1.0, high + 1.0),
    }
}

/// Do our values leave the paper's limits?
pub fn exceeds(axis: &Axis, (low, high): (f64, f64)) -> bool {
    axis.domain.is_some_and(|(a, b)| low < a.min(b) || high > a.max(b))
}

/// About as many whole steps as an axis has between limits that are moved outwards to them.
pub const STEPS: f64 = 6.0;

/// The 1, 2 or 5 times a power of ten that is `about` or the next larger.
pub fn step(about: f64) -> f64 {
    if !about.is_finite() || about <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(about.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|m| m * power).find(|s| *s >= about * 0.999).unwrap_or(10.0 * power)
}

/// Limits moved outwards to whole steps, of which `about` fit between them; a logarithmic axis stays.
pub fn nice(axis: &Axis, (low, high): (f64, f64), about: f64) -> (f64, f64) {
    if axis.log || axis.domain.is_some() {
        return (low, high);
    }
    let step = step((high - low) / about);
    // Values that lie on a step except for rounding stay there.
    let outwards = |v: f64, round: fn(f64) -> f64, slack: f64| round(v / step + slack) * step;
    (outwards(low, f64::floor, 1e-9).min(low), outwards(high, f64::ceil, -1e-9).max(high))
}

/// The values to be marked on an axis, about this number of them, with their labels.
pub fn ticks(axis: &Axis, (low, high): (f64, f64), about: f64) -> Vec<(f64, String)> {
    if axis.log {
        let (first, last) = (low.log10().ceil() as i32, high.log10().floor() as i32);
        let decades: Vec<i32> = (first..=last).collect();
        if decades.len() > 2 {
            let stride = (decades.len() as f64 / about.max(1.0)).ceil() as usize;
            let marked = decades.iter().step_by(stride.max(1));
            return marked.map(|&e| (10f64.powi(e), power_of_ten(e))).collect();
        }
        let fine = (first - 1..=last).flat_map(|e| [1, 2, 5].map(|m| f64::from(m) * 10f64.powi(e)));
        let fine: Vec<f64> = fine.filter(|v| (low..=high).contains(v)).collect();
        if fine.len() > 1 {
            return labelled(fine.into_iter().map(|v| significant(v, 1)).collect());
        }
    }
    let step = step((high - low) / about);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    let decimals = (-(step.log10() + 1e-9).floor()).clamp(0.0, 15.0) as usize;
    let rounded = |v: f64| format!("{v:.decimals$}").parse::<f64>().map_or(v, |v| v + 0.0);
    labelled((first..=last).map(|i| rounded(i as f64 * step)).collect())
}

/// Ticks with digits for labels, or all with powers of ten.
fn labelled(values: Vec<f64>) -> Vec<(f64, String)> {
    let label = if values.iter().any(|v| scientific_range(*v)) { scientific } else { exact };
    values.into_iter().map(|v| (v, label(v))).collect()
}

/// Ticks of a logarithmic axis between powers of ten, without labels; nothing of a linear axis, or beyond six decades.
pub fn minor_ticks(axis: &Axis, (low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = (low.log10().floor(), high.log10().ceil());
    if !axis.log || last - first > 6.0 {
        return Vec::new();
    }
    let decades = first as i32..last as i32;
    let between = decades.flat_map(|e| (2..10).map(move |m| f64::from(m) * 10f64.powi(e)));
    between.filter(|v| (low..=high).contains(v)).collect()
}

/// The data's own values as ticks, if they are two to nine, and on a linear axis short.
pub fn own_ticks(axis: &Axis, values: impl Iterator<Item = f64>) -> Option<Vec<(f64, String)>> {
    let mut own: Vec<f64> = values.filter(|v| drawable(axis, *v)).collect();
    own.sort_by(f64::total_cmp);
    own.dedup();
    let wide = axis.log && own.last()? / own.first()? > 999.0;
    let label = |v: f64| {
        let power = v.log10().round() as i32;
        if wide && (v / 10f64.powi(power) - 1.0).abs() < 1e-9 {
            power_of_ten(power)
        } else {
            exact(significant(v, 3))
        }
    };
    let short = |v: &f64| (v - significant(*v, 3)).abs() <= 1e-9 * v.abs();
    let fit = (2..=9).contains(&own.len()) && (axis.log || own.iter().all(short));
    fit.then(|| own.iter().map(|&v| (v, label(v))).collect())
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

    /// Also where all values are the same; logarithmic ones run over whole decades.
    #[test]
    fn axes_without_limits_hold_the_values() {
        assert_eq!(domain(&axis(false, None), (5.0, 5.0), false), (4.0, 6.0));
        assert_eq!(domain(&axis(false, None), (5.0, 9.0), true), (0.0, 9.0));
        assert_eq!(domain(&axis(false, None), (0.0, 0.0), false), (0.0, 1.0), "a queue that stays empty");
        assert_eq!(domain(&axis(true, None), (3.0, 450.0), true), (1.0, 1000.0));
        assert_eq!(domain(&axis(true, None), (10.0, 10.0), false), (10.0, 100.0));
        assert_eq!(domain(&axis(true, Some((0.0, 10.0))), (3.0, 45.0), false), (1.0, 100.0));
        assert!(!drawable(&axis(true, None), 0.0));
    }

    #[test]
    fn ticks_are_whole_steps_with_the_digits_that_they_need() {
        let labels = |axis: &Axis, limits, about| {
            ticks(axis, limits, about).into_iter().map(|(_, label)| label).collect::<Vec<_>>()
        };
        let linear = axis(false, None);
        assert_eq!(labels(&linear, (0.0, 1.0), 5.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(&linear, (-1.0, 1.0), 4.0), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(
            labels(&linear, (100_000.0, 100_010.0), 2.0),
            ["100\u{202f}000", "100\u{202f}005", "100\u{202f}010"]
        );
        assert_eq!(labels(&linear, (0.0, 1e7), 2.0), ["0", "5 × 10⁶", "10⁷"]);
        assert_eq!(nice(&linear, (0.3, 0.93), 3.0), (0.0, 1.0));
        assert_eq!(nice(&axis(false, Some((0.0, 7.0))), (0.0, 7.0), 3.0), (0.0, 7.0));
        let almost = (3.0 - 1e-10, 6.0 + 1e-10);
        let (low, high) = nice(&linear, almost, 3.0);
        assert!(low <= almost.0 && high >= almost.1, "every value is within: {low} {high}");
        let log = axis(true, None);
        assert_eq!(labels(&log, (1.0, 1000.0), 5.0), ["10⁰", "10¹", "10²", "10³"]);
        assert_eq!(labels(&log, (1e-8, 1.0), 5.0), ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]);
        assert_eq!(labels(&log, (0.5, 20.0), 5.0), ["0.5", "1", "2", "5", "10", "20"]);
    }

    #[test]
    fn axes_mark_what_is_between_decades_and_the_data() {
        let log = axis(true, None);
        assert_eq!(minor_ticks(&log, (1.0, 10.0)), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(minor_ticks(&axis(false, None), (1.0, 10.0)), [0.0; 0]);
        let labels = |values: &[f64]| -> Option<Vec<String>> {
            own_ticks(&log, values.iter().copied())
                .map(|own| own.into_iter().map(|(_, label)| label).collect())
        };
        assert_eq!(labels(&[0.5, 2.0, 0.5, 1.0]).unwrap(), ["0.5", "1", "2"]);
        assert_eq!(labels(&[1e-5, 1e-2, 3e-4]).unwrap(), ["10⁻⁵", "3 × 10⁻⁴", "10⁻²"]);
        assert_eq!((labels(&[1.0]), labels(&[])), (None, None));
        let linear = |values: &[f64]| own_ticks(&axis(false, None), values.iter().copied());
        let own = linear(&[0.0, 0.25, 1.0, 4.0]).unwrap();
        assert_eq!(own.iter().map(|(_, label)| &**label).collect::<Vec<_>>(), ["0", "0.25", "1", "4"]);
        assert_eq!(linear(&[1.0, 2.3456]), None, "a label would round it");
    }
}
