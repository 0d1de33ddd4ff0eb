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
pub use run::{FIGURES, Run, USUAL};
pub use signature::is_own;
pub use size::{Size, SizeError};
pub use theory::Theory;
pub use together::{Group, together};
pub use view::View;

use anabranch_report::svg;
use anabranch_study::Panel;
use render::{pdf, png};
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
    /// There is no font for a drawing's text.
    #[error(
        "PNG and PDF need a font, and this machine has none: install one (apt-get install fonts-dejavu-core), or write an SVG"
    )]
    NoFont,
    /// Too large.
    #[error("picture too large: the limit is {} million pixels; give a smaller size", render::MOST / 1e6)]
    Large,
    /// The renderer's own message.
    #[error("the picture cannot be rendered: {0}")]
    Renderer(String),
}

/// The figure to draw.
#[derive(Default)]
pub struct Picture {
    /// In a page.
    pub title: String,
    /// How it was made, in a page.
    pub about: String,
    /// Above all panels of a drawing; nothing if empty.
    pub heading: String,
    /// The panels.
    pub panels: Vec<Panel>,
}

impl Picture {
    /// As a file of that format, with this size and number of panels per row; the charts of a page have one size.
    pub fn draw(&self, size: Size, format: Format) -> Result<Vec<u8>, PlotError> {
        let Picture { title, about, heading, panels } = self;
        let text = match format {
            Format::Pdf => return Ok(signed(format, pdf(&self.svg(size)?)?)),
            Format::Png => return Ok(signed(format, png(&self.svg(size)?)?)),
            Format::Svg => self.svg(size)?,
            Format::Csv => anabranch_report::values(panels),
            Format::Tex => self.tex(size)?,
            Format::MplStyle => {
                let look = size.look(heading, panels)?;
                anabranch_report::style_sheet(panels, &look).ok_or(PlotError::Nothing)?
            }
            Format::Html => {
                anabranch_report::page_of_charts(title, about, panels).ok_or(PlotError::Nothing)?
            }
        };
        Ok(signed(format, text.into_bytes()))
    }

    fn tex(&self, size: Size) -> Result<String, PlotError> {
        if let Some(panel) = self.panels.iter().find(|panel| !anabranch_report::in_tex(panel)) {
            return Err(PlotError::NotInTex(panel.title.clone()));
        }
        let panels = anabranch_report::multiples(&self.panels);
        let look = size.look(&self.heading, &panels)?;
        anabranch_report::tex(&self.heading, &panels, size.columns, &look).ok_or(PlotError::Nothing)
    }

    fn svg(&self, size: Size) -> Result<String, PlotError> {
        let panels = anabranch_report::multiples(&self.panels);
        let look = size.look(&self.heading, &panels)?;
        svg::document(&self.heading, &panels, size.columns, &look).ok_or(PlotError::Nothing)
    }
}
