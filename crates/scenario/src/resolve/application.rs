//! Applications and their distributions, in bytes and seconds.

use crate::cdf::{self, Column};
use crate::diagnostic::{At, Problems};
use crate::format::{self, Distribution, TextFile};
use crate::leaf::{Size, Span};
use crate::model::{Application, Draw};
use crate::quantity::{SIZE, TIME};
use crate::read::Named;
use crate::resolve::{arrivals, common::text_of};
use anabranch_net::Time;

/// A quantity of a distribution, in the model's unit.
trait Base {
    /// The column in files.
    const COLUMN: Column;
    /// Help for a distribution that is always zero.
    const NONE: &str;

    fn base(&self) -> f64;
}

impl Base for Span {
    const COLUMN: Column = Column { name: "time", quantity: &TIME, plain: None, factor: 1e-9, most: 1e9 };
    const NONE: &str = "for zero, write \"0 s\"";

    fn base(&self) -> f64 {
        self.0.as_secs_f64()
    }
}

impl Base for Size {
    const COLUMN: Column =
        Column { name: "size", quantity: &SIZE, plain: Some("B"), factor: 1.0, most: 1e15 };
    const NONE: &str = "";

    fn base(&self) -> f64 {
        self.0 as f64
    }
}

/// The application; by default endless bulk.
pub(super) fn application(
    given: Option<&At<format::Application>>,
    files: Option<&Named<TextFile>>,
    problems: &mut Problems,
) -> Application {
    match given.map(|given| &given.value) {
        None => Application::Bulk { bytes: None },
        Some(format::Application::Bulk { size }) => Application::Bulk { bytes: size.map(|size| size.0) },
        Some(format::Application::OnOff { on, off, rate }) => {
            if matches!(on.value, format::Draw::Plain(Span(Time::ZERO))) {
                problems.add(&on.place, "the sending periods must be positive", "must be positive", "");
            }
            Application::OnOff {
                on: draw(&on.value, files, problems),
                off: draw(off, files, problems),
                rate_bps: rate.map(|rate| rate.0),
            }
        }
        Some(format::Application::RequestResponse { size, think, count }) => Application::RequestResponse {
            size: draw(size, files, problems),
            think: think.as_ref().map_or(Draw::Constant(0.0), |think| draw(think, files, problems)),
            count: count.map(|count| count.0),
        },
        Some(format::Application::Arrivals { size, load, interval, count, connections }) => {
            let interval = given
                .and_then(|given| arrivals::interval(given, load.is_some(), interval.as_ref(), problems));
            Application::Arrivals {
                size: draw(size, files, problems),
                interval: interval.map_or(Draw::Constant(1.0), |interval| draw(interval, files, problems)),
                count: count.map(|count| count.0),
                connections: connections.unwrap_or_default(),
            }
        }
    }
}

fn draw<T: Base>(given: &format::Draw<T>, files: Option<&Named<TextFile>>, problems: &mut Problems) -> Draw {
    let At { value, place } = match given {
        format::Draw::Plain(value) => return Draw::Constant(value.base()),
        format::Draw::Random(distribution) => distribution,
    };
    let (scale, what, draw) = match value {
        Distribution::Uniform { from, to } => {
            let (from, to) = (from.base(), to.base());
            if from > to {
                problems.add(place, "`from` must not exceed `to`", "from > to", "");
            }
            (to, "`to`", Draw::Uniform(from, to))
        }
        Distribution::Empirical { file } => {
            let points =
                text_of(file, files, problems).and_then(|text| cdf::read(&text, &T::COLUMN, problems));
            return Draw::Empirical(points.unwrap_or_default().into());
        }
        Distribution::Exponential { mean } => (mean.base(), "the mean", Draw::Exponential(mean.base())),
        Distribution::Pareto { mean, shape } => {
            (mean.base(), "the mean", Draw::Pareto { mean: mean.base(), shape: shape.0 })
        }
        Distribution::LogNormal { median, sigma } => {
            (median.base(), "the median", Draw::LogNormal { median: median.base(), sigma: sigma.0 })
        }
    };
    if scale <= 0.0 {
        problems.add(place, format!("{what} must be positive"), "always zero", T::NONE);
    }
    draw
}
