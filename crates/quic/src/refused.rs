//! What a scenario asks and QUIC, or this backend, does not have.

use crate::QuicError;
use crate::flow::is_quic;
use anabranch_net::Time;
use anabranch_scenario::{Application, Connections, Flow, Hosts, Scenario, SubflowAction, Tcp};

/// A full packet is at least this large: QUIC's least datagram of 1200 bytes (RFC 9000 §14), IPv4 and UDP.
const LEAST_MSS: u16 = 1200 + 28 - 52;
/// The most paths of the stack's connection ids.
const MOST_PATHS: usize = 8;

/// Checks whether this backend can run the scenario.
///
/// # Errors
/// [`QuicError::Refused`] with the key.
pub fn check(scenario: &Scenario) -> Result<(), QuicError> {
    scenario.flows.iter().filter(|flow| is_quic(flow)).try_for_each(flow)
}

/// When the events leave a started flow without a path, if they do.
fn without_path(flow: &Flow) -> Option<Time> {
    let mut is_wanted: Vec<_> = (0..flow.paths.len()).map(|path| flow.joins_at_start(path)).collect();
    for (k, event) in flow.events.iter().enumerate() {
        match event.action {
            SubflowAction::Add => is_wanted[event.path] = true,
            SubflowAction::Remove => is_wanted[event.path] = false,
            SubflowAction::Backup(_) => continue,
        }
        let is_last = flow.events.get(k + 1).is_none_or(|next| next.at > event.at);
        let runs = (flow.start..flow.stop).contains(&event.at);
        if is_last && runs && event.action == SubflowAction::Remove && !is_wanted.contains(&true) {
            return Some(event.at);
        }
    }
    None
}

fn flow(flow: &Flow) -> Result<(), QuicError> {
    let refused = |key: &str, why: String| {
        let key = format!("flows.{}.{key}", flow.name);
        Err(QuicError::Refused { key, why })
    };
    let plain = Hosts::Plain;
    if let Application::Arrivals { connections: Connections::New, .. } = flow.application {
        let why = "transfers are streams of the flow's one QUIC connection: use \"one\"";
        return refused("application.connections", why.into());
    }
    if flow.paths.len() > MOST_PATHS {
        let paths = flow.paths.len();
        return refused("paths", format!("{paths} paths, the limit of a QUIC connection is {MOST_PATHS}"));
    }
    if let Some(at) = without_path(flow) {
        let why = format!(
            "no path is left at {at}, and the QUIC stack does not close the last one: use another path until then"
        );
        return refused("events", why);
    }
    if flow.cc.entry.name == "noq:bbr3" && cfg!(not(noq_patched)) {
        let why = "it takes random numbers of the machine, and only contrib/noq/bbr-seed.patch lets a run set its seed: use noq:cubic or noq:newreno, or build with the patch, contrib/noq/try.sh --build";
        return refused("cc", why.into());
    }
    if flow.cc.is_of_stack() && !flow.cc.params.is_empty() {
        let why = format!("{} has no parameters: remove them", flow.cc.entry.name);
        return refused("cc", why);
    }
    if flow.cc.is_of_stack() && flow.tcp.initial_ssthresh.is_some() {
        let why = format!("{} has no such setting: remove the key", flow.cc.entry.name);
        return refused("tcp.initial_ssthresh", why);
    }
    if ["independent", "c-mpbbr"].contains(&flow.cc.entry.name) && flow.paths.len() > 1 {
        let why =
            "it keeps paths from sending, which a controller of the QUIC stack cannot: use another algorithm";
        return refused("cc", why.into());
    }
    if flow.scheduler != plain.scheduler() {
        let why = "the QUIC stack has one scheduler, the first path with room: remove the key, and `hosts` if that sets it";
        return refused("scheduler", why.into());
    }
    if flow.penalise != flow.scheduler.picks() {
        return refused("penalise", "the QUIC stack penalises no path: remove the key".into());
    }
    if flow.tcp.mss < LEAST_MSS {
        let why = format!(
            "must be at least {LEAST_MSS}: a QUIC packet has at least 1200 bytes, and is as large as the segment"
        );
        return refused("tcp.mss", why);
    }
    let own = plain.tcp();
    type Key = (&'static str, fn(&Tcp) -> u64);
    let same: [Key; 9] = [
        ("receive_buffer", |tcp| tcp.receive_buffer),
        ("min_rto", |tcp| tcp.min_rto.as_nanos()),
        ("delayed_ack", |tcp| tcp.delayed_ack.into()),
        ("delayed_ack_timeout", |tcp| Time::as_nanos(tcp.delayed_ack_timeout)),
        ("tso", |tcp| tcp.tso.into()), // and so `push_acks`, which needs it
        ("sack_compression", |tcp| tcp.sack_compression.into()),
        ("long_dss", |tcp| tcp.long_dss.into()),
        ("linux_recovery", |tcp| tcp.linux_recovery.into()),
        ("slow_start_after_idle", |tcp| tcp.slow_start_after_idle.into()),
    ];
    match same.iter().find(|(_, of)| of(&flow.tcp) != of(&own)) {
        Some((key, _)) => {
            let why = "a key of TCP, which QUIC does not have: remove it, and `hosts` if that sets it";
            refused(&format!("tcp.{key}"), why.into())
        }
        None => Ok(()),
    }
}
