//! Lines over time: samples of the first seed's run.

use crate::functions::Series;
use crate::outcome::Outcome;
use crate::parse::expr::Operator;
use crate::result::Point;

/// A line before the runs.
pub(crate) struct Trace {
    /// Its simulation.
    pub setup: usize,
    pub of: TraceSource,
    /// Factors and divisors of its values.
    pub scale: Option<(Operator, f64)>,
}

pub(crate) enum TraceSource {
    /// A series of a subflow.
    Subflow(String, usize, Column),
    /// The total goodput of these flows in each second.
    Throughput(Vec<String>),
}

pub(crate) enum Column {
    Sampled(Series),
    Observable(String),
}

impl Trace {
    /// Its points in a run.
    pub fn points(&self, run: &Outcome) -> Vec<Point> {
        let points = match &self.of {
            TraceSource::Throughput(flows) => {
                run.throughput(flows).into_iter().map(|(x, y)| Point::at(x, y)).collect()
            }
            TraceSource::Subflow(flow, subflow, column) => {
                let samples = run.samples.series(flow, *subflow);
                let points = samples.and_then(|samples| {
                    let values = match column {
                        Column::Sampled(column) => column(samples),
                        Column::Observable(name) => samples.observable(name)?,
                    };
                    Some(samples.time_s.iter().zip(values))
                });
                let finite = points.into_iter().flatten().filter(|(_, y)| y.is_finite());
                finite.map(|(x, y)| Point::at(*x, *y)).collect()
            }
        };
        let Some((operator, number)) = self.scale else { return points };
        let scaled = |point: Point| Some(Point { y: operator.of(point.y, number).ok()?, ..point });
        points.into_iter().filter_map(scaled).collect()
    }
}
