//! System calls that no library wraps safely.

use libbpf_rs::Error;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Makes the kernel measure the run time of BPF programs until the descriptor is closed.
pub(crate) fn enable_statistics() -> Result<OwnedFd, Error> {
    // SAFETY: a system call without pointers.
    #[allow(unsafe_code)]
    let descriptor = unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) };
    wrap_descriptor(descriptor)
}

/// Detaches a link of any process (Linux 6.11).
pub(crate) fn detach_link(id: u32) -> Result<(), Error> {
    // SAFETY: a system call without pointers.
    #[allow(unsafe_code)]
    let descriptor = wrap_descriptor(unsafe { libbpf_sys::bpf_link_get_fd_by_id(id) })?;
    // SAFETY: a system call without pointers, on a descriptor that is open.
    #[allow(unsafe_code)]
    let result = unsafe { libbpf_sys::bpf_link_detach(descriptor.as_raw_fd()) };
    if result < 0 { Err(Error::from_raw_os_error(-result)) } else { Ok(()) }
}

/// Gives the calling thread a working directory and a root of its own, without which it may not enter a mount namespace.
pub(crate) fn unshare_working_directory() -> io::Result<()> {
    // SAFETY: threads still share everything else.
    #[allow(unsafe_code)]
    unsafe { unshare_unsafe(UnshareFlags::FS) }.map_err(Into::into)
}

/// Wraps the descriptor that a system call returned.
fn wrap_descriptor(descriptor: i32) -> Result<OwnedFd, Error> {
    if descriptor < 0 {
        return Err(Error::from_raw_os_error(-descriptor));
    }
    // SAFETY: the kernel has just created it, so this is its only owner.
    #[allow(unsafe_code)]
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}
