//! What differs in a guest, whose clock counts instructions.

#![allow(unsafe_code)]

use crate::realtime;
use std::arch::asm;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::{io, thread};

static DECLARED: AtomicBool = AtomicBool::new(false);

/// Declares that this process is in a guest in virtual time, where the emulator's wake-ups take no time of the host. From then on,
/// the guest's processor never idles. If it did, QEMU's main loop would move the clock, which takes longer and may happen some instructions
/// early.
///
/// # Errors
/// The kernel refuses a thread or its priority.
pub fn declare_virtual_time() -> io::Result<()> {
    DECLARED.store(true, Ordering::Relaxed);
    let (sender, lowered) = channel();
    // In this process, because a switch between two would flush the translated addresses.
    let run = move || {
        let _ = sender.send(realtime::idle());
        loop {
            // QEMU counts them, but makes no code of them. It translates at most 512 instructions at a time.
            // SAFETY: they change nothing.
            unsafe { asm!(".rept 400", "nop", ".endr", options(nomem, nostack, preserves_flags)) };
        }
    };
    thread::Builder::new().name("busy".into()).spawn(run)?;
    lowered.recv().map_err(io::Error::other)?
}

pub(crate) fn is_virtual_time() -> bool {
    DECLARED.load(Ordering::Relaxed)
}
