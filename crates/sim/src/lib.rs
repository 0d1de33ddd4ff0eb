//! A deterministic event-driven simulator: TCP and MPTCP end points over links.
//!
//! A run is a function of (scenario, seed, version). Packets are plain values that move from pipe to
//! pipe; the event queue holds one event per pipe and timer, not per packet. Where the arrival of a segment is certain, its
//! receiver takes it ahead of time. The end points model a modern stack; each file names the RFC that it implements.

mod application;
mod arrivals;
mod cancel;
mod completions;
mod connection;
mod connection_meter;
mod delayed_acks;
mod drops;
mod dss;
mod end;
mod endpoints;
mod event;
mod held;
mod hop;
mod hosting;
mod incoming;
mod lane;
mod lone_runs;
mod memory;
mod meter;
mod network;
mod on_off;
mod packet;
mod pool;
mod prr;
mod rack;
mod ranges;
mod rate;
mod receiver;
mod reinjections;
mod ring;
mod routes;
mod rtt;
mod sack_blocks;
mod sampler;
mod schedule;
mod scoreboard;
mod send_queues;
mod sender;
mod session;
mod simulator;
mod stream;
mod subflow;
mod summary;
pub mod tap;
mod target;
#[cfg(test)]
mod tests;
mod transfers;
mod tso;

pub use application::Completed;
pub use arrivals::Arrivals;
pub use end::{End, SimError};
pub use endpoints::{Datagram, EndpointEvent, Endpoints, Out};
pub use event::EventQueue;
pub use memory::memory;
pub use network::LinkNow;
pub use on_off::{OnOff, Turn};
pub use session::{FlowNow, Session, SubflowNow};
pub use stream::Corrupt;

use anabranch_record::{KeepGoing, NoSamples, Sink, Summary};
use anabranch_scenario::Scenario;
use held::{Held, SinkOf};
use simulator::Simulator;
use tap::Tap;

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The measurements up to its end.
    pub summary: Summary,
    /// How it ended.
    pub end: End,
}

/// Runs a scenario to its end.
///
/// The result is a function of `scenario` and `seed` (which replaces the scenario's own). Samples
/// go to `sink`. `keep_going` is called regularly with the simulated time. If it returns false, the
/// run ends early, and its summary covers the time until then. An endless flow with one subflow may then count only what its sender
/// knows to be delivered.
///
/// # Errors
/// [`SimError`] if the run breaks an invariant or cannot be simulated.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    sink: &mut dyn Sink,
    keep_going: KeepGoing<'_>,
) -> Result<Run, SimError> {
    run_with(scenario, seed, sink, None, None, keep_going)
}

/// The same, where the flows that `endpoints` host are left to them, and with a capture if there is a `tap`, on which the result of a
/// complete run does not depend.
///
/// # Errors
/// As [`run`], and [`SimError::Endpoints`].
pub fn run_with(
    scenario: &Scenario,
    seed: u64,
    sink: &mut dyn Sink,
    endpoints: Option<&mut dyn Endpoints>,
    tap: Option<&mut dyn Tap>,
    keep_going: KeepGoing<'_>,
) -> Result<Run, SimError> {
    let endpoints = endpoints.map(|endpoints| endpoints as &mut dyn Endpoints);
    let (held, sink) = (Held::Lent(scenario), SinkOf::Lent(sink));
    let mut simulator = Simulator::with(held, seed, sink, endpoints, tap.is_none())?;
    if let Some(tap) = tap {
        simulator.listen(tap);
    }
    let (end, at) = simulator.run(keep_going)?;
    Ok(Run { end, summary: summary::summarise(&mut simulator, at) })
}

/// Checks whether a scenario can be simulated: builds the same state as [`run`], without running it.
///
/// # Errors
/// The [`SimError`] that `run` would return at its start.
pub fn check(scenario: &Scenario) -> Result<(), SimError> {
    Simulator::new(scenario, scenario.seed, &mut NoSamples).map(drop)
}
