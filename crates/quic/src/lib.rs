//! A scenario over real multipath QUIC end points: `noq-proto` in virtual time, on the links of `anabranch-net`.
//!
//! Every flow is a QUIC connection with one path for each path of the scenario, and sends one stream. Our algorithm sees all paths
//! of a connection. A run is a function of scenario, seed and version: the connection's random numbers come from the
//! seed, and what does not (the key exchange) has a fixed length.

mod clock;
mod flow;
mod meter;
mod network;
mod refused;
mod run;
mod tls;

pub use refused::check;
pub use run::run;

use anabranch_net::Time;
use anabranch_record::Summary;

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
    /// A connection or one of its paths ended before the flow did.
    #[error("flow `{flow}` at {at}: {why}")]
    Lost {
        /// The flow.
        flow: String,
        /// The simulated time.
        at: Time,
        /// What the QUIC stack says.
        why: String,
    },
    /// Endless events at one instant: a bug in this backend or in the QUIC stack.
    #[error("endless events at {at}")]
    Livelock {
        /// The simulated time.
        at: Time,
    },
    /// `keep_going` returned false.
    #[error("interrupted at {at}")]
    Interrupted {
        /// At that simulated time.
        at: Time,
        /// The summary up to then.
        partial: Box<Summary>,
    },
}
