//! Remarks below a drawing: its differences from the data or from the paper's axes.

use crate::boxes;
use crate::chart::{VisibleData, is_gap, labelled};
use crate::scales::{drawable, exceeds};
use crate::svg::tiles;
use anabranch_study::{Mark, Panel};

/// The differences of a drawing with at most this number of points of a series, and how to read it.
pub fn remarks(panel: &Panel, most: usize) -> Vec<String> {
    if panel.mark == Mark::Tile {
        return tiles::remark(panel).into_iter().collect();
    }
    let Some(VisibleData { xs, ys, .. }) = VisibleData::of(panel, most) else { return Vec::new() };
    let mut remarks = Vec::new();
    if panel.mark == Mark::Box {
        remarks.push(boxes::RULE.to_owned());
    }
    if (!labelled(panel) && exceeds(&panel.x, xs)) || exceeds(&panel.y, ys) {
        remarks.push("The axes extend beyond the paper's to show every value.".to_owned());
    }
    let all = panel.series.iter().flat_map(|s| &s.points);
    let off = all
        .filter(|p| !is_gap(panel, p))
        .filter(|p| !drawable(&panel.y, p.y) || (!labelled(panel) && !drawable(&panel.x, p.x)));
    match off.count() {
        0 => {}
        1 => remarks.push("1 point does not fit on these axes.".to_owned()),
        n => remarks.push(format!("{n} points do not fit on these axes.")),
    }
    if panel.mark != Mark::Box && panel.series.iter().any(|s| s.points.len() > most) {
        remarks.push("The chart shows the lowest and highest value of each interval.".to_owned());
    }
    remarks
}
