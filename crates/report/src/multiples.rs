//! Lines beyond the colours: small multiples of a panel, so that each line has a colour of its own.

use crate::chart::{MOST_POINTS, VisibleData};
use crate::scales::{STEPS, nice};
use crate::style::{COLOURS, family};
use anabranch_scenario::distinct;
use anabranch_study::{Mark, Panel};

/// The panels, and of each with more lines than colours several on the same axes. A line and its theory stay together, and so do
/// published values and ours.
pub fn multiples(panels: &[Panel]) -> Vec<Panel> {
    panels.iter().flat_map(split).collect()
}

fn split(panel: &Panel) -> Vec<Panel> {
    let families = distinct(panel.series.iter().map(family));
    let count = families.len().div_ceil(COLOURS.len());
    if panel.mark != Mark::Line || count < 2 {
        return vec![panel.clone()];
    }
    let drawn = VisibleData::of(panel, MOST_POINTS);
    let several = families.chunks(families.len().div_ceil(count));
    let of = several.len();
    let part = |(i, own): (usize, &[&str])| {
        let mut part = panel.clone();
        part.series.retain(|series| own.contains(&family(series)));
        part.title = format!("{} ({} of {of})", panel.title, i + 1).trim_start().to_owned();
        if let Some(drawn) = &drawn {
            part.x.domain = Some(drawn.x_domain);
            part.y.domain = Some(nice(&panel.y, drawn.y_domain, STEPS));
        }
        part
    };
    several.enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::{DOTTED, THEORY, styles};
    use anabranch_study::{Point, Series};

    fn panel(lines: usize) -> Panel {
        let one = |name: String, y: f64| {
            let points = [0.0, 10.0].map(|x| Point::at(x, y)).to_vec();
            Series { name, published: false, points }
        };
        let both = |i: usize| [one(format!("flow {i}"), i as f64), one(format!("flow {i}{THEORY}"), 1.0)];
        let series = (0..lines).flat_map(both).collect();
        Panel { title: "Windows".into(), series, ..Panel::default() }
    }

    /// Only theory is dotted, and each line of a panel has its colour.
    #[test]
    fn lines_beyond_the_colours_have_their_own_panels() {
        assert_eq!(multiples(&[panel(7)]), [panel(7)]);
        let parts = multiples(&[panel(8)]);
        assert_eq!(parts.iter().map(|part| part.series.len()).collect::<Vec<_>>(), [8, 8]);
        assert_eq!(parts[1].title, "Windows (2 of 2)");
        let domains: Vec<_> = parts.iter().map(|part| part.y.domain).collect();
        assert!(domains[0] == domains[1] && domains[0].unwrap().1 >= 7.0, "{domains:?}");
        for part in &parts {
            let styles = styles(&part.series);
            for (series, style) in part.series.iter().zip(&styles) {
                let is_theory = series.name.ends_with(THEORY);
                assert_eq!(style.dashes == DOTTED, is_theory, "{}", series.name);
                let same = styles.iter().filter(|other| other.stroke == style.stroke);
                assert_eq!(same.count(), 2, "{}", series.name);
            }
        }
        assert_eq!(multiples(&[panel(1000)]).len(), 143);
    }
}
