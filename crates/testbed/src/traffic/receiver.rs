//! The receiving end: accepts the connection, checks every byte, and sends the application's requests.

use super::client::Client;
use super::pattern;
use super::shared::Shared;
use crate::TestbedError;
use anabranch_net::Time;
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, SocketFlags, accept_with, recv, send, shutdown, sockopt};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// Reads of the socket between two reads of the clock.
const READS: usize = 16;

pub(super) struct Receiver {
    pub(super) shared: Arc<Shared>,
    /// The listener stays open, because subflows join through it.
    pub(super) listener: OwnedFd,
    pub(super) client: Client,
    pub(super) stop_at: Time,
}

impl Receiver {
    /// Accepts the connection and reads until the end of the run.
    pub(super) fn run(mut self) -> Result<(), TestbedError> {
        let Some(socket) = self.accept()? else { return Ok(()) };
        self.shared.receiver.open(&socket);
        let received = self.receive(&socket);
        let aborted = self.shared.receiver.abort().map_err(TestbedError::kernel("close the connection"));
        received.and(aborted)
    }

    /// `None` if the run ends before.
    fn accept(&self) -> Result<Option<Arc<OwnedFd>>, TestbedError> {
        loop {
            let watched = Some((self.listener.as_fd(), PollFlags::IN));
            if self.shared.is_over_after(watched, Time::NEVER)? {
                return Ok(None);
            }
            match accept_with(&self.listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
                Ok(socket) => {
                    sockopt::set_tcp_nodelay(&socket, true)
                        .map_err(TestbedError::kernel("set TCP_NODELAY"))?;
                    return Ok(Some(Arc::new(socket)));
                }
                // A connection may be closed before it is accepted.
                Err(Errno::AGAIN | Errno::INTR | Errno::CONNABORTED) => (),
                Err(e) => return Err(TestbedError::kernel("accept the connection")(e)),
            }
        }
    }

    fn receive(&mut self, socket: &OwnedFd) -> Result<(), TestbedError> {
        let mut buffer = vec![0; pattern::CHUNK];
        let mut open = true;
        let mut says_no_more = self.client.done;
        self.client.establish(self.shared.clock.now());
        loop {
            let now = self.shared.clock.now();
            if now >= self.stop_at {
                self.stop_at = Time::NEVER;
                self.client.stop();
            }
            if open {
                open = self.read(socket, &mut buffer)?;
                self.send_due_request(socket)?;
            }
            if self.client.done && !says_no_more {
                says_no_more = true;
                shutdown(socket, Shutdown::Write).map_err(TestbedError::kernel("end the requests"))?;
            }
            let watched = open.then_some((socket.as_fd(), PollFlags::IN));
            if self.shared.is_over_after(watched, self.client.next_at.min(self.stop_at))? {
                return Ok(());
            }
        }
    }

    /// Reads and checks the available data; returns whether more can arrive.
    fn read(&mut self, socket: &OwnedFd, buffer: &mut [u8]) -> Result<bool, TestbedError> {
        for _ in 0..READS {
            let len = match recv(socket, &mut *buffer, RecvFlags::empty()) {
                Ok((len, _)) => len,
                Err(Errno::AGAIN) => return Ok(true),
                Err(Errno::INTR) => continue,
                // The sender has reset the connection.
                Err(_) if self.shared.is_aborted() => return Ok(false),
                Err(e) => return Err(TestbedError::kernel("receive")(e)),
            };
            let now = self.shared.clock.now();
            if len == 0 {
                if !self.shared.is_aborted() {
                    let _ = self.shared.finished.set(now);
                }
                return Ok(false);
            }
            let before = self.shared.received.load(Ordering::Relaxed);
            if let Some(offset) = pattern::mismatch(before, &buffer[..len]) {
                return Err(TestbedError::Failed(format!("byte {offset} differs from the sent one")));
            }
            let received = before + len as u64;
            self.shared.received.store(received, Ordering::Release);
            if let Some(completed) = self.client.receive(now, received) {
                self.shared.completed.lock().unwrap_or_else(PoisonError::into_inner).push(completed);
            }
        }
        Ok(true)
    }

    fn send_due_request(&mut self, socket: &OwnedFd) -> Result<(), TestbedError> {
        let received = self.shared.received.load(Ordering::Relaxed);
        let Some(bytes) = self.client.next_request(self.shared.clock.now(), received) else { return Ok(()) };
        let sent = send(socket, &bytes.to_ne_bytes(), SendFlags::NOSIGNAL);
        sent.map(drop).map_err(TestbedError::kernel("send a request"))
    }
}
