//! Arrivals: the time between them, and keys that exclude them.

use crate::capacity::capacity_bps;
use crate::diagnostic::{At, Problems};
use crate::format::{self, Distribution, Event};
use crate::leaf::Span;
use crate::model::{Application, Connections, Draw, Flow, NamedLink};
use anabranch_net::Time;

/// The most expected transfers of a flow per run.
const MOST: f64 = 1e7;

/// The given time between arrivals. For a load, [`set_intervals`] derives it from the links.
pub(super) fn interval<'a>(
    given: &At<format::Application>,
    load: bool,
    interval: Option<&'a At<format::Draw<Span>>>,
    problems: &mut Problems,
) -> Option<&'a format::Draw<Span>> {
    match (load, interval) {
        (false, None) => {
            let message = "arrivals need a `load` or an `interval`";
            problems.add(&given.place, message, "needs one", "for example load = 0.5");
        }
        (true, Some(interval)) => {
            let message = "`interval` and `load` exclude each other";
            problems.add(&interval.place, message, "conflicts with `load`", "remove one");
        }
        (false, Some(At { value, place })) if is_zero(value) => {
            return problems.refuse(place, "the interval must be positive", "must be positive", "");
        }
        _ => {}
    }
    interval.map(|interval| &interval.value)
}

/// Whether a time is always zero.
fn is_zero(time: &format::Draw<Span>) -> bool {
    match time {
        format::Draw::Plain(span) => span.0 == Time::ZERO,
        format::Draw::Random(At { value, .. }) => match value {
            Distribution::Uniform { to, .. } => to.0 == Time::ZERO,
            Distribution::Exponential { mean } | Distribution::Pareto { mean, .. } => mean.0 == Time::ZERO,
            Distribution::LogNormal { median, .. } => median.0 == Time::ZERO,
            Distribution::Empirical { .. } => false, // reading the file reports it
        },
    }
}

/// Derives the intervals from the flows' loads and the links.
pub(super) fn set_intervals(
    given: &[format::Flow],
    flows: &mut [Flow],
    links: &[NamedLink],
    problems: &mut Problems,
) {
    for flow in flows {
        let Application::Arrivals { size, interval, count, .. } = &mut flow.application else { continue };
        let Some(application) = given.iter().find(|given| given.name.value == flow.key) else { continue };
        let Some(At { value: format::Application::Arrivals { load, .. }, place }) = &application.application
        else {
            continue;
        };
        if size.mean() <= 0.0 || interval.mean() <= 0.0 {
            continue; // already reported: no points, or only zeros
        }
        if let Some(load) = load {
            let bps = load.value.0 * capacity_bps(&flow.paths, links);
            *interval = Draw::Exponential(size.mean() * 8.0 / bps);
        }
        let expected = flow.stop.since(flow.start).as_secs_f64() / interval.mean();
        if count.is_none_or(|count| count as f64 > MOST) && expected > MOST {
            let message = format!("about {expected:.0} transfers expected, the limit is {MOST:.0} per run");
            let help = "use larger transfers, a lower load or a longer interval";
            problems.add(place, message, "too many", help);
        }
    }
}

/// Events need a connection that lasts.
pub(super) fn check_events(application: &Application, events: &[Event], problems: &mut Problems) {
    if let Application::Arrivals { connections: Connections::New, .. } = application
        && let [event, ..] = events
    {
        let message = "`events` need a connection that lasts, but each transfer opens its own";
        let help = "use the `changes` of links, or let transfers share a connection: connections = \"one\"";
        problems.add(&event.action.place, message, "cannot happen", help);
    }
}
