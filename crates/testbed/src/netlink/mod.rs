//! Requests to the kernel's network configuration, one at a time, each with its answer.

mod path_manager;
mod route;

pub use path_manager::{Endpoint, PathManager};
pub(crate) use route::set_up;
pub use route::{Route, Routes};

use netlink_packet_core::{
    ErrorMessage, NLM_F_ACK, NLM_F_REQUEST, NetlinkDeserializable, NetlinkHeader, NetlinkMessage,
    NetlinkPayload, NetlinkSerializable, NlasIterator,
};
use netlink_sys::{Socket, SocketAddr};
use std::io;

/// The size of the header that the kernel repeats in a refusal, and the attribute after it with the message
/// (linux/netlink.h).
const REFUSED_HEADER: usize = 16;
const NLMSGERR_ATTR_MSG: u16 = 1;

/// A netlink socket in the namespace of the thread that opened it.
struct Netlink(Socket);

impl Netlink {
    fn open(protocol: isize) -> io::Result<Self> {
        let mut socket = Socket::new(protocol)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        socket.set_cap_ack(true)?;
        socket.set_ext_ack(true)?;
        Ok(Netlink(socket))
    }

    /// Sends a request and returns the kernel's answer before its acknowledgement.
    fn request<T>(&self, message: T, flags: u16) -> io::Result<Vec<T>>
    where
        T: NetlinkSerializable + NetlinkDeserializable,
        NetlinkPayload<T>: From<T>,
    {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | NLM_F_ACK | flags;
        let mut request = NetlinkMessage::new(header, NetlinkPayload::from(message));
        request.finalize();
        let mut bytes = vec![0; request.buffer_len()];
        request.serialize(&mut bytes);
        self.0.send(&bytes, 0)?;
        let mut answers = Vec::new();
        loop {
            let (datagram, _) = self.0.recv_from_full()?;
            let mut rest = datagram.as_slice();
            while !rest.is_empty() {
                let answer = NetlinkMessage::<T>::deserialize(rest).map_err(io::Error::other)?;
                // Messages begin at multiples of four bytes.
                let len = (answer.header.length as usize).next_multiple_of(4).min(rest.len());
                rest = &rest[len..];
                match answer.payload {
                    NetlinkPayload::Error(error) if error.code.is_none() => return Ok(answers),
                    NetlinkPayload::Error(error) => return Err(refusal(&error)),
                    NetlinkPayload::InnerMessage(message) => answers.push(message),
                    _ => (),
                }
            }
        }
    }
}

/// The kernel's error with its text.
fn refusal(error: &ErrorMessage) -> io::Error {
    let cause = error.to_io();
    let attributes = NlasIterator::new(error.header.get(REFUSED_HEADER..).unwrap_or_default());
    let text = attributes.flatten().find(|attribute| attribute.kind() == NLMSGERR_ATTR_MSG);
    match text {
        Some(text) => {
            let text = String::from_utf8_lossy(text.value());
            io::Error::new(cause.kind(), format!("{cause}: {}", text.trim_end_matches('\0')))
        }
        None => cause,
    }
}
