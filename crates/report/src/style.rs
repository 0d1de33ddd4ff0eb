//! Styles that distinguish series.
//!
//! Published series are dashed and hollow, ours solid and filled; a published series takes the colour of ours
//! with the same name. Dots are theory's alone. Beyond the colours, bars and points begin anew, pale and in other shapes; lines have
//! several panels: see [`crate::multiples()`].

use anabranch_study::Series;

/// Colours of series, after Okabe and Ito's set for colour-blind readers, each darkened or lightened until it
/// has a contrast of 3:1 on white paper and on the dark page. Shapes and the legend distinguish them, not colour alone.
pub const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009073", "#c065a0", "#a87900", "#6f6fd0", "#7a7a7a"];

/// The opacity of areas beyond the colours.
const PALE: &str = "60";

/// How the name of a series ends that is the theory of the one before: it has that one's colour, dotted.
pub const THEORY: &str = " in theory";

/// The areas of published series, and of theory.
pub const HOLLOW: &str = "transparent";

/// The dashes of a line without any.
pub const SOLID: [f64; 2] = [1.0, 0.0];

/// The dashes of theory.
pub const DOTTED: [f64; 2] = [2.0, 3.0];

/// Shapes of points, for series with another colour each and for those beyond the colours.
const SHAPES: [&str; 7] =
    ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right"];

/// How each series is drawn, in the order of the panel.
pub struct Style {
    /// Legend entries.
    pub names: Vec<String>,
    /// The number of each one's family: published values and theory belong to the series of their name.
    pub families: Vec<usize>,
    /// Colours of lines and outlines.
    pub strokes: Vec<&'static str>,
    /// Colours of areas.
    pub fills: Vec<String>,
    /// Dashes of lines.
    pub dashes: Vec<[f64; 2]>,
    /// Shapes of points.
    pub shapes: Vec<&'static str>,
}

/// The name that a series shares with its theory, and published values with ours.
pub fn family(series: &Series) -> &str {
    series.name.strip_suffix(THEORY).unwrap_or(&series.name)
}

impl Style {
    /// Styles for `series`.
    pub fn new(series: &[Series]) -> Self {
        let mut families: Vec<&str> = Vec::new();
        let mut style = Self {
            families: vec![],
            names: vec![],
            strokes: vec![],
            fills: vec![],
            dashes: vec![],
            shapes: vec![],
        };
        for s in series {
            let (of, name) = (s.name.strip_suffix(THEORY), family(s));
            let family = families.iter().position(|&known| known == name).unwrap_or_else(|| {
                families.push(name);
                families.len() - 1
            });
            let colour = COLOURS[family % COLOURS.len()];
            let again = family / COLOURS.len();
            style.families.push(family);
            style.names.push(style.unused_name(s));
            style.strokes.push(colour);
            style.fills.push(match (s.published || of.is_some(), again) {
                (true, _) => HOLLOW.to_owned(),
                (false, 0) => colour.to_owned(),
                (false, _) => format!("{colour}{PALE}"),
            });
            style.dashes.push(match (s.published, of.is_some()) {
                (true, _) => [6.0, 4.0],
                (_, true) => DOTTED,
                _ => SOLID,
            });
            style.shapes.push(SHAPES[(family + again) % SHAPES.len()]);
        }
        style
    }

    /// A legend entry that says "published" where it is, and that no other series has.
    fn unused_name(&self, series: &Series) -> String {
        let says_so = series.name.to_lowercase().contains("published");
        let name = match series.published && !says_so {
            true => format!("{} (published)", series.name),
            false => series.name.clone(),
        };
        let mut unused = name.clone();
        let mut n = 1;
        while self.names.contains(&unused) {
            n += 1;
            unused = format!("{name} {n}");
        }
        unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast as defined by WCAG 2.2 (relative luminance of sRGB); 3:1 is what 1.4.11 asks of graphics.
    #[test]
    fn colours_stand_out_on_light_and_dark() {
        let luminance = |hex: &str| {
            let channel = |at: usize| {
                let c = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        for colour in COLOURS {
            for page in ["#ffffff", "#14171a"] {
                let contrast = contrast(luminance(colour), luminance(page));
                assert!(contrast >= 3.0, "{colour} on {page}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn series_of_one_name_share_a_colour_and_differ_in_the_legend() {
        let series = |name: &str, published| Series { name: name.into(), published, points: vec![] };
        let theory =
            Style::new(&[series("LIA", false), series("OLIA", false), series("LIA in theory", false)]);
        assert_eq!(theory.strokes[2], theory.strokes[0]);
        assert_ne!(theory.dashes[2], theory.dashes[0]);
        let style = Style::new(&[series("LIA", true), series("LIA", false), series("LIA", false)]);
        assert_eq!(style.names, ["LIA (published)", "LIA", "LIA 2"]);
        assert!(style.strokes.iter().all(|s| *s == style.strokes[0]));
        assert_ne!(style.fills[0], style.fills[1]);
        assert_ne!(style.dashes[0], style.dashes[1]);
    }

    #[test]
    fn more_series_than_colours_differ_in_fill_and_shape() {
        let series: Vec<_> =
            (0..14).map(|i| Series { name: i.to_string(), published: false, points: vec![] }).collect();
        let style = Style::new(&series);
        let look = |i: usize| (style.strokes[i], style.shapes[i]);
        for i in 0..14 {
            assert!((0..i).all(|j| look(i) != look(j)));
        }
        assert!(style.dashes.iter().all(|dashes| *dashes == SOLID));
        assert_ne!(style.shapes[0], style.shapes[7]);
        // Bars have neither dashes nor shapes.
        assert!((0..14).all(|i| (0..i).all(|j| style.fills[i] != style.fills[j])));
    }
}
