//! Figures from runs.

use crate::{Estimate, Outcome, Point, Quantity, Runs, Series, estimate};
use anabranch_record::SubflowSeries;

/// Ours.
pub(crate) fn series(name: impl Into<String>, points: Vec<Point>) -> Series {
    Series { name: name.into(), published: false, points }
}

/// The paper's.
pub(crate) fn published(name: impl Into<String>, points: Vec<Point>) -> Series {
    Series { name: name.into(), published: true, points }
}

/// A point without an interval.
pub(crate) fn point(x: f64, y: f64) -> Point {
    Point { x, y, half_width: None, label: None }
}

/// A bar without an interval.
pub(crate) fn bar(label: &str, y: f64) -> Point {
    Point { label: Some(label.into()), ..point(0.0, y) }
}

/// A subflow's samples over time, in the first seed's run; empty where it failed.
pub(crate) fn trace(
    name: impl Into<String>,
    run: Option<&Outcome>,
    flow: &str,
    subflow: usize,
    column: impl Fn(&SubflowSeries) -> Option<&[f64]>,
) -> Series {
    let samples = run.and_then(|run| run.series(flow, subflow));
    let points = samples.and_then(|s| Some(s.time_s.iter().zip(column(s)?)));
    let points = points.into_iter().flatten().filter(|(_, y)| y.is_finite());
    series(name, points.map(|(x, y)| point(*x, *y)).collect())
}

impl Runs<'_> {
    /// A quantity's mean and interval; `None` where its row fails.
    pub(crate) fn estimate(&self, quantity: &Quantity) -> Option<Estimate> {
        estimate(self.values(quantity).ok()?).ok()
    }

    /// A quantity as a point; none where its row fails.
    pub(crate) fn point(&self, x: f64, quantity: &Quantity) -> Option<Point> {
        let e = self.estimate(quantity)?;
        Some(Point { half_width: e.half_width, ..point(x, e.mean) })
    }

    /// A quantity's values as a box's points; none where its row fails.
    pub(crate) fn spread(&self, label: &str, quantity: &Quantity) -> Vec<Point> {
        self.values(quantity).unwrap_or_default().into_iter().map(|y| bar(label, y)).collect()
    }

    /// A quantity as a bar; none where its row fails.
    pub(crate) fn bar(&self, label: &str, quantity: &Quantity) -> Option<Point> {
        Some(Point { label: Some(label.into()), ..self.point(0.0, quantity)? })
    }
}
