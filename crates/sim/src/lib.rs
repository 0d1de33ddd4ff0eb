//! A deterministic event simulator: TCP and MPTCP end points over links.
//!
//! A run is a function of (scenario, seed, version). Packets are plain values that move from pipe to
//! pipe; the event queue holds one event per pipe and timer, not per packet. The end points are those of a
//! modern stack; each file names the RFC that it follows.

mod application;
mod arrivals;
mod completions;
mod connection;
mod data;
mod delayed_acks;
mod drops;
mod dss;
mod event;
mod hop;
mod idle;
mod lane;
mod look;
mod measured;
mod memory;
mod meter;
mod network;
mod packet;
mod pool;
mod prr;
mod rack;
mod ranges;
mod rate;
mod receiver;
mod repeats;
mod ring;
mod routes;
mod rtt;
mod sack_blocks;
mod sampler;
mod schedule;
mod scoreboard;
mod send_queues;
mod sender;
mod simulator;
mod subflow;
mod summary;
pub mod tap;
#[cfg(test)]
mod tests;
mod transfers;
mod tso;

pub use event::EventQueue;
pub use memory::memory;

use anabranch_cc::registry::ParamError;
use anabranch_net::Time;
use anabranch_record::{NoSamples, Sink, Summary};
use anabranch_scenario::Scenario;
use simulator::Simulator;
use tap::Tap;

/// Where a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where the scenario ends.
    Reached,
    /// The one transfer that the run was about is complete, after that time.
    Completed(Time),
    /// There `keep_going` said no.
    Cancelled(Time),
}

/// A run that was simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What was measured, up to its end.
    pub summary: Summary,
    /// Where it ended.
    pub end: End,
}

/// Runs a scenario to its end.
///
/// The result is a function of `scenario` and `seed` (which replaces the scenario's own). Samples
/// go to `sink`. `keep_going` is asked now and then with the simulated time reached; where it
/// answers false the run ends there, and its summary holds what was measured by then.
///
/// # Errors
/// [`SimError`] where the run broke an invariant, or cannot be simulated.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    sink: &mut dyn Sink,
    keep_going: &mut dyn FnMut(Time) -> bool,
) -> Result<Run, SimError> {
    finish(Simulator::new(scenario, seed, sink)?, keep_going)
}

/// The same, with a capture that listens; the result does not depend on it.
///
/// # Errors
/// As [`run`].
pub fn run_captured(
    scenario: &Scenario,
    seed: u64,
    sink: &mut dyn Sink,
    tap: &mut dyn Tap,
    keep_going: &mut dyn FnMut(Time) -> bool,
) -> Result<Run, SimError> {
    let mut simulator = Simulator::new(scenario, seed, sink)?;
    simulator.listen(tap);
    finish(simulator, keep_going)
}

fn finish(mut simulator: Simulator<'_>, keep_going: &mut dyn FnMut(Time) -> bool) -> Result<Run, SimError> {
    let (end, at) = simulator.run(keep_going)?;
    Ok(Run { end, summary: summary::summarise(&mut simulator, at) })
}

/// Whether a scenario can be simulated: builds what [`run`] would, and runs nothing.
///
/// # Errors
/// [`SimError`] as `run` would give it before it begins.
pub fn check(scenario: &Scenario) -> Result<(), SimError> {
    Simulator::new(scenario, scenario.seed, &mut NoSamples).map(drop)
}

/// Why a run has no summary.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// A receiver got bytes twice, not at all or out of order: a defect of the simulator.
    #[error("the stream of `{flow}` broke at {at}: chunk {chunk} has offset {found} instead of {expected}")]
    Corrupt {
        /// The flow.
        flow: String,
        /// When.
        at: Time,
        /// The chunk that did not fit.
        chunk: u64,
        /// Where it should be in the stream, modulo 2³².
        expected: u32,
        /// Where it was.
        found: u32,
    },
    /// Events without end at one instant: a defect of the simulator.
    #[error("time stands still at {at}")]
    Livelock {
        /// When.
        at: Time,
    },
    /// The algorithm does not take its parameters.
    #[error("flow `{flow}`, algorithm {cc}: {source}")]
    Parameters {
        /// The flow.
        flow: String,
        /// The algorithm.
        cc: &'static str,
        /// Why.
        source: ParamError,
    },
    /// More transfers have a connection open than may have.
    #[error(
        "flow `{flow}`: another transfer arrives at {at}, where {most} have a connection open, as many as a run can have; \
         lower the load, shorten the paths, make transfers larger, or set `connections = \"one\"`"
    )]
    TooManyOpen {
        /// The flow.
        flow: String,
        /// The simulated time.
        at: Time,
        /// How many may be open, of all flows.
        most: usize,
    },
    /// More subflows than a connection may have.
    #[error("flow `{flow}` has {paths} paths; at most {most} can be simulated under its algorithm")]
    TooManyPaths {
        /// The flow.
        flow: String,
        /// How many it has.
        paths: usize,
        /// How many it may have.
        most: usize,
    },
    /// More links in a row than a packet can count.
    #[error("flow `{flow}` has a path over more than 65534 links")]
    TooManyLinks {
        /// The flow.
        flow: String,
    },
    /// A segment size that does not leave room for headers.
    #[error("flow `{flow}`: an mss of {mss} bytes cannot be simulated; 21 to 65335 can")]
    Mss {
        /// The flow.
        flow: String,
        /// The size, in bytes.
        mss: u16,
    },
    /// More links and flows than the event queue can tell apart.
    #[error("the scenario is too large: {targets} sources of events, at most 16777216")]
    TooLarge {
        /// How many it has.
        targets: usize,
    },
}
