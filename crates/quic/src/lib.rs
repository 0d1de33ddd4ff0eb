//! A scenario over real multipath QUIC end points: `noq-proto` in virtual time, hosted by the simulator.
//!
//! A flow is a QUIC connection with one path for each path of the scenario, and sends a stream for each transfer or answer. Our
//! algorithm sees all paths of a connection. A run is a function of scenario, seed and version: the connection's random numbers come from the
//! seed, and what does not (the key exchange) has a fixed length.

mod application;
mod clock;
mod control;
mod flow;
mod host;
mod meter;
mod paths;
mod refused;
mod run;
mod stack;
mod tls;
mod traces;

pub use refused::check;
pub use run::{Observers, run};
pub use traces::{Destination, OpenTrace};

use anabranch_sim::SimError;

/// Why a run has no summary.
#[derive(Debug, thiserror::Error)]
pub enum QuicError {
    /// The scenario asks for something that this backend does not have.
    #[error("`{key}`: {why}")]
    Refused {
        /// The key, with the flow's name.
        key: String,
        /// What it has, and what to do.
        why: String,
    },
    /// The simulator cannot run it, or a connection or one of its paths ended before its flow did.
    #[error(transparent)]
    Simulator(#[from] SimError),
}
