//! Pictures of runs and studies: SVG and PNG for papers, and a page with interactive charts.
//!
//! A figure is one or more [`Panel`]s, drawn as the report draws them. [`Run`] makes them of a run's record; a study's result has
//! its own.

mod lines;
mod png;
mod points;
mod run;
mod signature;
mod size;
mod theory;
mod transfers;

pub use lines::{LineSink, Lines};
pub use png::{PngError, png};
pub use run::{FIGURES, Run, USUAL};
pub use signature::is_own;
pub use size::{Size, SizeError};
pub use theory::Theory;

use anabranch_report::svg::{self, ChartSize};
use anabranch_study::Panel;

/// Formats of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Network Graphics, 300 dots to the inch.
    Png,
    /// A page with interactive charts, which needs no network.
    Html,
}

impl Format {
    /// By the ending of a file's name.
    pub fn of(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "svg" => Some(Format::Svg),
            "png" => Some(Format::Png),
            "html" | "htm" => Some(Format::Html),
            _ => None,
        }
    }
}

/// A failure to draw.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// No panel has a point.
    #[error("nothing to draw: no sample has a value")]
    Nothing,
    /// The panels do not fit.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// As PNG.
    #[error(transparent)]
    Png(#[from] PngError),
}

/// The figure to draw.
pub struct Picture<'a> {
    /// Above all, in a page.
    pub title: &'a str,
    /// How it was made, in a page.
    pub about: &'a str,
    /// The panels.
    pub panels: &'a [Panel],
    /// The size and the number of panels per row; a page follows its window instead.
    pub size: Size,
}

impl Picture<'_> {
    /// As a file of that format.
    ///
    /// # Errors
    /// [`PlotError`].
    pub fn draw(&self, format: Format) -> Result<Vec<u8>, PlotError> {
        if format == Format::Html {
            let page = anabranch_report::page_of_charts(self.title, self.about, self.panels);
            return page.map(signature::mark_text).ok_or(PlotError::Nothing);
        }
        let panels = anabranch_report::multiples(self.panels);
        let look: ChartSize = self.size.look(&panels)?;
        let svg = svg::document(&panels, self.size.columns, &look).ok_or(PlotError::Nothing)?;
        match format {
            Format::Png => Ok(signature::mark_png(png(&svg)?)),
            _ => Ok(signature::mark_text(svg)),
        }
    }
}
