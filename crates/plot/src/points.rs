//! Points of figures.

use anabranch_study::{Point, Series};

/// The title of the horizontal axis of figures over time.
pub(crate) const TIME: &str = "time (s)";

/// Samples that are this number of usual intervals apart are not joined by a line.
const PAUSE: f64 = 3.0;

pub(crate) fn ours(name: String, points: Vec<Point>) -> Series {
    Series { name, published: false, points }
}

/// A line's points; a point without a value where the line has a gap or the samples pause, as of a subflow that was removed.
pub(crate) fn points(time_s: &[f64], values: &[f64], unit: f64) -> Vec<Point> {
    let mut steps: Vec<f64> = time_s.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    let pause = steps.get(steps.len() / 2).map_or(f64::INFINITY, |median| PAUSE * median);
    let mut points: Vec<Point> = Vec::with_capacity(time_s.len());
    let mut last = f64::NEG_INFINITY;
    for (&x, &y) in time_s.iter().zip(values).filter(|(_, y)| y.is_finite()) {
        if points.last().is_some() && x - last > pause {
            points.push(Point::at((last + x) / 2.0, f64::NAN));
        }
        points.push(Point::at(x, y * unit));
        last = x;
    }
    points
}
