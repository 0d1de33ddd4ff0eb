//! The errors of this crate.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// The action that failed, such as `open`.
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Something of BPF.
    #[error("cannot {doing}: {source}{}", notes(messages))]
    Bpf {
        /// The action that failed, such as `load ab_lia`.
        doing: String,
        /// The kernel's answer.
        source: libbpf_rs::Error,
        /// libbpf's messages, with the verifier's log.
        messages: String,
    },
    /// Somebody else holds the registration, and this kernel does not let us end it.
    #[error("another process keeps {0} registered: end it first (`bpftool link show` names it)")]
    Held(&'static str),
    /// A file or directory that others than root may change.
    #[error("{} is not root's alone: {found}. {remedy}", path.display())]
    Shared {
        /// Which file.
        path: PathBuf,
        /// Its kind, or its owner and mode.
        found: String,
        /// The remedy, for people.
        remedy: &'static str,
    },
    /// Another process holds the lock of the pins.
    #[error("{} is locked by {holder}, for longer than {limit:?}: wait for it, or end it", path.display())]
    Locked {
        /// Which file.
        path: PathBuf,
        /// Whoever has it.
        holder: String,
        /// The time for which it was waited.
        limit: Duration,
    },
    /// The kernel's types have no such member, or its maps another content than is known.
    #[error("this kernel's {0} is not what is known of it")]
    Layout(&'static str),
}

/// On lines of their own.
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
