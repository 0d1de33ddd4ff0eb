//! What can go wrong.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or directory.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// What was tried, such as `open`.
        doing: &'static str,
        /// Which file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// Something of BPF.
    #[error("cannot {doing}: {source}{}", notes(messages))]
    Bpf {
        /// What was tried, such as `load ab_lia`.
        doing: String,
        /// What the kernel said.
        source: libbpf_rs::Error,
        /// What libbpf said, with the verifier's log.
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
        /// What it is instead.
        found: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// Another process holds the lock of the pins.
    #[error("{} is locked by {holder}, for longer than {limit:?}: wait for it, or end it", path.display())]
    Locked {
        /// Which file.
        path: PathBuf,
        /// Whoever has it.
        holder: String,
        /// How long it was waited for.
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
