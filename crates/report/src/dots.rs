//! A dot plot: one row for each algorithm, in one or more columns of values with their intervals.

use crate::scales::step;
use anabranch_study::Estimate;
use anabranch_study::format::{self, number};
use maud::{Markup, html};

/// Sizes in the drawing's own units, about CSS pixels.
const ROW: f64 = 17.0;
const NAMES: f64 = 118.0;
const COLUMN: f64 = 150.0;
const DIGITS: f64 = 44.0;
const GAP: f64 = 26.0;
const HEAD: f64 = 22.0;
const FOOT: f64 = 20.0;

/// A row's name, and its page.
pub struct Name<'a> {
    pub text: &'a str,
    pub href: String,
}

/// A column of values, one for each row.
pub struct Column<'a> {
    /// Its heading, with the unit.
    pub title: String,
    /// The values, and whether each is a lower bound; `None` if missing.
    pub dots: Vec<Option<(&'a Estimate, bool)>>,
    /// A value to see others by.
    pub mark: Option<f64>,
    /// The range that the axis covers at least.
    pub covers: (f64, f64),
}

/// Draws it; `label` says what it shows.
pub fn plot(label: &str, names: &[Name], columns: &[Column]) -> Markup {
    let width = NAMES + columns.len() as f64 * (COLUMN + DIGITS + GAP) - GAP;
    let bottom = HEAD + names.len() as f64 * ROW;
    let height = bottom + FOOT;
    let middle = |row: usize| HEAD + (row as f64 + 0.5) * ROW;
    html! {
        svg.dots viewBox={ "0 0 " (width) " " (height) } role="group" aria-label=(label) {
            @for (row, name) in names.iter().enumerate() {
                a href=(name.href) { text x="4" y=(middle(row) + 3.8) { (name.text) } }
            }
            @for (i, column) in columns.iter().enumerate() {
                g transform={ "translate(" (NAMES + i as f64 * (COLUMN + DIGITS + GAP)) " 0)" } {
                    (draw(column, names, bottom, middle))
                }
            }
        }
    }
}

fn draw(column: &Column, names: &[Name], bottom: f64, middle: impl Fn(usize) -> f64) -> Markup {
    let scale = Scale::of(column);
    html! {
        text.title x="0" y="12" { (column.title) }
        @for tick in scale.ticks() {
            line.grid x1=(scale.place(tick)) x2=(scale.place(tick)) y1=(HEAD) y2=(bottom) {}
            text.tick x=(scale.place(tick)) y=(bottom + 13.0) { (number(tick)) }
        }
        @if let Some(mark) = column.mark {
            line.mark x1=(scale.place(mark)) x2=(scale.place(mark)) y1=(HEAD) y2=(bottom) {}
        }
        @for (row, (dot, name)) in column.dots.iter().zip(names).enumerate() {
            @let y = middle(row);
            @match *dot {
                Some((value, at_least)) => g {
                    title { (name.text) ": " (text(value, at_least)) }
                    @if let Some(half) = value.half_width {
                        line.interval x1=(scale.place(value.mean - half)) x2=(scale.place(value.mean + half)) y1=(y) y2=(y) {}
                    }
                    @if at_least {
                        path.dot d={ "M" (scale.place(value.mean)) " " (y - 4.0) "l6 4l-6 4z" } {}
                    } @else {
                        circle.dot cx=(scale.place(value.mean)) cy=(y) r="3.4" {}
                    }
                    text.value x=(COLUMN + DIGITS - 4.0) y=(y + 3.6) { (short(value.mean, at_least)) }
                },
                None => text.value x=(COLUMN + DIGITS - 4.0) y=(y + 3.6) { "–" },
            }
        }
    }
}

/// The value with its interval, in words.
pub fn text(value: &Estimate, at_least: bool) -> String {
    let value = format::brief(value);
    if at_least { format!("at least {value}") } else { value }
}

/// The value alone, to three digits.
pub fn short(mean: f64, at_least: bool) -> String {
    format!("{}{mean:.*}", if at_least { "≥ " } else { "" }, decimals(mean))
}

/// The decimals of a value of three digits.
pub fn decimals(mean: f64) -> usize {
    format::decimals(format::significant(mean, 3), 3).min(2)
}

/// A linear axis.
struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    /// Whole steps around everything the column shows.
    fn of(column: &Column) -> Self {
        let ends = column.dots.iter().flatten().flat_map(|(value, _)| {
            let half = value.half_width.unwrap_or(0.0);
            [value.mean - half, value.mean + half]
        });
        let ends = ends.filter(|v| v.is_finite());
        let (low, high) = ends.fold(column.covers, |(low, high), v| (low.min(v), high.max(v)));
        // No value here can be negative: what reaches below zero is the end of an interval.
        let low = if column.covers.0 >= 0.0 { low.max(0.0) } else { low };
        let step = step((high - low) / 4.0);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let n = ((self.high - self.low) / self.step).round() as usize;
        let (low, step) = (self.low, self.step);
        (0..=n).map(move |i| low + i as f64 * step)
    }

    /// Horizontal place of a value, with a margin for dots at the ends.
    fn place(&self, value: f64) -> String {
        let share = (value - self.low) / (self.high - self.low);
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        format!("{:.1}", 5.0 + share * (COLUMN - 10.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column<'a>(values: &'a [Estimate], covers: (f64, f64)) -> Column<'a> {
        let dots = values.iter().map(|value| Some((value, false))).collect();
        Column { title: String::new(), dots, mark: None, covers }
    }

    fn value(mean: f64, half_width: Option<f64>) -> Estimate {
        Estimate { mean, half_width, values: vec![] }
    }

    #[test]
    fn axes_end_at_whole_steps_around_every_interval() {
        let values = [value(0.4, Some(0.5)), value(2.3, None)];
        let scale = Scale::of(&column(&values, (0.0, 2.0)));
        assert_eq!((scale.low, scale.high, scale.step), (0.0, 3.0, 1.0));
        assert_eq!(scale.ticks().collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(
            (scale.place(0.0), scale.place(3.0), scale.place(-9.0)),
            ("5.0".into(), "145.0".into(), "5.0".into())
        );
        let scale = Scale::of(&column(&[value(97.2, None)], (90.0, 100.0)));
        assert_eq!((scale.low, scale.high), (90.0, 100.0));
    }

    #[test]
    fn odd_values_are_drawn() {
        let values = [value(f64::NAN, Some(f64::INFINITY)), value(0.0, None)];
        let names = [(); 2].map(|()| Name { text: "<x>", href: "x.html".into() });
        let drawn = plot("odd", &names, &[column(&values, (0.0, 0.0))]).into_string();
        assert!(!drawn.contains("NaN\" ") && drawn.contains("&lt;x&gt;"), "{drawn}");
    }
}
