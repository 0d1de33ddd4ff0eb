//! A drawing with a font of this machine, as pixels or as a PDF.

use crate::PlotError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Pixels of the picture for each of CSS: 300 dots to the inch.
const SCALE: f32 = 300.0 / 96.0;
/// The most pixels: 400 MB of memory.
pub(crate) const MOST: f32 = 1e8;
/// CSS pixels to the inch.
const CSS_DPI: f32 = 96.0;

/// Families without serifs, the first that is there; else any.
const FAMILIES: [&str; 6] =
    ["Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans", "Noto Sans", "Nimbus Sans"];

/// Draws an SVG of this crate with 300 dots to the inch, text in a font of this machine.
pub fn png(svg: &str) -> Result<Vec<u8>, PlotError> {
    let tree = tree(svg)?;
    let size = tree.size();
    let (width, height) = ((size.width() * SCALE).round(), (size.height() * SCALE).round());
    if width * height > MOST {
        return Err(PlotError::Large);
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or(PlotError::Large)?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| PlotError::Renderer(e.to_string()))
}

/// Converts an SVG of this crate to a PDF of one page, with vectors and with text in an embedded font of this machine.
pub fn pdf(svg: &str) -> Result<Vec<u8>, PlotError> {
    let page = svg2pdf::PageOptions { dpi: CSS_DPI };
    svg2pdf::to_pdf(&tree(svg)?, svg2pdf::ConversionOptions::default(), page)
        .map_err(|e| PlotError::Renderer(e.to_string()))
}

fn tree(svg: &str) -> Result<Tree, PlotError> {
    let mut fonts = fontdb::Database::new();
    fonts.load_system_fonts();
    let has = |family: &&str| fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == family));
    let first = || fonts.faces().next().and_then(|face| face.families.first()).map(|(name, _)| name.clone());
    let known = FAMILIES.iter().copied().find(|family| has(family)).map(str::to_owned);
    let family = known.or_else(first).ok_or(PlotError::NoFont)?;
    fonts.set_sans_serif_family(family.clone());
    let options = Options { font_family: family, fontdb: fonts.into(), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|e| PlotError::Renderer(e.to_string()))
}
