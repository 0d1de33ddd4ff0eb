//! Flows: their paths, times and subflow events.

use crate::diagnostic::{At, Problems};
use crate::format::{self, Event, TextFile};
use crate::leaf::Whole;
use crate::model::{
    Flow, Hosts, MAX_HOPS, MAX_PATHS, Path, Scheduler, SubflowAction, SubflowEvent, Tcp, base,
};
use crate::read::{Named, all};
use crate::resolve::common::{LinkNames, check_instant, check_name, link_index};
use crate::resolve::{application, arrivals};
use anabranch_net::Time;
use std::collections::BTreeSet;

/// The most connections that a scenario may have.
const MAX_FLOWS: usize = 10_000;
/// The most subflows of all connections, so that the summary takes less than a second.
const MAX_SUBFLOWS: usize = 32_768;
/// The most links in the paths of all connections.
const MAX_ALL_HOPS: usize = 10_000_000;
/// The largest window that can be advertised (RFC 7323 §2.3).
const MAX_WINDOW: u64 = 1 << 30;

/// The keys of the file that flows depend on.
pub(super) struct FlowContext<'a> {
    pub hosts: Hosts,
    pub links: &'a LinkNames,
    pub files: Option<&'a Named<TextFile>>,
    pub duration: Time,
    /// No instant is later.
    pub horizon: Time,
}

/// Every connection, with counts expanded.
pub(super) fn flows(
    given: &At<Vec<format::Flow>>,
    context: &FlowContext<'_>,
    problems: &mut Problems,
) -> Vec<Flow> {
    if given.value.is_empty() {
        problems.add(&given.place, "the scenario has no flows", "empty", "add one with [[flows]]");
    }
    let (mut flows, mut names) = (Vec::new(), BTreeSet::new());
    let keys: BTreeSet<&str> = given.value.iter().map(|flow| flow.name.value.as_str()).collect();
    let (mut all_hops, mut subflows) = (0, 0);
    for file_flow in &given.value {
        let Some(flow) = flow(file_flow, context, problems) else { continue };
        let count = file_flow.count.as_ref().map_or(1, |count| count.value.0);
        if flows.len() + count as usize > MAX_FLOWS {
            let place = file_flow.count.as_ref().map_or(&file_flow.name.place, |count| &count.place);
            problems.add(place, format!("too many flows: the limit is {MAX_FLOWS}"), "too many", "");
            break;
        }
        subflows += flow.paths.len() * count as usize;
        if subflows > MAX_SUBFLOWS {
            let message = format!("too many subflows: the limit is {MAX_SUBFLOWS} in all flows");
            problems.add(&file_flow.name.place, message, "too many", "");
            break;
        }
        let hops: usize = flow.paths.iter().map(|path| path.links.len() + path.return_links.len()).sum();
        all_hops += hops * count as usize;
        if all_hops > MAX_ALL_HOPS {
            let message = format!("the paths are too long: the limit is {MAX_ALL_HOPS} links in all paths");
            problems.add(&file_flow.name.place, message, "too many", "");
            break;
        }
        let connections: Vec<String> = match file_flow.count {
            Some(_) => (1..=count).map(|number| format!("{}/{number}", flow.name)).collect(),
            None => vec![flow.name.clone()],
        };
        // With a count, the entry's name selects all of its connections, so it must be unique, too.
        let taken: BTreeSet<&String> = connections.iter().chain([&flow.name]).collect();
        if let Some(name) = taken.iter().find(|name| names.contains(**name)) {
            let message = format!("two flows are named `{name}`");
            let help = "give identical flows one entry with `count`";
            problems.add(&file_flow.name.place, message, "not unique", help);
            continue;
        }
        let of = base(&flow.name);
        if of != flow.name && keys.contains(of) {
            let message = format!("`{}` is the name of a connection of the flow `{of}`", flow.name);
            problems.add(&file_flow.name.place, message, "not unique", "rename one of the two flows");
            continue;
        }
        names.extend(taken.into_iter().cloned());
        flows.reserve(connections.len());
        for (number, name) in connections.into_iter().enumerate() {
            let mut each = Flow { name, ..flow.clone() };
            context.links.assign(&mut each.paths, number);
            flows.push(each);
        }
    }
    flows
}

