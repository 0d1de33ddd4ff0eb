//! Pictures of runs and studies: SVG, PDF and PNG for papers, a page with interactive charts, and the values as CSV.
//!
//! A figure is one or more [`Panel`]s, drawn as the report draws them. [`Run`] makes them of a run's record, [`together()`] of
//! several; a study's result has its own.

mod lines;
mod points;
mod render;
mod run;
mod signature;
mod size;
mod theory;
mod together;
mod transfers;
mod view;

pub use lines::{LineSink, Lines};
pub use render::{RenderError, pdf, png};
pub use run::{FIGURES, Run, USUAL};
pub use signature::is_own;
pub use size::{Size, SizeError};
pub use theory::Theory;
pub use together::{Group, together};
pub use view::{Axes, View};

use anabranch_report::svg::{self, ChartSize};
use anabranch_study::Panel;

/// Formats of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Document Format: vectors, with the font embedded.
    Pdf,
    /// Portable Network Graphics, 300 dots to the inch.
    Png,
    /// A page with interactive charts, which needs no network.
    Html,
    /// The values that the picture shows, in a table.
    Csv,
}

impl Format {
    /// By the ending of a file's name.
    pub fn of(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "svg" => Some(Format::Svg),
            "pdf" => Some(Format::Pdf),
            "png" => Some(Format::Png),
            "html" | "htm" => Some(Format::Html),
            "csv" => Some(Format::Csv),
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
    /// As PNG or PDF.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// The figure to draw.
pub struct Picture<'a> {
    /// In a page.
    pub title: &'a str,
    /// How it was made, in a page.
    pub about: &'a str,
    /// Above all panels of a drawing; nothing if empty.
    pub heading: &'a str,
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
        match format {
            Format::Svg => Ok(signature::mark_text(self.svg()?)),
            Format::Pdf => Ok(signature::mark_pdf(pdf(&self.svg()?)?)),
            Format::Png => Ok(signature::mark_png(png(&self.svg()?)?)),
            Format::Csv => Ok(anabranch_report::values(self.panels).into_bytes()),
            Format::Html => {
                let page = anabranch_report::page_of_charts(self.title, self.about, self.panels);
                page.map(signature::mark_text).ok_or(PlotError::Nothing)
            }
        }
    }

    fn svg(&self) -> Result<String, PlotError> {
        let panels = anabranch_report::multiples(self.panels);
        let look: ChartSize = self.size.look(self.heading, &panels)?;
        svg::document(self.heading, &panels, self.size.columns, &look).ok_or(PlotError::Nothing)
    }
}
