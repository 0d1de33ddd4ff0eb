//! TCP and MPTCP sockets in the calling thread's host.

use crate::sys;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, bind, connect, ipproto, listen, socket_with, sockopt,
};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::time::Duration;

/// The most unsent bytes in the kernel: enough for the time between two writes, and few when the application stops.
const UNSENT: i32 = 128 << 10;

const BACKLOG: i32 = 16;

pub(crate) fn listener(at: SocketAddrV4, multipath: bool) -> io::Result<OwnedFd> {
    let socket = open(multipath)?;
    bind(&socket, &at)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

/// A connecting socket with this address and congestion control; it becomes writable once connected.
pub(crate) fn connecting(
    from: Ipv4Addr,
    to: SocketAddrV4,
    multipath: bool,
    congestion_control: &str,
) -> io::Result<OwnedFd> {
    let socket = open(multipath)?;
    sockopt::set_tcp_congestion(&socket, congestion_control)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match sys::set_socket_option(&socket, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, UNSENT) {
        // MPTCP before Linux 6.10.
        Err(e) if multipath && matches!(e.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOPROTOOPT)) => (),
        done => done?,
    }
    bind(&socket, &SocketAddrV4::new(from, 0))?;
    match connect(&socket, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
        Err(e) => Err(e.into()),
    }
}

fn open(multipath: bool) -> io::Result<OwnedFd> {
    let protocol = if multipath { ipproto::MPTCP } else { ipproto::TCP };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, Some(protocol))?;
    // Every close of the socket is a reset, even if its process is killed.
    sockopt::set_socket_linger(&socket, Some(Duration::ZERO))?;
    Ok(socket)
}
