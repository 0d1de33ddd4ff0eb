//! Traces: reads the files, and reports keys that conflict with a trace.

use crate::diagnostic::{At, Place, Problems};
use crate::format::{self, TextFile, TraceStart};
use crate::read::Named;
use crate::resolve::common::text_of;
use crate::trace;
use anabranch_net::{self as net, Loss, Time, TraceData};

/// A trace, and the properties of the link that follow from it.
#[derive(Clone)]
pub(super) struct ResolvedTrace {
    pub trace: net::Trace,
    /// The shortest delay, if it sets the delay.
    pub delay: Option<Time>,
    /// The mean loss, if it sets the loss.
    pub loss: Option<Loss>,
}

/// Reads the trace of a link, and reports conflicting keys.
pub(super) fn resolve_trace(
    link: &format::Link,
    files: Option<&Named<TextFile>>,
    problems: &mut Problems,
) -> Option<ResolvedTrace> {
    let At { value: format::Trace(keys), place } = link.trace.as_ref()?;
    let whole = text_of(&keys.file, files, problems)?;
    let (data, period) = trace::read(&whole, problems)?;
    let start = match &keys.start {
        None | Some(TraceStart::Random) => None,
        Some(TraceStart::At(At { value: start, place })) => {
            if start.0 >= period {
                let message = format!("{} is outside the trace of {period}", start.0);
                problems.add(place, message, format!("must be less than {period}"), "");
            }
            Some(start.0)
        }
    };
    let steps = match &data {
        TraceData::Steps(steps) => &steps[..],
        TraceData::Opportunities(_) => &[],
    };
    let traced = ResolvedTrace {
        delay: steps.iter().filter_map(|step| step.delay).min(),
        loss: mean_loss(steps, period),
        trace: net::Trace { data, period, start },
    };
    check_conflicts(link, &traced, place, problems);
    Some(traced)
}

/// The time average of the loss; `None` without steps that have one.
fn mean_loss(steps: &[net::Change], period: Time) -> Option<Loss> {
    steps.first()?;
    let ends = steps.iter().skip(1).map(|step| step.at).chain([period]);
    let part = |(step, end): (&net::Change, Time)| {
        Some(step.loss?.mean_rate() * end.since(step.at).as_secs_f64() / period.as_secs_f64())
    };
    let sum = steps.iter().zip(ends).map(part).sum::<Option<f64>>()?;
    Some(Loss::bernoulli(sum.min(1.0)))
}

/// Reports keys that set a property of the trace.
fn check_conflicts(link: &format::Link, traced: &ResolvedTrace, place: &Place, problems: &mut Problems) {
    let by_opportunity = matches!(traced.trace.data, TraceData::Opportunities(_));
    let gives = "remove it: the trace gives it";
    let refused = [
        (link.rate.is_some(), "rate", gives),
        (link.delay.is_some() && traced.delay.is_some(), "delay", gives),
        (link.loss.is_some() && traced.loss.is_some(), "loss", gives),
        (link.changes.is_some(), "changes", "move them into the trace"),
        (link.tick.is_some() && by_opportunity, "tick", "delivery opportunities have their own times"),
    ];
    for (_, key, help) in refused.into_iter().filter(|(given, ..)| *given) {
        let message = format!("`trace` and `{key}` exclude each other");
        problems.add(place, message, format!("conflicts with `{key}`"), help);
    }
    if link.delay.is_none() && traced.delay.is_none() {
        let label = "this trace has no column `delay`";
        problems.add(place, "`delay` is missing", label, "give the link a `delay`");
    }
}
