//! Figures from runs.

use crate::{Axis, Estimate, Mark, Outcome, Panel, Point, Quantity, Runs, Series, estimate};
use anabranch_record::SubflowSeries;

/// A linear axis.
pub fn axis(title: &str) -> Axis {
    Axis { title: title.into(), log: false, domain: None }
}

/// A logarithmic axis.
pub fn log_axis(title: &str) -> Axis {
    Axis { title: title.into(), log: true, domain: None }
}

/// The axis of simulated time, from 0.
pub fn time_axis(until_s: f64) -> Axis {
    Axis { title: "time (s)".into(), log: false, domain: Some((0.0, until_s)) }
}

/// A plot of lines.
pub fn lines(title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel { title: title.into(), x, y, mark: Mark::Line, series }
}

/// A plot of grouped bars, one group for each label of the points.
pub fn bars(title: impl Into<String>, y: Axis, series: Vec<Series>) -> Panel {
    Panel { title: title.into(), x: axis(""), y, mark: Mark::Bar, series }
}

/// A plot of grouped boxes, one group for each label of the points.
pub fn boxes(title: impl Into<String>, y: Axis, series: Vec<Series>) -> Panel {
    Panel { title: title.into(), x: axis(""), y, mark: Mark::Box, series }
}

/// A tile for each series and label, its colour the value: see [`Mark::Tile`].
pub fn tiles(title: impl Into<String>, y: Axis, series: Vec<Series>) -> Panel {
    Panel { title: title.into(), x: axis(""), y, mark: Mark::Tile, series }
}

/// Ours.
pub fn series(name: impl Into<String>, points: Vec<Point>) -> Series {
    Series { name: name.into(), published: false, points }
}

/// The paper's.
pub fn published(name: impl Into<String>, points: Vec<Point>) -> Series {
    Series { name: name.into(), published: true, points }
}

/// A point without an interval.
pub fn point(x: f64, y: f64) -> Point {
    Point { x, y, half_width: None, label: None }
}

/// A bar without an interval.
pub fn bar(label: &str, y: f64) -> Point {
    Point { label: Some(label.into()), ..point(0.0, y) }
}

/// A subflow's samples over time, in the first seed's run; empty where it failed.
pub fn trace(
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

/// A subflow's congestion window over time.
pub fn cwnd(name: impl Into<String>, run: Option<&Outcome>, flow: &str, subflow: usize) -> Series {
    trace(name, run, flow, subflow, |s| Some(&s.cwnd_segments))
}

impl Runs<'_> {
    /// A quantity's mean and interval; `None` where its row fails.
    pub fn estimate(&self, quantity: &Quantity) -> Option<Estimate> {
        estimate(self.values(quantity).ok()?).ok()
    }

    /// A quantity as a point; none where its row fails.
    pub fn point(&self, x: f64, quantity: &Quantity) -> Option<Point> {
        let e = self.estimate(quantity)?;
        Some(Point { half_width: e.half_width, ..point(x, e.mean) })
    }

    /// A quantity's values as a box's points; none where its row fails.
    pub fn spread(&self, label: &str, quantity: &Quantity) -> Vec<Point> {
        self.values(quantity).unwrap_or_default().into_iter().map(|y| bar(label, y)).collect()
    }

    /// A quantity as a bar; none where its row fails.
    pub fn bar(&self, label: &str, quantity: &Quantity) -> Option<Point> {
        Some(Point { label: Some(label.into()), ..self.point(0.0, quantity)? })
    }
}
