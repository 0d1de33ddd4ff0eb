//! Keeps a guest's processor busy. When it idles, QEMU's main loop moves the clock: this costs time, and may happen some instructions
//! early. QEMU translates a block of `nop`s to nothing, so that virtual time passes at once.

#![allow(unsafe_code)]

use crate::realtime;
use std::arch::asm;
use std::{io, thread};

/// Runs `nop`s in a thread that any other preempts, until the process ends.
///
/// # Errors
/// There are no resources for a thread.
pub fn keep_busy() -> io::Result<()> {
    // In this process, because a switch between two would flush the translated addresses.
    let run = || {
        if realtime::idle().is_ok() {
            loop {
                // SAFETY: they change nothing.
                unsafe { asm!(".rept 400", "nop", ".endr", options(nomem, nostack, preserves_flags)) };
            }
        }
    };
    thread::Builder::new().name("busy".into()).spawn(run).map(drop)
}
