//! MPTCP sockets of our own.

use crate::lab::SERVER;
use crate::namespace::{self, Namespace, mptcp_socket};
use anabranch_net::Random;
use rustix::net::{connect, ipproto};
use std::io;
use std::iter::repeat_with;
use std::net::{SocketAddrV4, TcpListener, TcpStream};

/// Data in which nothing repeats.
pub fn noise(bytes: usize) -> Vec<u8> {
    let mut random = Random::new(1, 0);
    repeat_with(|| random.bits().to_le_bytes()).flatten().take(bytes).collect()
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