fn flow(given: &format::Flow, context: &FlowContext<'_>, problems: &mut Problems) -> Option<Flow> {
    let &FlowContext { hosts, links, files, duration, horizon } = context;
    let name = &given.name;
    check_name(name, problems);
    let paths = paths(given, links, problems);
    let start = given.start.as_ref().map_or(Time::ZERO, |start| start.value.0);
    if let Some(start) = &given.start {
        check_instant(start, horizon, problems);
    }
    if let Some(stop) = &given.stop
        && stop.value.0 <= start
    {
        let message = format!("the flow stops at {}, but starts at {start}", stop.value.0);
        problems.add(&stop.place, message, format!("must be more than {start}"), "");
    }
    let scheduler = given.scheduler.unwrap_or(hosts.scheduler());
    let stop = given.stop.as_ref().map_or(Time::NEVER, |stop| stop.value.0);
    let events =
        events(given.events.as_deref().unwrap_or_default(), start, stop.min(horizon), &paths, problems);
    let application = application::application(given.application.as_ref(), files, problems);
    arrivals::check_events(&application, given.events.as_deref().unwrap_or_default(), problems);
    Some(Flow {
        name: name.value.clone(),
        key: name.value.clone(),
        cc: given.cc.0.clone(),
        scheduler,
        penalise: penalise(given.penalise.as_ref(), scheduler, problems),
        transport: given.transport.unwrap_or_default(),
        start,
        stop: stop.min(duration).max(start),
        application,
        paths: paths?,
        events: events?,
        tcp: tcp(given.tcp.as_ref(), hosts.tcp(), problems),
    })
}

/// Only schedulers that stall when a slow subflow fills the receive window can penalise it.
fn penalise(given: Option<&At<bool>>, scheduler: Scheduler, problems: &mut Problems) -> bool {
    let able = scheduler.picks();
    if let Some(At { value: true, place }) = given
        && !able
    {
        let message = "this scheduler does not penalise slow subflows";
        let help = format!("remove it, or use one of: {}", Scheduler::PICKING.join(", "));
        problems.add(place, message, "has no effect", help);
    }
    given.map_or(able, |given| given.value && able)
}

fn paths(given: &format::Flow, links: &LinkNames, problems: &mut Problems) -> Option<Vec<Path>> {
    let paths = &given.paths;
    if paths.value.is_empty() {
        return problems.refuse(&paths.place, "a flow needs a path", "empty", "for example [[\"dsl\"]]");
    }
    if let Some(path) = paths.value.get(MAX_PATHS) {
        let message = format!("too many paths: {}, the limit is {MAX_PATHS}", paths.value.len());
        return problems.refuse(&path.place, message, "too many", "");
    }
    let cc = &given.cc.0;
    if let Some(path) = paths.value.get(cc.max_paths()) {
        let name = cc.entry.name;
        let message =
            format!("too many paths: {}, the limit of {name} is {}", paths.value.len(), cc.max_paths());
        let help = "Linux allows 9 subflows per connection; algorithms without `@kernel` allow 32";
        return problems.refuse(&path.place, message, "too many", help);
    }
    let backs = given.r#return.as_ref();
    if let Some(backs) = backs
        && backs.value.len() != paths.value.len()
    {
        let counted = |n: usize, what| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let given = counted(backs.value.len(), "return path");
        let message = format!("{given} for {}", counted(paths.value.len(), "path"));
        let help = "give one per path, in order; [] returns with the forward delay";
        problems.add(&backs.place, message, "differs from `paths`", help);
    }
    for (index, path) in paths.value.iter().enumerate() {
        if path.value.is_empty() {
            problems.add(&path.place, "a path needs a link", "empty", "for example [\"dsl\"]");
        }
        let back = backs.and_then(|backs| backs.value.get(index)).map_or(0, Vec::len);
        if path.value.len().max(back) > MAX_HOPS {
            let message = format!("path too long: the limit is {MAX_HOPS} links");
            return problems.refuse(&path.place, message, "too long", "");
        }
    }
    let mut indices = |names: &[At<String>]| {
        let count = given.count.as_ref().map(|count| count.value.0 as usize);
        all(names.iter().map(|name| link_index(name, links, count, problems)))
    };
    let mut path = |(index, path): (usize, &At<Vec<At<String>>>)| {
        let back = backs.and_then(|backs| backs.value.get(index));
        let (forward, back) = (indices(&path.value), indices(back.map_or(&[], |back| back)));
        Some(Path { links: forward?, return_links: back?, backup: false })
    };
    let mut resolved = all(paths.value.iter().enumerate().map(&mut path))?;
    for number in given.backup.iter().flatten() {
        let index = path_index(number, paths.value.len(), problems)?;
        if resolved.len() == 1 {
            problems.add(&number.place, "the only path cannot be backup", "a single path is plain TCP", "");
        }
        resolved[index].backup = true;
    }
    Some(resolved)
}

/// The index of a path that the file gives by number.
fn path_index(number: &At<Whole<1, { u64::MAX }>>, paths: usize, problems: &mut Problems) -> Option<usize> {
    let index = usize::try_from(number.value.0 - 1).ok().filter(|index| *index < paths);
    index.or_else(|| {
        let message = format!("path {} does not exist", number.value.0);
        let help = format!("paths are numbered from 1 to {paths}");
        problems.refuse(&number.place, message, "not a path", help)
    })
}

