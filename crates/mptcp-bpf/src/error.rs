//! The errors of this crate.

use std::io;
use std::path::PathBuf;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// The action that failed, such as `open`.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// A BPF operation.
    #[error("cannot {doing}: {source}{}", notes(messages))]
    Bpf {
        /// The action that failed, such as `load ab_lia`.
        doing: String,
        /// The kernel's answer.
        source: libbpf_rs::Error,
        /// libbpf's messages, with the verifier's log.
        messages: String,
    },
    /// Another process holds the registration, and this kernel does not allow us to end it.
    #[error("another process keeps {0} registered: end it first (find it with `bpftool link show`)")]
    Held(&'static str),
    /// A network namespace does not exist, users other than root may change the pins, or another process has locked them.
    #[error("{0}")]
    Unusable(String),
    /// A type or a map of the kernel has an unknown layout.
    #[error("this kernel's {0} has an unknown layout")]
    Layout(&'static str),
}

/// The messages on their own lines.
fn notes(messages: &str) -> String {
    if messages.is_empty() { String::new() } else { format!("\n{messages}") }
}

impl Error {
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Error::File { doing, path, source }
    }

    pub(crate) fn bpf(doing: impl Into<String>) -> impl FnOnce(libbpf_rs::Error) -> Self {
        let doing = doing.into();
        move |source| Error::Bpf { doing, source, messages: String::new() }
    }
}
