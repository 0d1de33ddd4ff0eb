//! A panel as a drawing in SVG, for pages, for print and for files.
//!
//! Everything is drawn in `currentColor` but the series, so that a drawing in a page follows its light and dark scheme; a
//! [`document()`] has black on white.

use crate::chart::{VisibleData, describe};
use crate::scales::{STEPS, nice};
use crate::{style::styles, visible::visible};
use anabranch_study::{Mark, Panel};
use frame::Frame;
use maud::{Markup, html};
use size::{Drawing, Places, wrap};

mod boxes;
mod frame;
mod legend;
mod marks;
mod size;
pub(crate) mod tiles;
mod tips;

pub(crate) use frame::{ASLANT_MOST, stride};
pub use size::ChartSize;
pub(crate) use size::{shortened, text_width};

/// Fonts for text, with fallbacks.
const FONTS: &str = "system-ui, 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// The panel for a page; nothing where it has no point that could be drawn. A browser shows the values of a mark beside the pointer. Where
/// the pointer is on an entry of the legend, the page's style lets the other series fade. A line has at most this number of points.
pub fn inline(panel: &Panel, size: &ChartSize, most: usize) -> Option<Markup> {
    let panel = &*visible(panel);
    let Drawing { content, height } = draw(panel, size, most, true)?;
    Some(html! {
        svg viewBox={ "0 0 " (Places(size.width)) " " (Places(height)) } width=(Places(size.width)) role="img"
            aria-label=(describe(panel)) style={ "min-width:" (Places(0.85 * size.width)) "px" } { (content) }
    })
}

/// Panels in a file of its own below a title, beside each other in this number of columns; `None` if no panel has a point to draw.
///
/// `size` is of each panel.
pub fn document(title: &str, panels: &[Panel], columns: usize, size: &ChartSize) -> Option<String> {
    let gap = size.font;
    let panels: Vec<_> = panels.iter().map(visible).collect();
    let drawings: Vec<(&Panel, Drawing)> =
        panels.iter().map(|p| &**p).filter_map(|p| Some((p, draw(p, size, most(size), false)?))).collect();
    let rows: Vec<&[(&Panel, Drawing)]> = drawings.chunks(columns.max(1)).collect();
    let across = rows.iter().map(|row| row.len()).max()?;
    let width = across as f64 * (size.width + gap) - gap;
    let high = |row: &[(&Panel, Drawing)]| row.iter().map(|(_, d)| d.height).fold(0.0, f64::max);
    let title = heading(title, width, size.font);
    let height = title.height + rows.iter().map(|row| high(row) + gap).sum::<f64>() - gap;
    let descriptions = drawings.iter().map(|(p, _)| format!("{}: {}", p.title, describe(p)));
    let label = descriptions.collect::<Vec<_>>().join(" ");
    let mut top = title.height;
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (Places(width)) " " (Places(height)) }
            width=(Places(width)) height=(Places(height)) role="img" aria-label=(label)
            font-family=(FONTS) font-size=(Places(size.font)) fill="currentColor" color="#1b1f24" {
            rect width="100%" height="100%" fill="#ffffff" {}
            (title.content)
            @for row in rows {
                @for (column, (_, drawing)) in row.iter().enumerate() {
                    g transform={ "translate(" (Places(column as f64 * (size.width + gap))) " " (Places(top)) ")" } { (drawing.content) }
                }
                @let () = top += high(row) + gap;
            }
        }
    };
    Some(svg.into_string() + "\n")
}

/// The height of a document's title in these dimensions, in CSS pixels.
pub fn title_height(title: &str, width: f64, font: f64) -> f64 {
    heading(title, width, font).height
}

/// The title above all panels, in as many lines as it needs.
fn heading(title: &str, width: f64, font: f64) -> Drawing {
    let size = 1.1 * font;
    let lines = wrap(title, width - 2.0 * font, size);
    let height = if lines.is_empty() { 0.0 } else { (lines.len() as f64 * 1.25 + 0.6) * size };
    let content = html! {
        @for (i, line) in lines.iter().enumerate() {
            text x=(Places(width / 2.0)) y=(Places((i as f64 * 1.25 + 1.1) * size)) text-anchor="middle"
                font-size=(Places(size)) font-weight="bold" { (line) }
        }
    };
    Drawing { content, height }
}

/// The height that a panel takes beside what the axes enclose; `None` as for [`inline()`].
pub fn margin(panel: &Panel, size: &ChartSize) -> Option<f64> {
    draw(&visible(panel), size, most(size), false).map(|drawing| drawing.height - size.plot_height)
}

/// The limits of the vertical axis; nothing where no point could be drawn.
pub fn y_limits(panel: &Panel) -> Option<(f64, f64)> {
    let drawn = VisibleData::of(panel, most(&ChartSize::REPORT))?;
    Some(nice(&panel.y, drawn.y_domain, STEPS))
}

/// Points of a line beyond which a drawing of this width cannot separate them: a lowest and a highest for every two pixels.
pub(crate) fn most(size: &ChartSize) -> usize {
    (size.width as usize).max(200)
}

/// The same in a page of the report, which is not compressed: a lowest and a highest for every nine pixels.
pub(crate) fn most_in_page(size: &ChartSize) -> usize {
    most(size) * 2 / 9
}

/// With tooltips, and the series by numbers in their families, if `tips`.
fn draw(panel: &Panel, size: &ChartSize, most: usize, tips: bool) -> Option<Drawing> {
    if panel.mark == Mark::Tile {
        return tiles::draw(panel, size, tips);
    }
    let drawn = VisibleData::of(panel, most)?;
    let styles = styles(&panel.series);
    let legend = legend::Legend::of(panel.mark, &styles, drawn.few, size);
    let frame = Frame::of(panel, &drawn, size, legend.height(), tips);
    let content = html! {
        (frame.axes())
        @match panel.mark {
            Mark::Bar => (marks::bars(panel, &drawn, &styles, &frame)),
            Mark::Box => (boxes::draw(panel, &styles, &frame)),
            _ => (marks::series(panel, &drawn, &styles, &frame)),
        }
        (legend.draw(frame.left, frame.height - legend.height(), tips))
    };
    Some(Drawing { content, height: frame.height })
}
