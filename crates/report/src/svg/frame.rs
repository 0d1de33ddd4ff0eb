//! The surroundings of the marks: axes with their ticks, grid and titles.

use super::size::{ChartSize, Places, overhang, shortened, text_width, wrap};
use crate::chart::{VisibleData, labelled};
use crate::scales::{minor_ticks, nice, own_ticks, ticks};
use anabranch_study::{Axis, Panel};
use maud::{Markup, html};

/// From values to places.
pub struct Scale {
    /// The values at its ends.
    pub limits: (f64, f64),
    log: bool,
    ends: (f64, f64),
    /// With their labels.
    ticks: Vec<(f64, String)>,
    /// Ticks of a logarithmic axis between the labelled ones.
    minor: Vec<f64>,
}

impl Scale {
    fn new(axis: &Axis, limits: (f64, f64), ends: (f64, f64), ticks: Vec<(f64, String)>) -> Self {
        Scale { limits, log: axis.log, ends, ticks, minor: minor_ticks(axis, limits) }
    }

    /// The place of each tick and how long it is.
    fn lengths(&self) -> impl Iterator<Item = (Places, usize)> {
        let ticks = self.ticks.iter().map(|(value, _)| (*value, 4));
        let all = ticks.chain(self.minor.iter().map(|value| (*value, 2)));
        all.map(|(value, length)| (Places(self.place(value)), length))
    }

    /// Where a value is drawn.
    pub fn place(&self, value: f64) -> f64 {
        let along = |v: f64| if self.log { v.log10() } else { v };
        let (low, high) = (along(self.limits.0), along(self.limits.1));
        self.ends.0 + (along(value) - low) / (high - low) * (self.ends.1 - self.ends.0)
    }
}

/// The room of a drawing and its scales.
pub struct Frame {
    /// Where the horizontal axis begins, and where it ends.
    pub left: f64,
    pub right: f64,
    /// Of numbers.
    pub x: Option<Scale>,
    /// In place of numbers, in their order.
    labels: Vec<String>,
    pub y: Scale,
    /// The height of all.
    pub height: f64,
    /// Do marks have tooltips, and series their numbers?
    pub tips: bool,
    top: f64,
    bottom: f64,
    font: f64,
    titles: Titles,
    /// The base line of the first line of the horizontal axis's title.
    x_title: f64,
    /// Are labels too long to stand beside each other?
    aslant: bool,
}

/// The lines of the panel's title and of both axes' titles.
struct Titles {
    panel: Vec<String>,
    x: Vec<String>,
    y: Vec<String>,
}

/// The distance of two lines of text, as a multiple of their size.
const LINE: f64 = 1.3;

impl Frame {
    /// Room for a panel, with a legend of that height below it.
    pub fn of(panel: &Panel, drawn: &VisibleData, size: &ChartSize, legend: f64, tips: bool) -> Frame {
        let font = size.font;
        let about = |length: f64, each: f64| (length / (each * font)).clamp(2.0, 8.0);
        let y_about = about(size.plot_height, 4.0);
        let y_limits = nice(&panel.y, drawn.y_domain, y_about);
        let y_ticks = ticks(&panel.y, y_limits, y_about);
        let widest = y_ticks.iter().map(|(_, label)| text_width(label, font)).fold(0.0, f64::max);
        let y_title = wrap(&panel.y.title, size.plot_height + 1.6 * font, font);
        let left = (0.4 + LINE * y_title.len().max(1) as f64) * font + widest + 8.0;
        let mut right = size.width - 1.2 * font;
        let titles = Titles {
            panel: if size.titled { wrap(&panel.title, right - left, 1.05 * font) } else { vec![] },
            x: wrap(&panel.x.title, right - left, font),
            y: y_title,
        };
        let top = match titles.panel.len() {
            0 => 0.8 * font,
            lines => (0.9 + LINE * lines as f64) * font,
        };
        let bottom = top + size.plot_height;
        let (mut aslant, mut below) = (false, 1.5 * font);
        let mut labels: Vec<String> = vec![];
        let x = if labelled(panel) {
            labels.extend(drawn.labels().into_iter().map(str::to_owned));
            let longest = labels.iter().map(|label| text_width(label, font)).fold(0.0, f64::max);
            aslant = labels.len() as f64 * (longest + font) > right - left;
            if aslant {
                below = font + longest.min(ASLANT_MOST * font) * ASLANT.sin();
            }
            None
        } else {
            let x_ticks = ticks(&panel.x, drawn.x_domain, about(right - left, 7.0));
            // Half of the last label is beyond the axis.
            let last = x_ticks.last().map_or(0.0, |(_, label)| text_width(label, font) / 2.0);
            right = right.min(size.width - last);
            // Symbols at the ends stay inside.
            let room = overhang(panel, drawn);
            let mut scale = Scale::new(&panel.x, drawn.x_domain, (left + room, right - room), x_ticks);
            let own = own_ticks(&panel.x, drawn.series.iter().flatten().map(|p| p.x));
            let fit = |own: &Vec<(f64, String)>| {
                let room = |pair: &[(f64, String)]| {
                    let need =
                        (text_width(&pair[0].1, font) + text_width(&pair[1].1, font)) / 2.0 + 0.6 * font;
                    scale.place(pair[1].0) - scale.place(pair[0].0) >= need
                };
                drawn.few && own.windows(2).all(room)
            };
            if let Some(own) = own.filter(fit) {
                scale.ticks = own;
            }
            Some(scale)
        };
        let x_lines = titles.x.len() as f64;
        let under =
            bottom + 5.0 + below + if titles.x.is_empty() { 0.0 } else { (0.3 + LINE * x_lines) * font };
        let (x_title, height) = (under - (0.5 + LINE * (x_lines - 1.0)) * font, under + legend);
        let y = Scale::new(&panel.y, y_limits, (bottom, top), y_ticks);
        Frame { left, right, x, labels, y, height, tips, top, bottom, font, titles, x_title, aslant }
    }

