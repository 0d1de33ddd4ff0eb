//! Tiles: a value for each series and label, as a colour.

use super::size::{ChartSize, Drawing, Places, shortened, text_width};
use crate::chart::{labels, value};
use crate::scales::drawable;
use anabranch_study::Panel;
use anabranch_study::format::{exact, significant};
use maud::{Markup, html};

/// Colours of the worst value, the neutral one and the best: distinct for colour-blind readers, and the neutral one from the paper
/// and the dark page.
const COLOURS: [&str; 3] = ["#b2182b", "#f3f0e8", "#2166ac"];

/// Tiles across up to which each shows its number.
const FEW_LABELS: usize = 20;

/// Height of a tile, in the size of text.
const ROW: f64 = 2.0;

/// Draws them, with their colours' scale below.
pub(super) fn draw(panel: &Panel, size: &ChartSize, tips: bool) -> Option<Drawing> {
    let font = size.font;
    let labels = labels(panel.series.iter().flat_map(|s| &s.points));
    if !panel.series.iter().flat_map(|s| &s.points).any(|p| drawable(&panel.y, p.y)) {
        return None;
    }
    let widest =
        |texts: &mut dyn Iterator<Item = &str>| texts.map(|t| text_width(t, font)).fold(0.0, f64::max);
    let (most_of_name, most_of_label) = (0.4 * size.width, 20.0 * font);
    let left = widest(&mut panel.series.iter().map(|s| s.name.as_str())).min(most_of_name) + font;
    let width = (size.width - left - font) / labels.len() as f64;
    let top = if size.titled { 2.2 * font } else { 0.4 * font };
    let bottom = top + panel.series.len() as f64 * ROW * font;
    let numbers = labels.len() <= FEW_LABELS;
    let slant = widest(&mut labels.iter().copied()).min(most_of_label) * 0.87 + font;
    // Where there is no room for every label, every second or third has one.
    let stride = (1.3 * font / width).ceil().max(1.0) as usize;
    let scale = bottom + slant + 1.5 * font;
    let (worst, best) = panel.y.domain.unwrap_or((0.1, 10.0));
    let content = html! {
        @if size.titled { text x=(Places(left)) y=(Places(1.2 * font)) font-weight="bold" { (panel.title) } }
        @for (row, series) in panel.series.iter().enumerate() {
            @let y = top + row as f64 * ROW * font;
            text x=(Places(left - 0.5 * font)) y=(Places(y + 1.35 * font)) text-anchor="end" { (shortened(&series.name, most_of_name, font)) }
            g.series stroke="currentColor" stroke-opacity="0.15" {
                @for point in series.points.iter().filter(|p| drawable(&panel.y, p.y)) {
                    @let column = labels.iter().position(|l| Some(*l) == point.label.as_deref()).unwrap_or(0);
                    @let x = left + column as f64 * width;
                    @let tile = tile(point.y, towards(point.y, worst, best), (x, y), (width, font), numbers);
                    @if tips {
                        g { title { (series.name) "\n" (point.label.as_deref().unwrap_or("")) "\n" (panel.y.title) ": " (value(point.y)) } (tile) }
                    } @else { (tile) }
                }
            }
        }
        g text-anchor="end" {
            @for (i, label) in labels.iter().enumerate().step_by(stride) {
                @let x = left + (i as f64 + 0.7) * width;
                // At 60° it is half as wide as long.
                @let room = most_of_label.min(2.0 * (x - font));
                text transform={ "translate(" (Places(x)) " " (Places(bottom + font)) ") rotate(-60)" } { (shortened(label, room, font)) }
            }
        }
        @for step in 0..STEPS {
            rect x=(Places(left + step as f64 * 8.0)) y=(Places(scale)) width="8.2" height="10" fill=(colour((step as f64 + 0.5) / STEPS as f64)) {}
        }
        g text-anchor="middle" {
            @for (along, value) in [(0.0, worst), (0.5, (worst * best).sqrt()), (1.0, best)] {
                text x=(Places(left + along * STEPS as f64 * 8.0)) y=(Places(scale + 10.0 + 1.2 * font)) { (exact(significant(value, 3))) }
            }
        }
        text x=(Places(left + STEPS as f64 * 8.0 + 2.0 * font)) y=(Places(scale + 9.0)) { (panel.y.title) }
    };
    Some(Drawing { content, height: scale + 10.0 + 1.8 * font })
}

