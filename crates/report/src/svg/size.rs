//! The sizes of a chart, its text and its symbols, and how places in it are written.

use crate::chart::VisibleData;
use anabranch_study::{Mark, Panel};
use maud::Markup;

/// Sizes, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartSize {
    /// The width of all.
    pub width: f64,
    /// The height of what the axes enclose.
    pub plot_height: f64,
    /// The size of text.
    pub font: f64,
    /// Is the panel's title in the drawing?
    pub titled: bool,
    /// Is there a legend?
    pub legend: bool,
}

impl ChartSize {
    /// For a panel of the report, which has the title above the drawing.
    pub const REPORT: ChartSize =
        ChartSize { width: 560.0, plot_height: 250.0, font: 11.0, titled: false, legend: true };
    /// The same for a small one, of several beside each other.
    pub const FACET: ChartSize = ChartSize { width: 300.0, plot_height: 200.0, ..ChartSize::REPORT };
}

/// Radius of points, in pixels.
pub const RADIUS: f64 = 3.7;
/// The distance of series at one place, and the most for all together, in pixels.
const APART: f64 = 3.0;
const MOST_APART: f64 = 15.0;

/// A panel's drawing without the element around it.
pub struct Drawing {
    pub content: Markup,
    pub height: f64,
}

/// A coordinate, to a tenth of a pixel.
pub struct Places(pub f64);

impl std::fmt::Display for Places {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Rounded, so that whole numbers have no decimals; adding 0 makes −0 a 0.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

/// The lines of a text, each at most about so wide, but no word is broken; nothing of an empty text.
pub fn wrap(text: &str, width: f64, font: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(line, font) + text_width(word, font) + 0.56 * font <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// About the width of a text of that size: SVG has no ruler.
pub fn text_width(text: &str, font: f64) -> f64 {
    text.chars().count() as f64 * font * 0.56
}

/// The most room that the symbols of a panel take on either side of their places, in pixels.
pub fn overhang(panel: &Panel, drawn: &VisibleData) -> f64 {
    let n = panel.series.len();
    let aside = if n > 1 { dodge(n - 1, n) } else { 0.0 };
    if drawn.few || panel.mark == Mark::Point { RADIUS + 1.0 + aside } else { 0.0 }
}

/// How far the points of a series with intervals are moved aside, in pixels, so that those of several series at one place stay apart.
pub fn dodge(i: usize, n: usize) -> f64 {
    (i as f64 - (n - 1) as f64 / 2.0) * APART.min(MOST_APART / n as f64)
}
