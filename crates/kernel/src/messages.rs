//! What libbpf has to say: kept for the error instead of printed.

use libbpf_rs::{PrintLevel, set_print};
use std::sync::{Mutex, Once, PoisonError};

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

/// What it said since it was last asked.
pub(crate) fn take() -> String {
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *said).trim_end().to_owned()
}
