//! The sending end: opens the connection, writes the application's data, and adds and removes subflows.

use super::membership::Membership;
use super::pattern;
use super::shared::Shared;
use super::source::Source;
use crate::TestbedError;
use crate::pair::{RECEIVER, sender_address};
use crate::socket::connecting;
use anabranch_net::Time;
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown, sockopt};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The size of a request in bytes; it contains the size of the answer.
pub(super) const REQUEST: usize = size_of::<u64>();

pub(super) struct Sender {
    pub(super) shared: Arc<Shared>,
    pub(super) membership: Membership,
    pub(super) source: Source,
    pub(super) congestion_control: String,
    pub(super) multipath: bool,
    /// Whether the receiver sends requests.
    pub(super) serves: bool,
    pub(super) open_at: Time,
    pub(super) stop_at: Time,
}

impl Sender {
    /// Opens the connection and sends until the end of the application or the run.
    pub(super) fn run(mut self) -> Result<(), TestbedError> {
        // Before time 0 the emulator's clock stands still, so a SYN would measure a longer round trip.
        while !self.shared.clock.until(Time::ZERO).is_zero() {
            if self.shared.is_over_after(None, Time::ZERO)? {
                return Ok(());
            }
        }
        let Some(socket) = self.connect()? else { return Ok(()) };
        self.shared.sender.open(&socket);
        let sent = self.send(&socket);
        let aborted = self.shared.sender.abort().map_err(TestbedError::kernel("close the connection"));
        sent.and(aborted)
    }

    /// `None` if the run or the flow ends before.
    fn connect(&mut self) -> Result<Option<Arc<OwnedFd>>, TestbedError> {
        let mut tried: Option<(usize, OwnedFd)> = None;
        loop {
            let now = self.shared.clock.now();
            self.membership.advance(now)?;
            if now >= self.stop_at {
                return Ok(None);
            }
            let path = self.membership.first().filter(|_| now >= self.open_at);
            // If the path leaves before the connection exists, the next path opens it.
            tried = tried.filter(|(path, _)| self.membership.wanted[*path]);
            if let (None, Some(path)) = (&tried, path) {
                let from = sender_address(path);
                let doing = format!("connect from {from} by {}", self.congestion_control);
                let socket = connecting(from, RECEIVER, self.multipath, &self.congestion_control);
                tried = Some((path, socket.map_err(TestbedError::kernel(doing))?));
            }
            let watched = tried.as_ref().map(|(_, socket)| (socket.as_fd(), PollFlags::OUT));
            let opening = if now < self.open_at { self.open_at } else { Time::NEVER };
            let until = self.membership.next_at().min(self.stop_at).min(opening);
            if self.shared.is_over_after(watched, until)? {
                return Ok(None);
            }
            if let Some((path, socket)) = tried.take() {
                let doing = format!("connect from {}", sender_address(path));
                let state = sockopt::socket_error(&socket).and_then(|state| state);
                state.map_err(TestbedError::kernel(doing))?;
                match rustix::net::getpeername(&socket) {
                    Ok(_) => return Ok(Some(Arc::new(socket))),
                    Err(_) => tried = Some((path, socket)),
                }
            }
        }
    }

    fn send(&mut self, socket: &OwnedFd) -> Result<(), TestbedError> {
        self.source.establish(self.shared.clock.now());
        let mut sent = 0;
        let mut open = true;
        loop {
            let now = self.shared.clock.now();
            self.membership.advance(now)?;
            if now >= self.stop_at {
                self.stop_at = Time::NEVER;
                self.source.stop(sent);
                if open && !self.serves {
                    self.shared.is_aborted.store(true, Ordering::SeqCst);
                    return Ok(());
                }
            }
            self.source.advance(now, sent);
            if self.serves {
                self.take_requests(socket).map_err(TestbedError::kernel("read a request"))?;
            }
            let blocked = self.write(socket, &mut sent).map_err(TestbedError::kernel("send"))?;
            if open && self.source.closed && sent == self.source.written {
                shutdown(socket, Shutdown::Write).map_err(TestbedError::kernel("end the stream"))?;
                open = false;
            }
            let mut interest = PollFlags::empty();
            interest.set(PollFlags::OUT, blocked);
            interest.set(PollFlags::IN, self.serves && !self.source.closed);
            let watched = (!interest.is_empty()).then_some((socket.as_fd(), interest));
            let until = self.source.next_at.min(self.membership.next_at()).min(self.stop_at);
            if self.shared.is_over_after(watched, until)? {
                return Ok(());
            }
        }
    }

    /// Writes until the kernel's buffer is full; returns whether data is left.
    fn write(&self, socket: &OwnedFd, sent: &mut u64) -> io::Result<bool> {
        while *sent < self.source.written {
            let left = self.source.written - *sent;
            let len = left.min(pattern::CHUNK as u64);
            let mut flags = SendFlags::NOSIGNAL;
            // Avoids a short segment between two chunks.
            flags.set(SendFlags::MORE, left > len);
            match send(socket, pattern::bytes(*sent, len as usize), flags) {
                Ok(taken) => *sent += taken as u64,
                Err(Errno::AGAIN) => return Ok(true),
                Err(Errno::INTR) => (),
                Err(e) => return Err(e.into()),
            }
        }
        Ok(false)
    }

    /// Reads the receiver's requests; their end closes the application.
    fn take_requests(&mut self, socket: &OwnedFd) -> io::Result<()> {
        let mut request = [0; REQUEST];
        while !self.source.closed {
            // A request is a single write into an empty buffer, so it arrives complete.
            match recv(socket, &mut request[..], RecvFlags::empty()) {
                Ok((0, _)) => self.source.closed = true,
                Ok((REQUEST, _)) => self.source.respond(u64::from_ne_bytes(request)),
                Ok((len, _)) => return Err(io::Error::other(format!("incomplete request: {len} bytes"))),
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => (),
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }
}
