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
    /// The kernel refused a step. A run is then repeated; see [`TestbedError::Failed`].
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
    /// A connection broke off, or a program of the run ended. A run is then repeated; see [`TestbedError::Failed`].
    #[error("{0}")]
    Broken(String),
    /// The run itself failed: bytes arrived that were not sent, a part of the testbed panicked, or no attempt came to its end.
    #[error("{0}")]
    Failed(String),
}

impl TestbedError {
    /// Whether another attempt may do better.
    pub(crate) fn is_of_one_run(&self) -> bool {
        matches!(self, TestbedError::Kernel { .. } | TestbedError::Broken(_))
    }

    /// The last of so many attempts broke off by it.
    pub(crate) fn after(self, attempts: u32) -> Self {
        TestbedError::Failed(format!("no valid run in {attempts} attempts; the last one broke off: {self}"))
    }

    /// The kernel's refusal of a step, as a closure for `map_err`.
    pub(crate) fn kernel<E: Into<io::Error>>(doing: impl Into<String>) -> impl FnOnce(E) -> Self {
        let doing = doing.into();
        move |source| TestbedError::Kernel { doing, source: source.into() }
    }
}
