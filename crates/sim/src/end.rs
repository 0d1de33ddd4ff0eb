//! How a run ends.

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
    #[error("the stream of `{flow}` broke at {at}: chunk {chunk} has offset {found} instead of {expected}")]
    Corrupt {
        /// The flow.
        flow: String,
        /// When.
        at: Time,
        /// The misplaced chunk.
        chunk: u64,
        /// Its expected offset in the stream, modulo 2³².
        expected: u32,
        /// Its actual offset.
        found: u32,
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
    /// A session cannot set the windows of a flow with a connection for each transfer.
    #[error("flow `{flow}` opens a connection for each transfer: set `connections = \"one\"` to control it")]
    Uncontrolled {
        /// The flow.
        flow: String,
    },
    /// Too many subflows.
    #[error("flow `{flow}` has {paths} paths, the limit of its algorithm is {most}")]
    TooManyPaths {
        /// The flow.
        flow: String,
        /// The number of its paths.
        paths: usize,
        /// The most paths that the algorithm allows.
        most: usize,
    },
    /// A path with too many links.
    #[error("flow `{flow}` has a path with more than 65534 links")]
    TooManyLinks {
        /// The flow.
        flow: String,
    },
    /// A segment size that does not leave room for headers.
    #[error("flow `{flow}`: the mss of {mss} bytes is out of range, it must be from 21 to 65335")]
    Mss {
        /// The flow.
        flow: String,
        /// The size, in bytes.
        mss: u16,
    },
    /// The algorithm is a controller of a QUIC stack.
    #[error(
        "flow `{flow}`: {cc} is a controller of a QUIC stack, and this flow is not QUIC: \
         use `--backend noq` without `transport = \"tcp\"`, or another `cc`"
    )]
    OfStack {
        /// The flow.
        flow: String,
        /// The controller.
        cc: &'static str,
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
