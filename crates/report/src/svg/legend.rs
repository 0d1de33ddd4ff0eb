//! The legend below a drawing.

use super::marks::{dash, symbol};
use super::size::{ChartSize, Places, text_width, wrap};
use crate::style::{CIRCLE, DOTTED, HOLLOW, SQUARE, SeriesStyle, THEORY, is_theory};
use anabranch_study::Mark;
use maud::{Markup, html};

/// Entries in rows, as many in each as fit.
pub struct Legend<'a> {
    mark: Mark,
    /// Are points drawn on the lines?
    marked: bool,
    font: f64,
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    /// Of that series, or of all that are theory.
    series: Option<&'a SeriesStyle>,
    /// In lines.
    name: Vec<String>,
    row: usize,
    x: f64,
}

impl<'a> Legend<'a> {
    /// Of every series, but one entry for all the theories of series that are there.
    pub fn of(mark: Mark, styles: &'a [SeriesStyle], marked: bool, size: &ChartSize) -> Self {
        let (font, styles) = (size.font, if size.legend { styles } else { &[] });
        let own = styles.iter().filter(|own| !is_theory(own, styles));
        let mut named: Vec<(Option<&SeriesStyle>, &str)> =
            own.map(|style| (Some(style), style.name.as_str())).collect();
        if named.len() < styles.len() {
            named.push((None, THEORY.trim_start()));
        }
        let (mut entries, mut row, mut x) = (Vec::new(), 0, 0.0);
        let room = size.width - 5.0 * font;
        for (series, name) in named {
            let name = wrap(name, room - 2.4 * font, font);
            let widest = name.iter().map(|line| text_width(line, font)).fold(0.0, f64::max);
            let width = 2.4 * font + widest + 1.2 * font;
            if x > 0.0 && x + width > room {
                (row, x) = (row + 1, 0.0);
            }
            // The next one is beside it, or below all of its lines.
            let next = if name.len() > 1 { (row + name.len(), 0.0) } else { (row, x + width) };
            entries.push(Entry { series, name, row, x });
            (row, x) = next;
        }
        Legend { mark, marked, font, entries }
    }

    /// The height it takes.
    pub fn height(&self) -> f64 {
        // Without entries the axis's title has its distance to the edge.
        let rows = self.entries.last().map_or(0, |entry| entry.row + entry.name.len().max(1));
        (rows as f64 * 1.5 + 0.4) * self.font
    }

    /// Draws it from that place on; with `tips`, entries have the numbers of their families.
    pub fn draw(&self, left: f64, top: f64, tips: bool) -> Markup {
        let font = self.font;
        html! {
            g.legend {
                @for entry in &self.entries {
                    @let (x, y) = (left + entry.x, top + (entry.row as f64 * 1.5 + 0.9) * font);
                    @match entry.series.filter(|_| tips) {
                        Some(style) => g data-series=(style.family) { (self.entry(entry, x, y)) },
                        None => (self.entry(entry, x, y)),
                    }
                }
            }
        }
    }

    fn entry(&self, entry: &Entry<'_>, x: f64, y: f64) -> Markup {
        let font = self.font;
        let (stroke, fill) =
            entry.series.map_or(("currentColor", HOLLOW), |style| (style.stroke, &style.fill));
        html! {
            g stroke=(stroke) fill=(fill) stroke-width="1.6" { (self.sample(entry, x, y)) }
            @for (i, line) in entry.name.iter().enumerate() {
                text x=(Places(x + 2.4 * font)) y=(Places(y + (1.5 * i as f64 + 0.35) * font)) { (line) }
            }
        }
    }

    fn sample(&self, entry: &Entry<'_>, x: f64, y: f64) -> Markup {
        let font = self.font;
        html! {
            @if self.mark == Mark::Line {
                @let dashes = entry.series.map_or(DOTTED, |style| style.dashes);
                path fill="none" d={ "M" (Places(x)) " " (Places(y)) "h" (Places(1.9 * font)) } stroke-dasharray=[dash(dashes)] {}
            }
            @if self.mark != Mark::Line || (self.marked && entry.series.is_some()) {
                @let own = entry.series.map_or(&CIRCLE, |style| style.shape);
                @let shape = if matches!(self.mark, Mark::Bar | Mark::Box) { &SQUARE } else { own };
                path d=(symbol(shape, (x + 0.95 * font, y), 0.36 * font)) {}
            }
        }
    }
}
