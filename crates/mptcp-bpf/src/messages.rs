//! Collects libbpf's messages for errors instead of printing them.

use libbpf_rs::{PrintLevel, set_print};
use std::sync::{Mutex, Once, PoisonError};

/// The most lines in an error.
const LINES: usize = 30;

static BUFFER: Mutex<String> = Mutex::new(String::new());

fn keep(_: PrintLevel, message: String) {
    *BUFFER.lock().unwrap_or_else(PoisonError::into_inner) += &message;
}

/// Collects libbpf's warnings from now on.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        set_print(Some((PrintLevel::Warn, keep)));
    });
}

/// The messages since the last call: the end of the verifier's log, where the reason is.
pub(crate) fn take() -> String {
    let said = std::mem::take(&mut *BUFFER.lock().unwrap_or_else(PoisonError::into_inner));
    let lines: Vec<_> = said.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
