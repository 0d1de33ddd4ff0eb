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

/// The lines of a text, each at most about so wide; nothing of an empty text. A word is broken if it is wider than a line.
pub fn wrap(text: &str, width: f64, font: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for mut word in text.split_whitespace() {
        let joined = lines.last().map(|line| format!("{line} {word}"));
        if let (Some(joined), Some(line)) = (joined, lines.last_mut())
            && text_width(&joined, font) <= width
        {
            *line = joined;
            continue;
        }
        while !word.is_empty() {
            let fit = fitting(word.chars(), width, font).max(1);
            let (part, rest) = word.split_at(word.char_indices().nth(fit).map_or(word.len(), |(at, _)| at));
            lines.push(part.to_owned());
            word = rest;
        }
    }
    lines
}

/// A text of at most about this width: of a wider one its beginning and its end.
pub fn shortened(text: &str, width: f64, font: f64) -> String {
    if text_width(text, font) <= width {
        return text.to_owned();
    }
    let half = (width - text_width("…", font)) / 2.0;
    let (first, last) = (fitting(text.chars(), half, font), fitting(text.chars().rev(), half, font));
    text.chars().take(first).chain(['…']).chain(text.chars().skip(text.chars().count() - last)).collect()
}

/// The number of characters that fit.
fn fitting(text: impl Iterator<Item = char>, width: f64, font: f64) -> usize {
    let mut sum = 0.0;
    let fits = |c: &char| {
        sum += character_width(*c) * font;
        sum <= width
    };
    text.take_while(fits).count()
}

/// About the width of a text of that size: SVG has no ruler.
pub fn text_width(text: &str, font: f64) -> f64 {
    text.chars().map(character_width).sum::<f64>() * font
}

/// As a multiple of the size: Chinese, Japanese and Korean characters are as wide as high.
fn character_width(c: char) -> f64 {
    if c < '\u{2e80}' { 0.56 } else { 1.0 }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Of text of 10 px, 5 Latin characters take 28 px, and 2 Chinese ones take 20.
    #[test]
    fn texts_fit() {
        for (text, lines) in [
            ("ab cd efg", &["ab cd", "efg"][..]),
            ("a abcdefghijkl m n", &["a", "abcde", "fghij", "kl m", "n"]),
            ("链路链路链 a", &["链路", "链路", "链 a"]),
            (" ", &[]),
        ] {
            assert_eq!(wrap(text, 28.1, 10.0), lines);
        }
        assert_eq!(wrap("ab", 0.0, 10.0), ["a", "b"]);
        let short = |text: &str| shortened(text, 28.1, 10.0);
        assert_eq!(["abcde", "abcdef", "链路/1234"].map(short), ["abcde", "ab…ef", "链…34"]);
        assert_eq!([0.0, 17.0].map(|width| shortened("abcdef", width, 10.0)), ["…", "a…f"]);
    }
}
