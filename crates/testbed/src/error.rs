//! Why a scenario has no run on the kernel.

use anabranch_net::Time;
use anabranch_record::Summary;
use std::io;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum TestbedError {
    /// The kernel cannot do what the scenario asks for.
    #[error("`{key}`: {why}")]
    Inexpressible {
        /// The scenario's key.
        key: String,
        /// The reason, and what would be right.
        why: String,
    },
    /// This machine, or this user, cannot run anything on its kernel.
    #[error("{0}")]
    Environment(String),
    /// The kernel refused a step.
    #[error("cannot {doing}: {source}")]
    Kernel {
        /// The step.
        doing: String,
        /// What the kernel says.
        #[source]
        source: io::Error,
    },
    /// `keep_going` said no.
    #[error("interrupted at {at}")]
    Interrupted {
        /// At that time of the run.
        at: Time,
        /// What was measured by then; none where the run had not begun.
        partial: Option<Box<Summary>>,
    },
    /// The run itself failed: bytes arrived that were not sent, or a part of the testbed ended.
    #[error("{0}")]
    Failed(String),
}

impl TestbedError {
    /// The kernel's refusal of a step, as a closure for `map_err`.
    pub(crate) fn kernel<E: Into<io::Error>>(doing: impl Into<String>) -> impl FnOnce(E) -> Self {
        let doing = doing.into();
        move |source| TestbedError::Kernel { doing, source: source.into() }
    }
}
