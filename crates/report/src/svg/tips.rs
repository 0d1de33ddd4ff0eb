//! What a browser shows beside the pointer: the values of a mark.

use super::frame::Frame;
use crate::boxes::{FiveNumbers, NAMES};
use crate::chart::{ends, labelled};
use anabranch_study::format::significant;
use anabranch_study::{Panel, Point};
use maud::{Markup, html};

/// Significant digits of values.
const DIGITS: usize = 6;

/// Of a point or a bar, with its interval; nothing in a drawing without tooltips.
pub fn point(panel: &Panel, series: &str, point: &Point, frame: &Frame) -> Markup {
    let place = match labelled(panel) {
        true => point.label.clone().unwrap_or_default(),
        false => format!("{}: {}", panel.x.title, significant(point.x, DIGITS)),
    };
    let interval = match ends(panel, point)[..] {
        [low, high] => format!(" ({} to {})", significant(low, DIGITS), significant(high, DIGITS)),
        _ => String::new(),
    };
    html! {
        @if frame.tips {
            title { (series) "\n" (place) "\n" (panel.y.title) ": " (significant(point.y, DIGITS)) (interval) }
        }
    }
}

/// The same of a box.
pub fn of_box(series: &str, label: &str, numbers: &FiveNumbers, frame: &Frame) -> Markup {
    html! {
        @if frame.tips {
            title {
                (series) "\n" (label)
                @for (name, value) in NAMES.iter().zip(numbers.0).rev() { "\n" (name) ": " (significant(value, DIGITS)) }
            }
        }
    }
}