/// One, with its number if there is room.
fn tile(value: f64, along: f64, (x, y): (f64, f64), (width, font): (f64, f64), numbered: bool) -> Markup {
    html! {
        rect x=(Places(x)) y=(Places(y)) width=(Places(width)) height=(Places(ROW * font)) fill=(colour(along)) {}
        @if numbered {
            text x=(Places(x + width / 2.0)) y=(Places(y + 1.35 * font)) text-anchor="middle" stroke="none"
                font-size=(Places(0.85 * font)) fill=(if (along - 0.5).abs() > 0.25 { "#fff" } else { "#222" }) {
                (format!("{value:.2}"))
            }
        }
    }
}

/// The meaning of the colours.
pub fn remark(panel: &Panel) -> Option<String> {
    let (worst, best) = panel.y.domain?;
    let side = if worst < best { "Below" } else { "Above" };
    let neutral = (worst * best).sqrt();
    Some(format!(
        "{side} {} red, beyond it blue; colours saturate at {} and {}.",
        significant(neutral, 3),
        significant(worst, 3),
        significant(best, 3)
    ))
}

/// Segments of the colours' scale.
const STEPS: usize = 24;

/// How far from the worst value, 0, to the best, 1, on a logarithmic scale.
fn towards(value: f64, worst: f64, best: f64) -> f64 {
    ((value / worst).ln() / (best / worst).ln()).clamp(0.0, 1.0)
}

/// Between the colours of the worst value, the neutral one and the best.
fn colour(along: f64) -> String {
    let (from, to, part) = match along < 0.5 {
        true => (COLOURS[0], COLOURS[1], along * 2.0),
        false => (COLOURS[1], COLOURS[2], along * 2.0 - 1.0),
    };
    let channel =
        |colour: &str, at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap_or(0));
    let mixed =
        [1, 3, 5].map(|at| (channel(from, at) + (channel(to, at) - channel(from, at)) * part).round() as u8);
    format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_study::{Axis, Mark, Point, Series};

    #[test]
    fn colours_turn_at_the_neutral_value() {
        assert_eq!(colour(towards(0.25, 0.25, 4.0)), COLOURS[0]);
        assert_eq!(colour(towards(1.0, 0.25, 4.0)), COLOURS[1]);
        assert_eq!(colour(towards(99.0, 0.25, 4.0)), COLOURS[2]);
        // The worst value may be the larger one.
        assert_eq!(colour(towards(4.0, 4.0, 0.25)), COLOURS[0]);
    }

    /// Neutral between 0.25 and 4 is 1, whichever is worse.
    #[test]
    fn the_colour_turns_at_the_geometric_mean() {
        for (domain, says) in [((0.25, 4.0), "Below 1 "), ((4.0, 0.25), "Above 1 ")] {
            let y = Axis { domain: Some(domain), ..Axis::new("ratio", true) };
            assert!(remark(&Panel { y, mark: Mark::Tile, ..Panel::default() }).unwrap().starts_with(says));
        }
    }

    #[test]
    fn what_has_no_logarithm_has_no_tile() {
        let tiles = |values: &[f64]| {
            let points = values.iter().map(|y| Point::bar(&y.to_string(), *y)).collect();
            let series = vec![Series { name: "LIA".into(), published: false, points }];
            let y = Axis { domain: Some((0.25, 4.0)), ..Axis::new("ratio", true) };
            let panel = Panel { y, mark: Mark::Tile, series, ..Panel::default() };
            let drawing = draw(&panel, &ChartSize::REPORT, false)?.content.into_string();
            Some(drawing.matches("<rect").count() - STEPS)
        };
        assert_eq!(tiles(&[0.0, f64::NAN, 3.0]), Some(1));
        assert_eq!(tiles(&[0.0]), None);
    }

    #[test]
    fn long_names_leave_room() {
        let series =
            vec![Series { name: "LIA ".repeat(99), published: false, points: vec![Point::bar("1", 2.0)] }];
        let panel = Panel { mark: Mark::Tile, series, ..Panel::default() };
        let drawing = draw(&panel, &ChartSize::REPORT, false).unwrap().content.into_string();
        assert!(drawing.contains("width=\"3") && !drawing.contains("width=\"-"), "{drawing}");
    }
}
