//! Styles that distinguish series.
//!
//! Published series are dashed and hollow, ours solid and filled; a published series takes the colour of ours
//! with the same name. Dots are theory's alone. Beyond the colours, bars and points begin anew, pale and in other shapes; lines have
//! several panels: see [`crate::multiples()`].

use anabranch_scenario::distinct;
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

/// A symbol of points.
#[derive(Debug, PartialEq)]
pub struct Shape {
    /// Around its place, as multiples of its radius; none of a circle.
    pub corners: &'static [(f64, f64)],
    /// In pgfplots, and how it is turned there.
    pub tex: (&'static str, &'static str),
    pub matplotlib: char,
}

/// Symbols, for series with another colour each and for those beyond the colours.
static SHAPES: [Shape; 7] = [
    CIRCLE,
    SQUARE,
    shape(&[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)], ("triangle*", ""), '^'),
    shape(&[(0.0, -1.3), (1.0, 0.0), (0.0, 1.3), (-1.0, 0.0)], ("diamond*", ""), 'D'),
    shape(&[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)], ("triangle*", ", rotate=180"), 'v'),
    shape(CROSS.as_flattened(), ("oplus*", ""), 'P'),
    shape(&[(1.1, 0.0), (-0.9, 1.1), (-0.9, -1.1)], ("triangle*", ", rotate=-90"), '>'),
];

/// The first symbol, which has no corners.
pub const CIRCLE: Shape = shape(&[], ("*", ""), 'o');
/// The second.
pub const SQUARE: Shape = shape(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)], ("square*", ""), 's');

/// Four arms, clockwise from the top: two outer corners, and the inner one after them.
static CROSS: [[(f64, f64); 3]; 4] = [
    [(-0.35, -1.1), (0.35, -1.1), (0.35, -0.35)],
    [(1.1, -0.35), (1.1, 0.35), (0.35, 0.35)],
    [(0.35, 1.1), (-0.35, 1.1), (-0.35, 0.35)],
    [(-1.1, 0.35), (-1.1, -0.35), (-0.35, -0.35)],
];

const fn shape(corners: &'static [(f64, f64)], tex: (&'static str, &'static str), matplotlib: char) -> Shape {
    Shape { corners, tex, matplotlib }
}

/// How a series is drawn.
pub struct SeriesStyle {
    /// In the legend.
    pub name: String,
    /// The number of its family: published values and theory belong to the series of their name.
    pub family: usize,
    /// The colour of lines and outlines.
    pub stroke: &'static str,
    /// The colour of areas.
    pub fill: String,
    pub dashes: [f64; 2],
    pub shape: &'static Shape,
}

/// The name that a series shares with its theory, and published values with ours.
pub fn family(series: &Series) -> &str {
    series.name.strip_suffix(THEORY).unwrap_or(&series.name)
}

/// The style of each series.
pub fn styles(series: &[Series]) -> Vec<SeriesStyle> {
    let families = distinct(series.iter().map(family));
    let mut styles: Vec<SeriesStyle> = Vec::new();
    for s in series {
        let in_theory = s.name.ends_with(THEORY);
        let family = families.iter().position(|known| *known == family(s)).unwrap_or(0);
        let (stroke, again) = (COLOURS[family % COLOURS.len()], family / COLOURS.len());
        styles.push(SeriesStyle {
            name: unused_name(s, &styles),
            family,
            stroke,
            fill: match (s.published || in_theory, again) {
                (true, _) => HOLLOW.to_owned(),
                (false, 0) => stroke.to_owned(),
                (false, _) => format!("{stroke}{PALE}"),
            },
            dashes: match (s.published, in_theory) {
                (true, _) => [6.0, 4.0],
                (_, true) => DOTTED,
                _ => SOLID,
            },
            shape: &SHAPES[(family + again) % SHAPES.len()],
        });
    }
    styles
}

/// A legend entry that says "published" where it is, and that no other series has.
fn unused_name(series: &Series, others: &[SeriesStyle]) -> String {
    let says_so = series.name.to_lowercase().contains("published");
    let name = match series.published && !says_so {
        true => format!("{} (published)", series.name),
        false => series.name.clone(),
    };
    let mut unused = name.clone();
    let mut n = 1;
    while others.iter().any(|style| style.name == unused) {
        n += 1;
        unused = format!("{name} {n}");
    }
    unused
}

