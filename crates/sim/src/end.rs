//! How a run ends.

use crate::stream::Corrupt;
use anabranch_cc::registry::ParamError;
use anabranch_net::Time;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the end of the scenario.
    Reached,
    /// The transfer of a lone run completed after that time.
    Completed(Time),
    /// `keep_going` returned false at that time.
    Cancelled(Time),
}

/// Why a run has no summary.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// A receiver got bytes twice, not at all or out of order: a bug in the simulator.
    #[error("the stream of `{flow}` broke at {at}: {corrupt}")]
    Corrupt {
        /// The flow.
        flow: String,
        /// When.
        at: Time,
        /// Where.
        corrupt: Corrupt,
    },
    /// Endless events at one instant: a bug in the simulator.
    #[error("endless events at {at}")]
    Livelock {
        /// When.
        at: Time,
    },
    /// The algorithm rejects its parameters.
    #[error("flow `{flow}`, algorithm {cc}: {source}")]
    Parameters {
        /// The flow.
        flow: String,
        /// The algorithm.
        cc: &'static str,
        /// The reason.
        source: ParamError,
    },
    /// Too many transfers have open connections.
    #[error(
        "flow `{flow}`: too many transfers with open connections at {at}, the limit is {most}; \
         lower the load, shorten the paths, make transfers larger, or set `connections = \"one\"`"
    )]
    TooManyOpen {
        /// The flow.
        flow: String,
        /// The simulated time.
        at: Time,
        /// The most open connections of transfers, of all flows.
        most: usize,
    },
    /// A flow that cannot be simulated.
    #[error("flow `{flow}`{why}")]
    Flow {
        /// The flow.
        flow: String,
        /// The reason, which continues its name: it begins with a space or a colon.
        why: String,
    },
    /// The end points of a hosted flow cannot continue.
    #[error("flow `{flow}` at {at}: {why}")]
    Endpoints {
        /// The flow.
        flow: String,
        /// The simulated time.
        at: Time,
        /// The reason.
        why: String,
    },
    /// Too many links and flows for the event queue.
    #[error("the scenario is too large: {targets} sources of events, the limit is 16777216")]
    TooLarge {
        /// The number of sources.
        targets: usize,
    },
}
