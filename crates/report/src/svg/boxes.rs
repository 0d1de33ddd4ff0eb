//! Box plots.

use super::{frame::Frame, marks::FILLED, size::Places, tips};
use crate::boxes::{five_numbers, groups};
use crate::scales::drawable;
use crate::style::SeriesStyle;
use anabranch_study::Panel;
use maud::{Markup, html};

/// Boxes side by side at each label, with their whiskers and every value as a dot.
pub fn draw(panel: &Panel, styles: &[SeriesStyle], frame: &Frame) -> Markup {
    let width = frame.band() * FILLED / panel.series.len() as f64;
    html! {
        @for (i, (series, style)) in panel.series.iter().zip(styles).enumerate() {
            g.series data-series=[frame.tips.then_some(style.family)] stroke=(style.stroke) stroke-width="1.3" {
                @for (label, mut values) in groups(series) {
                    @let () = values.retain(|y| drawable(&panel.y, *y));
                    @if let Some(numbers) = five_numbers(&values) {
                        @let left = frame.band_of(label) + frame.band() * (1.0 - FILLED) / 2.0 + i as f64 * width;
                        @let tip = tips::of_box(&style.name, label, (numbers, values.len()));
                        @let drawn = one(numbers, &values, (left + 0.1 * width, 0.8 * width), &style.fill, frame);
                        @if frame.tips { g { (tip) (drawn) } } @else { (drawn) }
                    }
                }
            }
        }
    }
}

fn one(numbers: [f64; 5], values: &[f64], (left, width): (f64, f64), fill: &str, frame: &Frame) -> Markup {
    let [bottom, low, median, high, top] = numbers.map(|v| frame.y.place(v));
    let middle = left + width / 2.0;
    html! {
        rect x=(Places(left)) y=(Places(high)) width=(Places(width)) height=(Places(low - high)) fill=(fill) fill-opacity="0.25" {}
        path fill="none" d={ "M" (Places(middle)) " " (Places(bottom)) "V" (Places(low)) "M" (Places(middle)) " " (Places(high)) "V" (Places(top)) } {}
        path fill="none" stroke-width="2.4" d={ "M" (Places(left)) " " (Places(median)) "h" (Places(width)) } {}
        g stroke="none" fill="currentColor" fill-opacity="0.6" {
            @for value in values { circle cx=(Places(middle)) cy=(Places(frame.y.place(*value))) r="1.7" {} }
        }
    }
}
