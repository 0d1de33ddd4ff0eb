//! What differs in a guest, whose clock counts instructions.

#![allow(unsafe_code)]

use crate::realtime;
use std::arch::asm;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, thread};

static ENTERED: AtomicBool = AtomicBool::new(false);

/// Makes this process the one of a guest in virtual time, where the emulator's accuracy costs no packets. A thread that any other preempts
/// runs `nop`s, which QEMU translates to nothing. When the processor idles instead, QEMU's main loop moves the clock: this takes a
/// multiple of the time, and may happen some instructions early.
///
/// # Errors
/// There are no resources for a thread.
pub fn enter_virtual_time() -> io::Result<()> {
    ENTERED.store(true, Ordering::Relaxed);
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

pub(crate) fn is_virtual_time() -> bool {
    ENTERED.load(Ordering::Relaxed)
}
