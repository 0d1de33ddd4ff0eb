//! How large a picture is.

use anabranch_report::svg::{ChartSize, margin, title_height};
use anabranch_study::Panel;
use std::str::FromStr;

/// CSS pixels of an inch.
const INCH: f64 = 96.0;
/// Text of 8 points, as the captions of papers have it.
const PRINT: f64 = 8.0 / 72.0 * INCH;
/// Text on a screen, in pixels.
const SCREEN: f64 = 12.0;
/// The smallest height of a panel, in pixels.
const LOWEST: f64 = 40.0;

/// A picture's size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The width of all, in CSS pixels.
    pub width: f64,
    /// The height of all, in CSS pixels; by the width if not given.
    pub height: Option<f64>,
    /// The size of text, in CSS pixels.
    pub font: f64,
    /// The number of panels per row.
    pub columns: usize,
    /// Does each panel have a legend?
    pub legend: bool,
}

/// An invalid size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// Not as a size is written.
    #[error(
        "give screen, single (3.4 in, one column of a paper), double (7 in), or WIDTH or WIDTHxHEIGHT in in, cm, mm or px, such as 5x3in"
    )]
    Written,
    /// Not between the limits.
    #[error("width and height must be from 50 px (0.53 in) to 20000 px (208 in)")]
    Limits,
    /// Too small for the panels.
    #[error(
        "the panels do not fit into this size: give a larger size, fewer figures or another number of columns"
    )]
    Small,
}

impl Default for Size {
    fn default() -> Self {
        Size { width: 720.0, height: None, font: SCREEN, columns: 1, legend: true }
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        let print = |inches: f64| Size { width: inches * INCH, font: PRINT, ..Size::default() };
        match text {
            "screen" => return Ok(Size::default()),
            "single" => return Ok(print(3.4)),
            "double" => return Ok(print(7.0)),
            _ => {}
        }
        let units = [
            ("in", INCH, PRINT),
            ("cm", INCH / 2.54, PRINT),
            ("mm", INCH / 25.4, PRINT),
            ("px", 1.0, SCREEN),
        ];
        let written =
            units.iter().find_map(|(unit, pixels, font)| Some((text.strip_suffix(unit)?, *pixels, *font)));
        let (lengths, pixels, font) = written.ok_or(SizeError::Written)?;
        let length = |text: &str| match text.trim().parse::<f64>().map(|x| x * pixels) {
            Ok(length) if (50.0..=20_000.0).contains(&length) => Ok(length),
            Ok(length) if length > 0.0 => Err(SizeError::Limits),
            _ => Err(SizeError::Written),
        };
        let (width, height) = match lengths.split_once('x') {
            Some((width, height)) => (length(width)?, Some(length(height)?)),
            None => (length(lengths)?, None),
        };
        Ok(Size { width, height, font, ..Size::default() })
    }
}

impl Size {
    /// With text of this size, in points.
    pub fn with_font(self, points: f64) -> Self {
        Size { font: points / 72.0 * INCH, ..self }
    }

    /// How each panel has to be drawn for all to have this size below a heading.
    pub(crate) fn look(&self, heading: &str, panels: &[Panel]) -> Result<ChartSize, SizeError> {
        let gap = self.font;
        // Panels without a point are not drawn, and take no place.
        let drawn: Vec<&Panel> =
            panels.iter().filter(|panel| margin(panel, &ChartSize::REPORT).is_some()).collect();
        let columns = self.columns.min(drawn.len()).max(1);
        let width = (self.width + gap) / columns as f64 - gap;
        let look = ChartSize {
            width,
            plot_height: (0.42 * width).max(LOWEST),
            font: self.font,
            titled: true,
            legend: self.legend,
        };
        if width < 12.0 * self.font {
            return Err(SizeError::Small);
        }
        let Some(height) = self.height else { return Ok(look) };
        let margins = |row: &[&Panel]| row.iter().filter_map(|panel| margin(panel, &look)).reduce(f64::max);
        let rows: Vec<f64> = drawn.chunks(columns).filter_map(margins).collect();
        let heading = title_height(heading, self.width, self.font);
        let plot_height =
            (height - heading + gap - rows.iter().sum::<f64>()) / rows.len().max(1) as f64 - gap;
        if plot_height < LOWEST {
            return Err(SizeError::Small);
        }
        Ok(ChartSize { plot_height, ..look })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_their_units() {
        let of = |text: &str| text.parse::<Size>();
        assert_eq!(of("single").unwrap().width, 326.4);
        assert_eq!(of("640px").unwrap(), Size { width: 640.0, ..Size::default() });
        let size = of("5x2.5in").unwrap();
        assert_eq!((size.width, size.height), (480.0, Some(240.0)));
        assert!((of("25.4mm").unwrap().width - 96.0).abs() < 1e-9);
        for wrong in ["", "5", "x3in", "-5in", "NaNin", "5x3", "3x4x5in", "double "] {
            assert_eq!(of(wrong), Err(SizeError::Written), "{wrong:?}");
        }
        for beyond in ["1e9in", "0.1in", "1cm"] {
            assert_eq!(of(beyond), Err(SizeError::Limits), "{beyond:?}");
        }
    }
}
