//! What libbpf has to say: kept for the error instead of printed.

use libbpf_rs::{PrintLevel, set_print};
use std::sync::{Mutex, Once, PoisonError};

/// Lines that are kept for people.
const LINES: usize = 30;

static SAID: Mutex<String> = Mutex::new(String::new());

fn keep(_: PrintLevel, message: String) {
    *SAID.lock().unwrap_or_else(PoisonError::into_inner) += &message;
}

/// What libbpf warns of from now on is kept, not printed.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        set_print(Some((PrintLevel::Warn, keep)));
    });
}

/// What it said since it was last asked: of a verifier's long log the end, where the reason is.
pub(crate) fn take() -> String {
    let said = std::mem::take(&mut *SAID.lock().unwrap_or_else(PoisonError::into_inner));
    let lines: Vec<_> = said.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