    /// The width that each label has, of which its marks leave a little free.
    pub fn band(&self) -> f64 {
        (self.right - self.left) / self.labels.len().max(1) as f64
    }

    /// Where the band of a label begins.
    pub fn band_of(&self, label: &str) -> f64 {
        let place = self.labels.iter().position(|l| l == label).unwrap_or(0);
        self.left + place as f64 * self.band()
    }

    /// Axes, grid, ticks and titles.
    pub fn axes(&self) -> Markup {
        let Frame { left, bottom, font, .. } = *self;
        html! {
            @for (i, line) in self.titles.panel.iter().enumerate() {
                text x=(Places(left)) y=(Places((1.2 + LINE * i as f64) * font)) font-weight="bold" { (line) }
            }
            path d=(self.grid()) stroke="currentColor" stroke-opacity="0.1" fill="none" {}
            path d=(self.lines()) stroke="currentColor" stroke-opacity="0.5" fill="none" {}
            g text-anchor="end" {
                @for (value, label) in &self.y.ticks {
                    text x=(Places(left - 7.0)) y=(Places(self.y.place(*value) + 0.35 * font)) { (label) }
                }
            }
            @if let Some(scale) = &self.x {
                g text-anchor="middle" {
                    @for (value, label) in &scale.ticks {
                        text x=(Places(scale.place(*value))) y=(Places(bottom + 5.0 + font)) { (label) }
                    }
                }
            } @else { (self.draw_labels()) }
            (self.axis_titles())
        }
    }

    fn draw_labels(&self) -> Markup {
        let middle = |label: &str| self.band_of(label) + self.band() / 2.0;
        let y = self.bottom + 5.0 + self.font;
        let degrees = ASLANT.to_degrees().round();
        // From near the left edge on.
        let room = |label: &str| ((middle(label) - self.font) / ASLANT.cos()).min(ASLANT_MOST * self.font);
        html! {
            g text-anchor=(if self.aslant { "end" } else { "middle" }) {
                @for label in self.labels.iter().step_by(if self.aslant { stride(self.band(), self.font) } else { 1 }) {
                    @let x = Places(middle(label));
                    @if self.aslant {
                        text x=(x) y=(Places(y)) transform={ "rotate(-" (degrees) " " (x) " " (Places(y)) ")" } { (shortened(label, room(label), self.font)) }
                    } @else {
                        text x=(x) y=(Places(y)) { (label) }
                    }
                }
            }
        }
    }

    fn axis_titles(&self) -> Markup {
        let (middle, up) = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0);
        let line = |i: usize| LINE * i as f64 * self.font;
        html! {
            @for (i, text) in self.titles.x.iter().enumerate() {
                text x=(Places(middle)) y=(Places(self.x_title + line(i))) text-anchor="middle" { (text) }
            }
            @for (i, text) in self.titles.y.iter().enumerate() {
                text transform={ "translate(" (Places(self.font + line(i))) " " (Places(up)) ") rotate(-90)" } text-anchor="middle" { (text) }
            }
        }
    }

    /// A line for each tick.
    fn grid(&self) -> String {
        let across = self.y.ticks.iter().map(|(value, _)| {
            format!("M{} {}H{}", Places(self.left), Places(self.y.place(*value)), Places(self.right))
        });
        let up = self.x.iter().flat_map(|scale| scale.ticks.iter().map(|(value, _)| scale.place(*value)));
        let up = up.map(|x| format!("M{} {}V{}", Places(x), Places(self.top), Places(self.bottom)));
        across.chain(up).collect()
    }

    /// Both axes with their ticks.
    fn lines(&self) -> String {
        let (left, bottom) = (Places(self.left), Places(self.bottom));
        let mut path = format!("M{left} {}V{bottom}H{}", Places(self.top), Places(self.right));
        for (y, length) in self.y.lengths() {
            path += &format!("M{left} {y}h-{length}");
        }
        for (x, length) in self.x.iter().flat_map(Scale::lengths) {
            path += &format!("M{x} {bottom}v{length}");
        }
        path
    }
}

/// The angle of labels that are too long to stand beside each other, in radians.
const ASLANT: f64 = 35.0 * std::f64::consts::PI / 180.0;
/// The most that they take, as a multiple of their size.
pub const ASLANT_MOST: f64 = 15.0;

/// Slanted labels at this distance would overlap: the step between those that are shown.
pub fn stride(band: f64, font: f64) -> usize {
    (LINE * font / ASLANT.sin() / band).ceil().max(1.0) as usize
}
