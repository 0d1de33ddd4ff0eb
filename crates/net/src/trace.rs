//! What a link that follows a trace does, again and again.

use crate::{Change, LinkSpec, Random, Time};
use std::sync::Arc;

/// Where a run begins in a trace is drawn with a seed apart from the link's other random processes.
const TRACE_SEED: u64 = 0x7472_6163_6520_7072;

/// A course that a link follows, and begins anew after each period. Its instants are counted from the trace's beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// What happens when.
    pub course: Course,
    /// The trace's length; positive, at most 10¹⁸ ns.
    pub period: Time,
    /// Where in it a run begins, less than the period; none: where the seed says, each instant as likely.
    pub start: Option<Time>,
}

/// What happens when.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// Changes as those made by hand; the first at 0, in order of time, all within the period and each with a rate. They have
    /// all of them a delay or none of them, and so the loss.
    Steps(Arc<[Change]>),
    /// Instants in order, none after the period, each of which delivers up to [`Trace::OPPORTUNITY`] bytes of what arrived
    /// before; what is not used is lost. As in mahimahi (Netravali et al., ATC 2015), whose files are these.
    Opportunities(Arc<[Time]>),
}

impl Trace {
    /// Bytes that an opportunity delivers at most.
    pub const OPPORTUNITY: u32 = 1500;

    /// The mean rate, in bits per second.
    pub fn mean_rate_bps(&self) -> f64 {
        let period = self.period.as_secs_f64();
        match &self.course {
            Course::Steps(steps) => {
                let ends = steps.iter().skip(1).map(|step| step.at).chain([self.period]);
                let bits = steps
                    .iter()
                    .zip(ends)
                    .map(|(step, end)| step.rate_bps.unwrap_or_default() * end.since(step.at).as_secs_f64());
                bits.sum::<f64>() / period
            }
            Course::Opportunities(at) => at.len() as f64 * f64::from(Trace::OPPORTUNITY) * 8.0 / period,
        }
    }

    /// The greatest rate that it has, in bits per second; of opportunities that over a hundredth of a second.
    pub fn greatest_rate_bps(&self) -> f64 {
        match &self.course {
            Course::Steps(steps) => steps.iter().filter_map(|step| step.rate_bps).fold(0.0, f64::max),
            Course::Opportunities(at) => {
                let window = Time::from_millis(10);
                let within =
                    |(i, &first): (usize, &Time)| at[i..].partition_point(|&next| next.since(first) < window);
                let most = at.iter().enumerate().map(within).max().unwrap_or_default();
                most as f64 * f64::from(Trace::OPPORTUNITY) * 8.0 / window.as_secs_f64()
            }
        }
    }

    /// The longest delay that it sets.
    pub fn longest_delay(&self) -> Option<Time> {
        match &self.course {
            Course::Steps(steps) => steps.iter().filter_map(|step| step.delay).max(),
            Course::Opportunities(_) => None,
        }
    }

    /// Whether it sets the loss.
    pub fn loses(&self) -> bool {
        matches!(&self.course, Course::Steps(steps) if steps.iter().any(|step| step.loss.is_some()))
    }

    /// The index of the step in which that instant of the trace lies.
    pub(crate) fn step_at(steps: &[Change], at: Time) -> usize {
        steps.partition_point(|step| step.at <= at).saturating_sub(1)
    }
}

/// The link as its trace has it when the run begins, which is decided now: there is a start, and rate, delay and loss are those
/// of its step.
pub(crate) fn begin(spec: &LinkSpec, trace: &Trace, seed: u64, stream: u64) -> LinkSpec {
    let drawn = || {
        let part = Random::new(seed ^ TRACE_SEED, stream).uniform();
        Time::from_nanos((part * trace.period.as_nanos() as f64) as u64)
    };
    let start = trace.start.unwrap_or_else(drawn).min(trace.period.since(Time::from_nanos(1)));
    let mut begun = LinkSpec { trace: Some(Trace { start: Some(start), ..trace.clone() }), ..spec.clone() };
    if let Course::Steps(steps) = &trace.course
        && let Some(step) = steps.get(Trace::step_at(steps, start))
    {
        begun.rate_bps = step.rate_bps.unwrap_or(spec.rate_bps);
        begun.delay = step.delay.unwrap_or(spec.delay);
        begun.loss = step.loss.unwrap_or(spec.loss);
    }
    begun
}
