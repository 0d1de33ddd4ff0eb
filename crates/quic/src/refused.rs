//! What a scenario asks and QUIC, or this backend, does not have.

use crate::QuicError;
use crate::flow::is_quic;
use anabranch_net::Time;
use anabranch_scenario::{Application, Flow, Hosts, Scenario, Tcp};

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

fn flow(flow: &Flow) -> Result<(), QuicError> {
    let refused = |key: &str, why: String| {
        let key = format!("flows.{}.{key}", flow.name);
        Err(QuicError::Refused { key, why })
    };
    let plain = Hosts::Plain;
    if !matches!(flow.application, Application::Bulk { .. }) {
        return refused("application.kind", "QUIC flows send bulk data only: use \"bulk\"".into());
    }
    if flow.paths.len() > MOST_PATHS {
        let paths = flow.paths.len();
        return refused("paths", format!("{paths} paths, the limit of a QUIC connection is {MOST_PATHS}"));
    }
    if flow.paths.iter().any(|path| path.backup) {
        return refused("paths", "QUIC flows use all paths: remove `backup`".into());
    }
    if !flow.events.is_empty() {
        return refused("events", "QUIC flows keep their paths: remove the events".into());
    }
    if flow.cc.entry.name == "noq:bbr3" {
        let why = "it takes random numbers of the machine, and no seed, so that a run does not repeat: use noq:cubic or noq:newreno";
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
    if flow.cc.entry.group(&flow.cc.params).is_ok_and(|group| group.is_model_based()) {
        let why = format!(
            "{} needs delivery rates, which the QUIC stack does not measure: use another algorithm",
            flow.cc.entry.name
        );
        return refused("cc", why);
    }
    if flow.cc.entry.name == "independent" && flow.paths.len() > 1 {
        let why = "it keeps all but one path from sending, which a controller of the QUIC stack cannot: use another algorithm";
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
