//! Box plots: quartiles, whiskers, and every value as a dot.

use anabranch_study::{Point, Series, quantile};

/// How boxes are made; belongs to each drawing's remarks.
pub const RULE: &str = "Box: median and quartiles, interpolated between neighbouring values. Whiskers: the outermost values within 1.5 box heights of the box. Dots: all values.";

/// The meaning of each of [`five_numbers`].
pub const NAMES: [&str; 5] = ["lower whisker", "lower quartile", "median", "upper quartile", "upper whisker"];

/// The box of at least one value: quartiles as [`quantile`], the default of R; whiskers as Tukey's (Exploratory Data Analysis, 1977).
pub fn five_numbers(values: &[f64]) -> Option<[f64; 5]> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let [low, median, high] = [0.25, 0.5, 0.75].map(|p| quantile(&sorted, p));
    let reach = 1.5 * (high - low);
    // A quartile may lie between values of which the outer one is out of reach: the whisker then ends at the box.
    let bottom = sorted.iter().copied().find(|v| *v >= low - reach).unwrap_or(first).min(low);
    let top = sorted.iter().copied().rfind(|v| *v <= high + reach).unwrap_or(last).max(high);
    Some([bottom, low, median, high, top])
}

/// The boxes of a series: labels in their order, the values of each.
pub fn groups(series: &Series) -> Vec<(&str, Vec<f64>)> {
    let mut groups: Vec<(&str, Vec<f64>)> = Vec::new();
    for Point { label, y, .. } in &series.points {
        let label = label.as_deref().unwrap_or("");
        match groups.iter_mut().find(|(known, _)| *known == label) {
            Some((_, values)) => values.push(*y),
            None => groups.push((label, vec![*y])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quartiles of 1, 2, 3, 4, 10 are the values at places 1, 2 and 3 from the first, (n − 1)p;
    /// 10 is beyond 4 + 1.5 · 2 = 7.
    #[test]
    fn five_numbers_by_hand() {
        assert_eq!(five_numbers(&[10.0, 2.0, 1.0, 4.0, 3.0]), Some([1.0, 2.0, 3.0, 4.0, 4.0]));
        // n = 4: places 0.75, 1.5 and 2.25 from the first.
        assert_eq!(five_numbers(&[1.0, 2.0, 3.0, 4.0]), Some([1.0, 1.75, 2.5, 3.25, 4.0]));
        assert_eq!(five_numbers(&[5.0]), Some([5.0; 5]));
        assert_eq!(five_numbers(&[]), None);
    }

    /// The median of many equal values has no reach: what differs is beyond the whiskers, which end at the box.
    #[test]
    fn whiskers_never_end_inside_the_box() {
        assert_eq!(five_numbers(&[0.0, 1.0, 1.0, 1.0, 1.0, 9.0]), Some([1.0; 5]));
        assert_eq!(five_numbers(&[0.0, 0.0, 0.0, 100.0]), Some([0.0, 0.0, 0.0, 25.0, 25.0]));
    }
}
