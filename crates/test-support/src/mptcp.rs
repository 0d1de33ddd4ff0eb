//! MPTCP sockets of our own.

use crate::lab::SERVER;
use crate::namespace::{self, Namespace, mptcp_socket};
use anabranch_net::Random;
use rustix::net::{connect, ipproto};
use std::io::{self, Read, Write};
use std::iter::repeat_with;
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Data in which nothing repeats.
pub fn noise(bytes: usize) -> Vec<u8> {
    let mut random = Random::new(1, 0);
    repeat_with(|| random.bits().to_le_bytes()).flatten().take(bytes).collect()
}

/// Sends as fast as the socket takes it, until the socket is shut down.
pub fn flood(mut socket: &TcpStream) {
    while socket.write_all(&[0; 1 << 17]).is_ok() {}
}

/// Counts what arrives, to its end.
pub fn count(mut socket: TcpStream, received: &AtomicU64) {
    let mut buffer = vec![0; 1 << 18];
    while let Ok(bytes @ 1..) = socket.read(&mut buffer) {
        received.fetch_add(bytes as u64, Relaxed);
    }
}

fn server(port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(SERVER.parse().unwrap(), port)
}

/// Listens at the server's address.
pub fn listener(namespace: &Namespace, port: u16) -> TcpListener {
    namespace.run(|| namespace::listener(ipproto::MPTCP, server(port)))
}

/// Connects to the server's address, from the namespace of the calling thread.
pub fn connection(port: u16) -> io::Result<TcpStream> {
    let socket = mptcp_socket();
    connect(&socket, &server(port))?;
    Ok(socket.into())
}