/// Whether a series is the theory of another, which the legend names once for all.
pub fn is_theory(style: &SeriesStyle, styles: &[SeriesStyle]) -> bool {
    let of = style.name.strip_suffix(THEORY);
    of.is_some_and(|of| styles.iter().any(|other| other.name == of))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As defined by WCAG 2.2, by the relative luminance of sRGB.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |hex: &str| {
            let channel = |at: usize| {
                let c = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
                if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
        };
        let (a, b) = (luminance(one), luminance(other));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// WCAG 2.2, 1.4.11, asks 3:1 of graphics.
    #[test]
    fn colours_stand_out_on_light_and_dark() {
        for colour in COLOURS {
            for page in ["#ffffff", "#14171a"] {
                let contrast = contrast(colour, page);
                assert!(contrast >= 3.0, "{colour} on {page}: {contrast:.2}");
            }
        }
    }

    /// WCAG 2.2, 1.4.3, asks 4.5:1 of text.
    #[test]
    fn text_stands_out() {
        const LIGHT: &str = ":root {";
        const DARK: &str = "(prefers-color-scheme: dark) {\n  :root {";
        let css = include_str!("../assets/report.css");
        let colour = |scheme: &str, name: &str| {
            let mut rules = css.split(scheme).nth(1)?.split('}').next()?.split(';');
            rules.find_map(|rule| rule.trim().strip_prefix("--")?.strip_prefix(name)?.strip_prefix(": "))
        };
        let texts = ["text", "quiet", "link", "good", "middling", "bad", "none"];
        let tiles = ["good", "middling", "bad", "none"].map(|text| (text, format!("{text}-tile")));
        let pages = texts.into_iter().flat_map(|text| ["page", "mark"].map(|page| (text, page.to_owned())));
        let raised = ["text", "quiet"].map(|text| (text, "raised".to_owned()));
        for (text, ground) in pages.chain(tiles).chain(raised) {
            for scheme in [LIGHT, DARK] {
                // The dark scheme takes over what it does not define.
                let of = |name: &str| colour(scheme, name).or_else(|| colour(LIGHT, name)).unwrap();
                let contrast = contrast(of(text), of(&ground));
                assert!(contrast >= 4.5, "{text} on {ground}: {contrast:.2} in {scheme:?}");
            }
        }
    }

    #[test]
    fn series_of_one_name_share_a_colour_and_differ_in_the_legend() {
        let series = |name: &str, published| Series { name: name.into(), published, points: vec![] };
        let [of, _, theory] = &styles(&["LIA", "OLIA", "LIA in theory"].map(|name| series(name, false)))[..]
        else {
            panic!()
        };
        assert_eq!(theory.stroke, of.stroke);
        assert_ne!(theory.dashes, of.dashes);
        let styles = styles(&[series("LIA", true), series("LIA", false), series("LIA", false)]);
        let names: Vec<&str> = styles.iter().map(|style| style.name.as_str()).collect();
        assert_eq!(names, ["LIA (published)", "LIA", "LIA 2"]);
        assert!(styles.iter().all(|style| style.stroke == styles[0].stroke));
        assert_ne!(styles[0].fill, styles[1].fill);
        assert_ne!(styles[0].dashes, styles[1].dashes);
    }

    #[test]
    fn more_series_than_colours_differ_in_fill_and_shape() {
        let series = (0..14).map(|i| Series { name: i.to_string(), ..Series::default() });
        let styles = styles(&series.collect::<Vec<_>>());
        let differ = |is_same: fn(&SeriesStyle, &SeriesStyle) -> bool| {
            (0..14).all(|i| (0..i).all(|j| !is_same(&styles[i], &styles[j])))
        };
        assert!(differ(|a, b| (a.stroke, a.shape) == (b.stroke, b.shape)));
        assert!(styles.iter().all(|style| style.dashes == SOLID));
        assert_ne!(styles[0].shape, styles[7].shape);
        // Bars have neither dashes nor shapes.
        assert!(differ(|a, b| a.fill == b.fill));
    }
}
