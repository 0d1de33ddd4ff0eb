//! Priorities of threads.

#![allow(unsafe_code)]

use std::io;

/// Priority of the emulator's thread: above the traffic's, or packets would wait for their senders.
pub(crate) const EMULATOR: i32 = 2;
/// Priority of the thread that samples sockets, equal to the traffic's threads.
pub(crate) const OBSERVER: i32 = 1;
/// Priority of the traffic's threads: above all other work on the machine.
pub(crate) const TRAFFIC: i32 = 1;

/// Sets the calling thread's `SCHED_FIFO` priority, which needs a privilege. Its children do not inherit it.
pub fn raise(priority: i32) -> io::Result<()> {
    schedule(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, priority)
}

/// Returns the calling thread to normal priority.
pub(crate) fn lower() -> io::Result<()> {
    schedule(libc::SCHED_OTHER, 0)
}

/// Lets every other thread that wakes preempt the calling one.
pub(crate) fn idle() -> io::Result<()> {
    schedule(libc::SCHED_IDLE, 0)
}

fn schedule(policy: i32, priority: i32) -> io::Result<()> {
    // SAFETY: a zeroed `sched_param` is valid: its fields are numbers.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: 0 is the calling thread, and the kernel reads the parameters while they live.
    match unsafe { libc::sched_setscheduler(0, policy, &parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
