//! The legend below a drawing.

use anabranch_study::Mark;
use maud::{Markup, html};

use super::{Look, Places, marks::symbol, text_width};
use crate::style::{SOLID, Style};

/// Entries in rows, as many in each as fit.
pub struct Legend<'a> {
    mark: Mark,
    style: &'a Style,
    lines: bool,
    font: f64,
    /// The series of each entry, its row and its place in it.
    entries: Vec<(usize, usize, f64)>,
    rows: usize,
}

impl<'a> Legend<'a> {
    /// Of every series; `lines` are shown where the mark has them.
    pub fn of(mark: Mark, style: &'a Style, lines: bool, look: &Look) -> Self {
        let font = look.font;
        let (mut entries, mut row, mut x) = (Vec::new(), 0, 0.0);
        for (i, name) in style.names.iter().enumerate() {
            let width = 2.4 * font + text_width(name, font) + 1.2 * font;
            if x > 0.0 && x + width > look.width - 5.0 * font {
                (row, x) = (row + 1, 0.0);
            }
            entries.push((i, row, x));
            x += width;
        }
        Legend { mark, style, lines, font, rows: if entries.is_empty() { 0 } else { row + 1 }, entries }
    }

    /// The height it takes.
    pub fn height(&self) -> f64 {
        (self.rows as f64 * 1.5 + 0.4) * self.font
    }

    /// Draws it from that place on.
    pub fn draw(&self, left: f64, top: f64) -> Markup {
        let Legend { style, font, .. } = self;
        html! {
            g.legend {
                @for &(i, row, x) in &self.entries {
                    @let (x, y) = (left + x, top + (row as f64 * 1.5 + 0.9) * font);
                    g stroke=(style.strokes[i]) fill=(style.fills[i]) stroke-width="1.6" { (self.sample(i, x, y)) }
                    text x=(Places(x + 2.4 * font)) y=(Places(y + 0.35 * font)) { (style.names[i]) }
                }
            }
        }
    }

    fn sample(&self, i: usize, x: f64, y: f64) -> Markup {
        let (style, font) = (self.style, self.font);
        html! {
            @if self.lines {
                path fill="none" d={ "M" (Places(x)) " " (Places(y)) "h" (Places(1.9 * font)) } stroke-dasharray=[dash(style.dashes[i])] {}
            } @else {
                @let shape = if matches!(self.mark, Mark::Bar | Mark::Box) { "square" } else { style.shapes[i] };
                path d=(symbol(shape, (x + font, y), 0.36 * font)) {}
            }
        }
    }
}

/// A line's dashes; none of a solid one.
pub fn dash([on, off]: [f64; 2]) -> Option<String> {
    ([on, off] != SOLID).then(|| format!("{} {}", Places(on), Places(off)))
}
