//! What of its panels a picture shows: a stretch of time, logarithmic axes, one vertical scale.

use crate::points::TIME;
use anabranch_report::svg::y_limits;
use anabranch_study::{Axis, Mark, Panel, Point};

/// What is shown of panels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// The first time of figures over time, in seconds.
    pub from_s: Option<f64>,
    /// The last time of figures over time, in seconds.
    pub to_s: Option<f64>,
    /// Is the horizontal axis logarithmic, besides those that are in any case?
    pub log_x: bool,
    /// Is the vertical axis?
    pub log_y: bool,
    /// Do panels of one quantity have one vertical scale?
    pub same_y: bool,
}

impl View {
    /// Limits panels to this view.
    pub fn apply(&self, panels: &mut [Panel]) {
        for panel in panels.iter_mut() {
            if panel.x.title == TIME && (self.from_s.is_some() || self.to_s.is_some()) {
                self.cut(panel);
            }
            let labelled = matches!(panel.mark, Mark::Bar | Mark::Box | Mark::Tile);
            if self.log_x && !labelled {
                logarithmic(&mut panel.x);
            }
            if self.log_y && panel.mark != Mark::Tile {
                logarithmic(&mut panel.y);
                if panel.mark == Mark::Line && panel.x.title == TIME {
                    panel.series.iter_mut().for_each(|series| series.points = with_gaps(&series.points));
                }
            }
        }
        if self.same_y {
            same_y(panels);
        }
    }

    /// Whether it has a stretch of time for panels without one over time.
    pub fn cuts_nothing(&self, panels: &[Panel]) -> bool {
        (self.from_s.is_some() || self.to_s.is_some()) && panels.iter().all(|panel| panel.x.title != TIME)
    }

    fn cut(&self, panel: &mut Panel) {
        let (from, to) = (self.from_s.unwrap_or(f64::NEG_INFINITY), self.to_s.unwrap_or(f64::INFINITY));
        for series in &mut panel.series {
            series.points = cut(&series.points, from, to);
        }
        if let Some((low, high)) = panel.x.domain {
            panel.x.domain = Some((low.max(from), high.min(to)));
        }
    }
}

/// The points between two times, and where a line crosses them.
fn cut(points: &[Point], from: f64, to: f64) -> Vec<Point> {
    let mut inside = Vec::new();
    for (i, p) in points.iter().enumerate() {
        if let Some(before) = i.checked_sub(1).map(|i| &points[i]) {
            for edge in [from, to] {
                if before.x < edge && edge < p.x {
                    let part = (edge - before.x) / (p.x - before.x);
                    let there = |a: f64, b: f64| a + part * (b - a);
                    let half_width = before.half_width.zip(p.half_width).map(|(a, b)| there(a, b));
                    inside.push(Point { half_width, ..Point::at(edge, there(before.y, p.y)) });
                }
            }
        }
        if (from..=to).contains(&p.x) {
            inside.push(p.clone());
        }
    }
    inside
}

/// The points of a line over time, with a gap where a logarithmic axis cannot show three or more in a row, such as an empty queue's.
fn with_gaps(points: &[Point]) -> Vec<Point> {
    let mut missing = 0;
    let with_gap = |p: &Point| {
        missing = if p.y <= 0.0 { missing + 1 } else { 0 };
        [Some(p.clone()), (missing == 3).then(|| Point::at(p.x, f64::NAN))]
    };
    points.iter().flat_map(with_gap).flatten().collect()
}

fn logarithmic(axis: &mut Axis) {
    axis.log = true;
    axis.domain = axis.domain.filter(|(low, high)| *low > 0.0 && *high > 0.0);
}

/// Gives panels with the same vertical axis the limits that all of them need.
fn same_y(panels: &mut [Panel]) {
    let limits: Vec<Option<(f64, f64)>> = panels.iter().map(y_limits).collect();
    for i in 0..panels.len() {
        let alike =
            |j: &usize| panels[*j].y.title == panels[i].y.title && panels[*j].y.log == panels[i].y.log;
        let own = (0..panels.len()).filter(alike).filter_map(|j| limits[j]);
        let union = own.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        if panels[i].mark != Mark::Tile {
            panels[i].y.domain = union;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::ours;

    fn line(values: &[(f64, f64)]) -> Panel {
        let points = values.iter().map(|&(x, y)| Point::at(x, y)).collect();
        let x = Axis { domain: Some((0.0, 10.0)), ..Axis::new(TIME, false) };
        Panel { x, y: Axis::new("ms", false), series: vec![ours("a".into(), points)], ..Panel::default() }
    }

    #[test]
    fn a_line_is_cut_where_it_crosses_the_edges() {
        let mut panels = [line(&[(0.0, 0.0), (10.0, 20.0)])];
        View { from_s: Some(2.0), to_s: Some(5.0), ..View::default() }.apply(&mut panels);
        let points: Vec<(f64, f64)> = panels[0].series[0].points.iter().map(|p| (p.x, p.y)).collect();
        assert_eq!((points, panels[0].x.domain), (vec![(2.0, 4.0), (5.0, 10.0)], Some((2.0, 5.0))));
    }

    #[test]
    fn a_band_is_cut_with_its_line() {
        let wide = |x, half| Point { half_width: Some(half), ..Point::at(x, 1.0) };
        let widths =
            cut(&[wide(0.0, 1.0), wide(4.0, 3.0)], 1.0, 3.0).iter().map(|p| p.half_width).collect::<Vec<_>>();
        assert_eq!(widths, [Some(1.5), Some(2.5)]);
    }

    #[test]
    fn panels_of_one_quantity_have_one_scale() {
        let mut panels = [line(&[(0.0, 0.0), (1.0, 10.0)]), line(&[(0.0, 5.0), (1.0, 100.0)])];
        View { same_y: true, ..View::default() }.apply(&mut panels);
        assert_eq!((panels[0].y.domain, panels[1].y.domain), (Some((0.0, 100.0)), Some((0.0, 100.0))));
    }

    /// An empty queue; a single missing value makes none.
    #[test]
    fn a_line_has_a_gap_where_a_logarithmic_axis_has_no_place() {
        let values = [5.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 9.0];
        let at: Vec<(f64, f64)> = values.iter().enumerate().map(|(i, &y)| (i as f64, y)).collect();
        let mut panels = [line(&at)];
        View { log_y: true, ..View::default() }.apply(&mut panels);
        let points = &panels[0].series[0].points;
        let gaps: Vec<f64> = points.iter().filter(|p| p.y.is_nan()).map(|p| p.x).collect();
        assert_eq!((gaps, points.len()), (vec![5.0], values.len() + 1));
    }

    #[test]
    fn a_logarithmic_axis_does_not_begin_at_zero() {
        let mut panels = [line(&[(1.0, 1.0), (10.0, 20.0)])];
        View { log_x: true, log_y: true, ..View::default() }.apply(&mut panels);
        assert!(panels[0].x.log && panels[0].y.log && panels[0].x.domain.is_none());
    }
}
