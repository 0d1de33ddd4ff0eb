//! System calls for which rustix has no safe function.
#![allow(unsafe_code)]

use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
use rustix::thread::UnshareFlags;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Moves the calling thread into a new network namespace.
pub(crate) fn unshare_network() -> io::Result<()> {
    // SAFETY: only the calling thread's network namespace changes; its file descriptors stay shared.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) }.map_err(Into::into)
}

/// Reads a socket option into `value`; returns the number of bytes that the kernel has written.
pub(crate) fn socket_option(socket: impl AsFd, level: i32, name: i32, value: &mut [u8]) -> io::Result<usize> {
    let mut len = value.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes, which is the length of `value`.
    let done = unsafe {
        libc::getsockopt(socket.as_fd().as_raw_fd(), level, name, value.as_mut_ptr().cast(), &mut len)
    };
    succeeded(done)?;
    Ok(len as usize)
}

pub(crate) fn set_socket_option(socket: impl AsFd, level: i32, name: i32, value: i32) -> io::Result<()> {
    let len = size_of::<i32>() as libc::socklen_t;
    // SAFETY: the kernel reads `len` bytes, which is the size of `value`.
    succeeded(unsafe {
        libc::setsockopt(socket.as_fd().as_raw_fd(), level, name, (&raw const value).cast(), len)
    })
}

/// Makes the kernel kill the process when the thread that starts it ends.
pub(crate) fn end_with_thread(program: &mut Command) {
    let parent = getpid();
    let end_with_parent = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The thread may have ended before.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
    };
    // SAFETY: between fork and exec it makes two system calls, and neither allocates nor locks.
    unsafe {
        program.pre_exec(end_with_parent);
    }
}

fn succeeded(done: i32) -> io::Result<()> {
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
