//! Pictures of runs and studies: SVG, PDF, PNG and pgfplots for papers, a page with charts, the values as CSV, and the
//! style for matplotlib.
//!
//! A figure is one or more [`Panel`]s, drawn as the report draws them. [`Run`] makes them of a run's record, [`together()`] of
//! several; a study's result has its own.

mod format;
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

pub use format::{EXTENSIONS, Format};
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
use signature::signed;

/// A failure to draw.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// No panel has a point.
    #[error("nothing to draw: no sample has a value")]
    Nothing,
    /// A panel that pgfplots does not draw.
    #[error(
        "a .tex file shows lines, points and bars, and `{0}` has boxes or tiles: write .pdf, which LaTeX includes"
    )]
    NotInTex(String),
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
    /// The size and the number of panels per row; the charts of a page have one size.
    pub size: Size,
}

impl Picture<'_> {
    /// As a file of that format.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>, PlotError> {
        let text = match format {
            Format::Pdf => return Ok(signed(format, pdf(&self.svg()?)?)),
            Format::Png => return Ok(signed(format, png(&self.svg()?)?)),
            Format::Svg => self.svg()?,
            Format::Csv => anabranch_report::values(self.panels),
            Format::Tex => self.tex()?,
            Format::MplStyle => {
                let look = self.size.look(self.heading, self.panels)?;
                anabranch_report::style_sheet(self.panels, &look).ok_or(PlotError::Nothing)?
            }
            Format::Html => anabranch_report::page_of_charts(self.title, self.about, self.panels)
                .ok_or(PlotError::Nothing)?,
        };
        Ok(signed(format, text.into_bytes()))
    }

    fn tex(&self) -> Result<String, PlotError> {
        if let Some(panel) = self.panels.iter().find(|panel| !anabranch_report::in_tex(panel)) {
            return Err(PlotError::NotInTex(panel.title.clone()));
        }
        let (panels, look) = self.multiples()?;
        anabranch_report::tex(self.heading, &panels, self.size.columns, &look).ok_or(PlotError::Nothing)
    }

    fn multiples(&self) -> Result<(Vec<Panel>, ChartSize), PlotError> {
        let panels = anabranch_report::multiples(self.panels);
        let look = self.size.look(self.heading, &panels)?;
        Ok((panels, look))
    }

    fn svg(&self) -> Result<String, PlotError> {
        let (panels, look) = self.multiples()?;
        svg::document(self.heading, &panels, self.size.columns, &look).ok_or(PlotError::Nothing)
    }
}
