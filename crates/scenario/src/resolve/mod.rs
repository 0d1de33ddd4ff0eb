//! Resolves the file to a scenario: names become indices, quantities SI units, counts flows. Checks rules between keys.

mod application;
mod arrivals;
mod common;
mod flow;
mod link;
mod queue;
mod trace;

pub(crate) use link::longest_base_rtts;

use crate::diagnostic::{At, Problems};
use crate::format::File;
use crate::leaf::PositiveSpan;
use crate::model::{Scenario, Variation};
use anabranch_net::Time;
use common::LinkNames;

/// The shortest time between samples.
const MIN_INTERVAL: Time = Time::from_nanos(10_000);

/// Resolves `file` to a checked scenario without its hash. Instants after `horizon`, the longer of the file's and the override's
/// duration, are errors. Events after a shorter overriding duration do not happen.
pub(crate) fn resolve(file: File, horizon: Time, problems: &mut Problems) -> Scenario {
    let duration = file.duration.value.0;
    let warmup = file.warmup.as_ref().map_or(Time::ZERO, |warmup| warmup.value.0);
    if warmup >= duration {
        let place = file.warmup.as_ref().map_or(&file.duration.place, |warmup| &warmup.place);
        let message = format!("the warm-up of {warmup} must be shorter than the duration of {duration}");
        let must = format!("must be less than {duration}");
        problems.add(place, message, must, "the duration includes the warm-up");
    }
    let names = LinkNames::of(&file, problems);
    let context = flow::FlowContext {
        hosts: file.hosts.unwrap_or_default(),
        links: &names,
        files: file.files.as_ref(),
        duration,
        horizon,
    };
    let mut flows = flow::flows(&file.flows, &context, problems);
    let links = link::links(&file.links, &names, file.files.as_ref(), &flows, horizon, problems);
    arrivals::set_intervals(&file.flows.value, &mut flows, &links, problems);
    let variation = file.variation;
    Scenario {
        name: file.name,
        description: file.description,
        duration,
        warmup,
        seed: file.seed.map_or(1, |seed| seed.0),
        hash: String::new(),
        links,
        flows,
        record_interval: interval(file.record.and_then(|r| r.interval), problems),
        variation: Variation {
            start_offset: variation.as_ref().and_then(|v| v.start_offset).unwrap_or_default(),
            host_jitter: variation.as_ref().and_then(|v| v.host_jitter).unwrap_or_default(),
        },
    }
}

/// The time between samples.
fn interval(given: Option<At<PositiveSpan>>, problems: &mut Problems) -> Time {
    let Some(At { value: PositiveSpan(interval), place }) = given else { return Time::from_millis(100) };
    if interval < MIN_INTERVAL {
        let must = format!("must be at least {} µs", MIN_INTERVAL.as_nanos() / 1000);
        problems.add(&place, format!("the time between samples {must}"), must, "each sample takes time");
    }
    interval
}
