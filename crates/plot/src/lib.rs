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

use anabranch_report::svg::{ChartSize, document};
use anabranch_report::{in_tex, multiples, page_of_charts, style_sheet, tex, values};
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
        "a .tex file shows lines, points and bars, and a panel has boxes or tiles: write .pdf, which LaTeX includes"
    )]
    NotInTex,
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
        let drawn = |draw: Draw| {
            let panels = multiples(panels);
            let look = size.look(heading, &panels)?;
            draw(heading, &panels, size.columns, &look).ok_or(PlotError::Nothing)
        };
        let file = match format {
            Format::Pdf => pdf(&drawn(document)?)?,
            Format::Png => png(&drawn(document)?)?,
            Format::Svg => drawn(document)?.into(),
            Format::Csv => values(panels).into(),
            Format::Tex if !panels.iter().all(in_tex) => return Err(PlotError::NotInTex),
            Format::Tex => drawn(tex)?.into(),
            Format::MplStyle => {
                style_sheet(panels, &size.look(heading, panels)?).ok_or(PlotError::Nothing)?.into()
            }
            Format::Html => page_of_charts(title, about, panels).ok_or(PlotError::Nothing)?.into(),
        };
        Ok(signed(format, file))
    }
}

/// Draws panels below a heading, in this number of columns.
type Draw = fn(&str, &[Panel], usize, &ChartSize) -> Option<String>;
