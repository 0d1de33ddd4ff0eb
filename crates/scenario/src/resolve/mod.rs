//! From the file as written to the scenario as run: names become indices, units SI, counts flows; and
//! the rules that concern several keys are checked.

mod application;
mod arrivals;
mod flow;
mod link;
mod queue;
mod trace;

pub(crate) use link::base_rtt;

use crate::diagnostic::{At, Place, Problems};
use crate::format::{File, TextFile};
use crate::leaf::{PositiveSpan, Span};
use crate::model::{Record, Scenario, Variation};
use crate::printable::is_hidden;
use crate::read::Named;
use crate::suggest::suggest;
use anabranch_net::Time;
use std::collections::HashMap;

/// The shortest time between samples.
const MIN_INTERVAL: Time = Time::from_nanos(10_000);

/// A checked scenario, still without a hash, and for each flow its name in the file.
pub(crate) struct Resolved {
    pub scenario: Scenario,
    pub origin: Vec<String>,
}

/// Resolves `file`. Instants after `horizon`, the longer of the file's duration and an override's, are
/// mistakes; those after an overriding, shorter duration just do not come.
pub(crate) fn resolve(file: File, horizon: Time, problems: &mut Problems) -> Resolved {
    let duration = file.duration.value.0;
    let warmup = file.warmup.as_ref().map_or(Time::ZERO, |warmup| warmup.value.0);
    if warmup >= duration {
        let place = file.warmup.as_ref().map_or(&file.duration.place, |warmup| &warmup.place);
        problems.add(
            place,
            format!("the warm-up of {warmup} must be shorter than the duration of {duration}"),
            format!("must be less than {duration}"),
            "the duration includes the warm-up",
        );
    }
    let names = LinkNames::of(&file);
    let given = flow::Given {
        hosts: file.hosts.unwrap_or_default(),
        links: &names,
        files: file.files.as_ref(),
        duration,
        horizon,
    };
    let (mut flows, origin) = flow::flows(&file.flows, &given, problems);
    let links = link::links(&file.links, file.files.as_ref(), &flows, horizon, problems);
    arrivals::set_intervals(&file.flows.value, &origin, &mut flows, &links, problems);
    let variation = file.variation;
    let scenario = Scenario {
        name: file.name,
        description: file.description,
        duration,
        warmup,
        seed: file.seed.map_or(1, |seed| seed.0),
        hash: String::new(),
        links,
        flows,
        record: Record { interval: interval(file.record.and_then(|r| r.interval), problems) },
        variation: Variation {
            start_offset: variation.as_ref().and_then(|v| v.start_offset).unwrap_or_default(),
            host_jitter: variation.as_ref().and_then(|v| v.host_jitter).unwrap_or_default(),
        },
    };
    Resolved { scenario, origin }
}

/// The time between samples.
fn interval(given: Option<At<PositiveSpan>>, problems: &mut Problems) -> Time {
    let Some(At { value: PositiveSpan(interval), place }) = given else { return Time::from_millis(100) };
    if interval < MIN_INTERVAL {
        let must = format!("must be at least {} us", MIN_INTERVAL.as_nanos() / 1000);
        problems.add(&place, format!("the time between samples {must}"), must, "each sample takes time");
    }
    interval
}

/// Notes an instant that the run does not reach.
fn check_instant(at: &At<Span>, horizon: Time, problems: &mut Problems) {
    if at.value.0 >= horizon {
        let message = format!("{} is not within the run of {horizon}", at.value.0);
        problems.add(&at.place, message, format!("must be less than {horizon}"), "");
    }
}

/// Notes a name that tables and files of results could not show.
fn check_name(name: &At<String>, problems: &mut Problems) {
    if name.value.is_empty() || name.value.contains(is_hidden) {
        problems.add(&name.place, "a name must be printable", "not a name", "for example \"dsl\"");
    }
    // CSV files have names, and spreadsheets take such text for a formula.
    if name.value.starts_with(['=', '+', '-', '@']) {
        let message = format!("a name must not begin with `{}`", &name.value[..1]);
        problems.add(&name.place, message, "a spreadsheet would calculate it", "for example \"dsl\"");
    }
}

/// The text of a file that the scenario names and has within it.
fn text_of(name: &At<String>, files: Option<&Named<TextFile>>, problems: &mut Problems) -> Option<Place> {
    let file = files.and_then(|files| files.0.iter().find(|(known, _)| known.value == name.value));
    if let Some((_, TextFile { text })) = file {
        return Place::whole(&name.value, text, problems);
    }
    let name_text = &name.value;
    let help = format!(
        "where it cannot be read beside the scenario's file, as in a page, its content belongs under [files.\"{name_text}\"], as `text`"
    );
    problems.add(&name.place, format!("there is no file `{name_text}` in the scenario"), "not here", help);
    None
}

/// The links' names, and the index of each.
struct LinkNames<'a> {
    list: Vec<&'a str>,
    index: HashMap<&'a str, usize>,
}

impl<'a> LinkNames<'a> {
    fn of(file: &'a File) -> Self {
        let list: Vec<&str> = file.links.0.iter().map(|(name, _)| name.value.as_str()).collect();
        let index = list.iter().enumerate().map(|(i, name)| (*name, i)).collect();
        LinkNames { list, index }
    }
}

/// The index of a link.
fn link_index(name: &At<String>, links: &LinkNames<'_>, problems: &mut Problems) -> Option<usize> {
    let found = links.index.get(name.value.as_str()).copied();
    if found.is_none() {
        let known = if problems.is_full() { &[] } else { &*links.list };
        let help = suggest(&name.value, known.iter().copied());
        problems.add(&name.place, format!("no link is named `{}`", name.value), "not a link", help);
    }
    found
}