/// The events in order of time, checked against the state of each path.
fn events(
    given: &[Event],
    start: Time,
    end: Time,
    paths: &Option<Vec<Path>>,
    problems: &mut Problems,
) -> Option<Vec<SubflowEvent>> {
    let paths = paths.as_ref()?;
    if let [event, ..] = given
        && paths.len() == 1
    {
        let help = "give the flow a second path, or change the link with `changes`";
        let message = "a single path is plain TCP, without subflows";
        return problems.refuse(&event.action.place, message, "cannot happen", help);
    }
    let mut order: Vec<&Event> = given.iter().collect();
    order.sort_by_key(|event| event.at.value.0);
    let mut joined: Vec<Option<bool>> = vec![None; paths.len()];
    let mut events = Vec::new();
    for event in order {
        check_instant(&event.at, end, problems);
        let at = event.at.value.0;
        if at < start {
            let message = format!("the flow is not open at {at}: it starts at {start}");
            problems.add(&event.at.place, message, format!("must be {start} or more"), "");
        }
        let path = path_index(&event.path, paths.len(), problems)?;
        let action = event.action.value;
        // Before its first event a path is joined, unless that event adds it.
        let there = joined[path].unwrap_or(action != SubflowAction::Add);
        match action {
            SubflowAction::Add if there => {
                let message = format!("path {} has already joined", path + 1);
                problems.add(&event.action.place, message, "added twice", "remove it first");
            }
            SubflowAction::Remove | SubflowAction::Backup(_) if !there => {
                let message = format!("path {} is not joined at {at}", path + 1);
                problems.add(&event.action.place, message, "not joined", "add it first");
            }
            _ => {}
        }
        joined[path] = Some(match action {
            SubflowAction::Add => true,
            SubflowAction::Remove => false,
            SubflowAction::Backup(_) => there,
        });
        events.push(SubflowEvent { at, path, action });
    }
    let first = |path: usize| events.iter().find(|event| event.path == path).map(|event| event.action);
    if let [event, ..] = given
        && (0..paths.len()).all(|path| first(path) == Some(SubflowAction::Add))
    {
        let help = "a path whose first event is \"add\" does not join at the start; leave one without";
        problems.add(&event.action.place, "no path joins at the start", "every path is added later", help);
    }
    Some(events)
}

fn tcp(given: Option<&format::Tcp>, default: Tcp, problems: &mut Problems) -> Tcp {
    let Some(given) = given else { return default };
    let mss = given.mss.map_or(default.mss, |mss| mss.0 as u16);
    match &given.receive_buffer {
        Some(At { value: size, place }) if size.0 > MAX_WINDOW => {
            problems.add(place, "the receive buffer must be at most 1 GiB", "too large", "RFC 7323 §2.3");
        }
        Some(At { value: size, place }) if size.0 < mss.into() => {
            let message = format!("the receive buffer of {} B is smaller than a segment of {mss} B", size.0);
            problems.add(place, message, format!("must be at least {mss} B"), "");
        }
        _ => {}
    }
    let tso = given.tso.unwrap_or(default.tso);
    if let Some(At { value: true, place }) = &given.push_acks
        && !tso
    {
        let message = "`push_acks` needs bursts, but without `tso` segments leave one by one";
        problems.add(place, message, "needs `tso = true`", "add tso = true, or remove push_acks");
    }
    Tcp {
        mss,
        initial_window: given.initial_window.map_or(default.initial_window, |window| window.0 as u32),
        initial_ssthresh: given.initial_ssthresh.map(|window| window.0 as u32),
        receive_buffer: given.receive_buffer.as_ref().map_or(default.receive_buffer, |size| size.value.0),
        min_rto: given.min_rto.map_or(default.min_rto, |time| time.0),
        delayed_ack: given.delayed_ack.map_or(default.delayed_ack, |segments| segments.0 as u16),
        delayed_ack_timeout: given.delayed_ack_timeout.map_or(default.delayed_ack_timeout, |time| time.0),
        ecn: given.ecn.unwrap_or(default.ecn),
        tso,
        push_acks: given.push_acks.as_ref().map_or(default.push_acks, |given| given.value),
        sack_compression: given.sack_compression.unwrap_or(default.sack_compression),
        long_dss: given.long_dss.unwrap_or(default.long_dss),
        linux_recovery: given.linux_recovery.unwrap_or(default.linux_recovery),
        slow_start_after_idle: given.slow_start_after_idle.unwrap_or(default.slow_start_after_idle),
    }
}
