//! A row's measured value over the published one, drawn on a small logarithmic scale.

use anabranch_study::format::number;
use anabranch_study::{Estimate, Row};
use maud::{Markup, html};

/// Drawing size in CSS pixels; the scale runs from a half to twice the published value.
const WIDTH: f64 = 96.0;
const HEIGHT: f64 = 14.0;

/// Our value divided by the published one.
#[derive(Debug, PartialEq)]
pub struct Ratio {
    mean: f64,
    /// Ends of the 95 % interval.
    interval: Option<(f64, f64)>,
}

impl Ratio {
    /// The ratio, where both values are there and the published one is not zero.
    pub fn of(row: &Row) -> Option<Self> {
        let published = row.published.value()?;
        let Estimate { mean, half_width, .. } = row.measured.as_ref()?;
        let ratio = mean / published;
        let interval = half_width.map(|h| {
            let half = (h / published).abs();
            (ratio - half, ratio + half)
        });
        ratio.is_finite().then_some(Self { mean: ratio, interval })
    }

    /// The ratio in digits.
    pub fn text(&self) -> String {
        match self.mean.abs() {
            0.005..10.0 => format!("{:.2}", self.mean),
            _ => number(self.mean),
        }
    }

    /// The ratio and its interval against the line at 1. A value off the scale is an arrow at its end.
    pub fn drawing(&self) -> Markup {
        let middle = HEIGHT / 2.0;
        let x = place(self.mean);
        let mut label = self.text();
        if let Some((low, high)) = self.interval {
            label += &format!(", 95 % interval {} to {}", number(low), number(high));
        }
        let arrow = match self.mean {
            mean if mean > 2.0 => Some(format!("M{:.1} 2 l6 5 l-6 5z", WIDTH - 7.0)),
            mean if mean < 0.5 => Some("M7 2 l-6 5 l6 5z".to_owned()),
            _ => None,
        };
        html! {
            svg.ratio viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img" aria-label=(label) {
                title { (label) }
                line.axis x1="1" x2=(WIDTH - 1.0) y1=(middle) y2=(middle) {}
                line.one x1=(WIDTH / 2.0) x2=(WIDTH / 2.0) y1="0" y2=(HEIGHT) {}
                @if let Some((low, high)) = self.interval {
                    line.interval x1=(fixed(place(low))) x2=(fixed(place(high))) y1=(middle) y2=(middle) {}
                }
                @match arrow {
                    Some(path) => path.dot d=(path) {},
                    None => circle.dot cx=(fixed(x)) cy=(middle) r="3.2" {},
                }
            }
        }
    }
}

/// Horizontal place of a ratio, held inside the drawing.
fn place(ratio: f64) -> f64 {
    let octaves = ratio.max(f64::MIN_POSITIVE).log2().clamp(-1.0, 1.0);
    4.0 + (octaves + 1.0) / 2.0 * (WIDTH - 8.0)
}

fn fixed(x: f64) -> String {
    format!("{x:.1}")
}

#[cfg(test)]
mod tests {
    use anabranch_study::{Published, Verdict};

    use super::*;

    fn row(published: f64, mean: f64, half_width: Option<f64>) -> Row {
        Row {
            published: Published::Value(published),
            measured: Some(Estimate { mean, half_width, values: vec![] }),
            verdict: Verdict::Partly,
            ..Row::default()
        }
    }

    #[test]
    fn ratio_and_interval_are_scaled_by_the_published_value() {
        let ratio = Ratio::of(&row(200.0, 180.0, Some(20.0))).unwrap();
        assert_eq!(ratio, Ratio { mean: 0.9, interval: Some((0.8, 1.0)) });
        assert_eq!(ratio.text(), "0.90");
        assert_eq!(Ratio::of(&row(0.0, 180.0, None)), None);
        assert_eq!(Ratio::of(&row(1.0, f64::NAN, None)), None);
    }

    #[test]
    fn the_scale_is_logarithmic_and_bounded() {
        assert_eq!(place(1.0), WIDTH / 2.0);
        assert!((place(2.0) + place(0.5) - WIDTH).abs() < 1e-9);
        assert_eq!(place(1e9), place(2.0));
        assert_eq!(place(-3.0), place(0.5));
    }
}
