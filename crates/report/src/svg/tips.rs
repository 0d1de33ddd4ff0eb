//! What a browser shows beside the pointer: the values of a mark.

use crate::boxes::NAMES;
use crate::chart::{ends, labelled, value};
use anabranch_study::{Panel, Point};
use maud::{Markup, html};

/// Of a point or a bar, with its interval.
pub fn point(panel: &Panel, series: &str, point: &Point) -> Markup {
    html! {
        title {
            (series) "\n"
            @if labelled(panel) { (point.label.as_deref().unwrap_or("")) } @else { (panel.x.title) ": " (value(point.x)) }
            "\n" (panel.y.title) ": " (value(point.y))
            @if let Some([low, high]) = ends(panel, point) { "\n95 % interval: " (value(low)) " to " (value(high)) }
        }
    }
}

/// Of a box of that many values.
pub fn of_box(series: &str, label: &str, (numbers, n): ([f64; 5], usize)) -> Markup {
    html! {
        title {
            (series) "\n" (label)
            @for (name, number) in NAMES.iter().zip(numbers).rev() { "\n" (name) ": " (value(number)) }
            "\nvalues: " (n)
        }
    }
}
