//! System calls for which rustix has no safe function.
#![allow(unsafe_code)]

use rustix::thread::UnshareFlags;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

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

fn succeeded(done: i32) -> io::Result<()> {
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
