//! Lines over time: samples of the first seed's run.

use crate::outcome::Outcome;
use crate::parse::expr::Operator;
use crate::result::Point;

/// Times and values in a run.
pub(crate) type Points = Box<dyn Fn(&Outcome) -> Vec<(f64, f64)> + Send + Sync>;

/// A line before the runs.
pub(crate) struct Trace {
    /// Its simulation.
    pub setup: usize,
    pub of: Points,
    /// Factors and divisors of its values.
    pub scale: Option<(Operator, f64)>,
}

impl Trace {
    /// Its points in a run.
    pub fn points(&self, run: &Outcome) -> Vec<Point> {
        let scaled = |y| self.scale.map_or(Ok(y), |(operator, number)| operator.of(y, number)).ok();
        (self.of)(run).into_iter().filter_map(|(x, y)| Some(Point::at(x, scaled(y)?))).collect()
    }
}
