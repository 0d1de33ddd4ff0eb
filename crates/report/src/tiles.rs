//! Tiles: a value for each series and label, as a colour.

use anabranch_study::Panel;
use anabranch_study::format::significant;

/// Colours of the worst value, the neutral one and the best: distinct for colour-blind readers, and the neutral one from the paper
/// and the dark page.
pub const COLOURS: [&str; 3] = ["#b2182b", "#f3f0e8", "#2166ac"];

/// Tiles across up to which each shows its number.
pub const FEW_LABELS: usize = 20;

/// The meaning of the colours.
pub fn remark(panel: &Panel) -> Option<String> {
    let (worst, best) = panel.y.domain?;
    let side = if worst < best { "Below" } else { "Above" };
    let neutral = (worst * best).sqrt();
    Some(format!(
        "{side} {} red, beyond it blue; colours saturate at {} and {}.",
        significant(neutral, 3),
        significant(worst, 3),
        significant(best, 3)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_study::{Axis, Mark};

    /// Neutral between 0.25 and 4 is 1, whichever is worse.
    #[test]
    fn the_colour_turns_at_the_geometric_mean() {
        for (domain, says) in [((0.25, 4.0), "Below 1 "), ((4.0, 0.25), "Above 1 ")] {
            let axis = |domain| Axis { title: "ratio".into(), log: true, domain };
            let panel = Panel {
                title: String::new(),
                x: axis(None),
                y: axis(Some(domain)),
                mark: Mark::Tile,
                series: vec![],
            };
            assert!(remark(&panel).unwrap().starts_with(says));
        }
    }
}
