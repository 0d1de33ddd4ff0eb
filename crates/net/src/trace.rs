//! Traces that links follow and repeat.

use crate::{Change, LinkSpec, Random, Time};
use std::sync::Arc;

/// Seed of the draw of where in a trace a run begins.
const TRACE_SEED: u64 = 0x7472_6163_6520_7072;

/// A trace that a link follows and repeats after each period. Its times count from the start of the trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Its content.
    pub data: TraceData,
    /// The trace's length; positive, at most 10¹⁸ ns.
    pub period: Time,
    /// Where in it a run begins, less than the period; `None`: drawn uniformly with the run's seed.
    pub start: Option<Time>,
}

/// The content of a trace.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceData {
    /// Changes in order of time, the first at 0, all within the period, each with a rate. Either all rows have a delay or no row
    /// has one; the same holds for the loss.
    Steps(Arc<[Change]>),
    /// Delivery opportunities in order, at most at the period, as in mahimahi's files (Netravali et al., ATC 2015). Each
    /// delivers up to [`Trace::OPPORTUNITY`] bytes that arrived before; unused bytes expire.
    Opportunities(Arc<[Time]>),
}

impl Trace {
    /// The most bytes that an opportunity delivers.
    pub const OPPORTUNITY: u32 = 1500;

    /// The mean rate, in bits per second.
    pub fn mean_rate_bps(&self) -> f64 {
        let period = self.period.as_secs_f64();
        match &self.data {
            TraceData::Steps(steps) => {
                let ends = steps.iter().skip(1).map(|step| step.at).chain([self.period]);
                let bits = steps
                    .iter()
                    .zip(ends)
                    .map(|(step, end)| step.rate_bps.unwrap_or_default() * end.since(step.at).as_secs_f64());
                bits.sum::<f64>() / period
            }
            TraceData::Opportunities(at) => at.len() as f64 * f64::from(Trace::OPPORTUNITY) * 8.0 / period,
        }
    }

    /// The highest rate, in bits per second; for opportunities, the highest over 10 ms.
    pub fn max_rate_bps(&self) -> f64 {
        match &self.data {
            TraceData::Steps(steps) => steps.iter().filter_map(|step| step.rate_bps).fold(0.0, f64::max),
            TraceData::Opportunities(at) => {
                let window = Time::from_millis(10);
                let within =
                    |(i, &first): (usize, &Time)| at[i..].partition_point(|&next| next.since(first) < window);
                let most = at.iter().enumerate().map(within).max().unwrap_or_default();
                most as f64 * f64::from(Trace::OPPORTUNITY) * 8.0 / window.as_secs_f64()
            }
        }
    }

    /// The longest delay, if it sets the delay.
    pub fn max_delay(&self) -> Option<Time> {
        match &self.data {
            TraceData::Steps(steps) => steps.iter().filter_map(|step| step.delay).max(),
            TraceData::Opportunities(_) => None,
        }
    }

    /// Whether it sets the loss.
    pub fn sets_loss(&self) -> bool {
        matches!(&self.data, TraceData::Steps(steps) if steps.iter().any(|step| step.loss.is_some()))
    }

    /// The index of the step at this time of the trace.
    pub(crate) fn step_at(steps: &[Change], at: Time) -> usize {
        steps.partition_point(|step| step.at <= at).saturating_sub(1)
    }
}

/// The link at the start of the run: draws the start in the trace if it is random, and takes rate, delay and loss of its step.
pub(crate) fn at_run_start(spec: &LinkSpec, trace: &Trace, seed: u64, stream: u64) -> LinkSpec {
    let drawn = || {
        let part = Random::new(seed ^ TRACE_SEED, stream).uniform();
        Time::from_nanos((part * trace.period.as_nanos() as f64) as u64)
    };
    let start = trace.start.unwrap_or_else(drawn).min(trace.period.since(Time::from_nanos(1)));
    let mut begun = LinkSpec { trace: Some(Trace { start: Some(start), ..trace.clone() }), ..spec.clone() };
    if let TraceData::Steps(steps) = &trace.data
        && let Some(step) = steps.get(Trace::step_at(steps, start))
    {
        begun.rate_bps = step.rate_bps.unwrap_or(spec.rate_bps);
        begun.delay = step.delay.unwrap_or(spec.delay);
        begun.loss = step.loss.unwrap_or(spec.loss);
    }
    begun
}
