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
    /// A file or directory that users other than root may change.
    #[error("users other than root may change {}: {found}. {remedy}", path.display())]
    Shared {
        /// The file.
        path: PathBuf,
        /// Its kind, or its owner and mode.
        found: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// Another process holds the lock of the pins.
    #[error("{holder} has locked {} for longer than {limit:?}: wait for it, or end it", path.display())]
    Locked {
        /// The path.
        path: PathBuf,
        /// The process that holds the lock.
        holder: String,
        /// The waiting time.
        limit: Duration,
    },
    /// A network namespace.
    #[error("there is no {} `{name}`; {}", sought(name), known_names(known))]
    NoNamespace {
        /// The name, path or process's number.
        name: String,
        /// The names of `ip netns`.
        known: Vec<String>,
    },
    /// A type or a map of the kernel has an unknown layout.
    #[error("this kernel's {0} has an unknown layout")]
    Layout(&'static str),
}

/// A number may also be a process's.
fn sought(name: &str) -> &'static str {
    if name.parse::<u32>().is_ok() { "process or network namespace" } else { "network namespace" }
}

fn known_names(known: &[String]) -> String {
    match known {
        [] => "none has a name (`ip netns add NAME` makes one): give a path or the number of a process in it"
            .to_owned(),
        known => format!("`ip netns` knows these names: {}", known.join(", ")),
    }
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
