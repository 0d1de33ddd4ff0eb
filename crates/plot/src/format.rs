//! Formats of pictures, and the extensions that select them.

/// Formats of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Document Format: vectors, with the font embedded.
    Pdf,
    /// Portable Network Graphics, 300 dots to the inch.
    Png,
    /// A page that needs neither a network nor scripts: charts, and tables of their values.
    Html,
    /// The values that the picture shows, in a table.
    Csv,
    /// Commands of pgfplots, for a LaTeX document of one's own.
    Tex,
    /// The picture's look as a style sheet of matplotlib.
    MplStyle,
}

/// The extensions that select a format.
pub const EXTENSIONS: &str =
    ".svg, .pdf, .png or .html, .csv for the values, .tex for pgfplots or .mplstyle for matplotlib";

impl Format {
    /// By the ending of a file's name.
    pub fn of(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "svg" => Some(Format::Svg),
            "pdf" => Some(Format::Pdf),
            "png" => Some(Format::Png),
            "html" | "htm" => Some(Format::Html),
            "csv" => Some(Format::Csv),
            "tex" => Some(Format::Tex),
            "mplstyle" => Some(Format::MplStyle),
            _ => None,
        }
    }
}
