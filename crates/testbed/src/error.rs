//! Errors of runs on the kernel.

use anabranch_net::Time;
use anabranch_record::Summary;
use std::io;

/// An error of a run on the kernel.
#[derive(Debug, thiserror::Error)]
pub enum TestbedError {
    /// The kernel does not support a key of the scenario.
    #[error("`{key}`: {why}")]
    Inexpressible {
        /// The scenario's key.
        key: String,
        /// The reason and the remedy.
        why: String,
    },
    /// This machine or this user cannot run scenarios on the kernel.
    #[error("{0}")]
    Environment(String),
    /// A system call failed. The run is then repeated; see [`TestbedError::Failed`].
    #[error("cannot {doing}: {source}")]
    Kernel {
        /// The action that failed.
        doing: String,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// `keep_going` returned false.
    #[error("interrupted at {at}")]
    Interrupted {
        /// The time of the run.
        at: Time,
        /// The measurements until then; `None` if the run had not begun.
        partial: Option<Box<Summary>>,
    },
    /// A connection or a program of the run ended early. The run is then repeated; see [`TestbedError::Failed`].
    #[error("{0}")]
    Broken(String),
    /// The run failed: bytes arrived that were not sent, a thread of the testbed panicked, or no attempt succeeded.
    #[error("{0}")]
    Failed(String),
}

impl TestbedError {
    /// Whether another attempt may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self, TestbedError::Kernel { .. } | TestbedError::Broken(_))
    }

    /// Wraps a failed system call, as a closure for `map_err`.
    pub(crate) fn kernel<E: Into<io::Error>>(doing: impl Into<String>) -> impl FnOnce(E) -> Self {
        let doing = doing.into();
        move |source| TestbedError::Kernel { doing, source: source.into() }
    }
}
