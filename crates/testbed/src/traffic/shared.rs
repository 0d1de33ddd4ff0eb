//! State that both ends of a connection share with each other and with the observer.

use super::client::Completed;
use crate::TestbedError;
use crate::clock::Clock;
use crate::tcp_info::{Multipath, Subflow, multipath, subflows};
use anabranch_net::Time;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::net::connect_unspec;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// A connection's state, shared by its threads.
pub(super) struct Shared {
    pub(super) clock: Clock,
    pub(super) sender: End,
    pub(super) receiver: End,
    /// Bytes that the receiver has read, in order and checked.
    pub(super) received: AtomicU64,
    pub(super) completed: Mutex<Vec<Completed>>,
    /// The time at which the receiver had read everything.
    pub(super) finished: OnceLock<Time>,
    /// Whether the sender has reset the connection at its stop time.
    pub(super) is_aborted: AtomicBool,
    /// The failure that invalidates the run.
    pub(super) failure: OnceLock<Failure>,
    over: OwnedFd,
}

/// A kind of error, and the reason.
type Failure = (fn(String) -> TestbedError, String);

impl Shared {
    pub(super) fn new(clock: Clock, multipath: bool) -> io::Result<Self> {
        Ok(Shared {
            clock,
            sender: End::new(multipath),
            receiver: End::new(multipath),
            received: AtomicU64::new(0),
            completed: Mutex::default(),
            finished: OnceLock::new(),
            is_aborted: AtomicBool::new(false),
            failure: OnceLock::new(),
            over: eventfd(0, EventfdFlags::CLOEXEC)?,
        })
    }

    /// Wakes every thread to end it.
    pub(super) fn end(&self) {
        // Cannot fail: the counter is far from full.
        let _ = rustix::io::write(&self.over, &1u64.to_ne_bytes());
    }

    /// Waits for an event of the socket until the given time. Returns whether the run is over.
    pub(super) fn is_over_after(
        &self,
        socket: Option<(BorrowedFd<'_>, PollFlags)>,
        until: Time,
    ) -> Result<bool, TestbedError> {
        self.wait_for(socket, self.clock.until(until)).map_err(TestbedError::kernel("wait for a socket"))
    }

    /// The same, at most for that time; without a socket, only for the end of the run.
    pub(super) fn wait_for(
        &self,
        socket: Option<(BorrowedFd<'_>, PollFlags)>,
        limit: Duration,
    ) -> io::Result<bool> {
        let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
        let over = PollFd::new(&self.over, PollFlags::IN);
        // Without a socket, the end is watched twice.
        let mut both = [over.clone(), over];
        if let Some((socket, flags)) = &socket {
            both[1] = PollFd::new(socket, *flags);
        }
        match poll(&mut both, Some(&limit)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(!both[0].revents().is_empty()),
            Err(e) => Err(e.into()),
        }
    }

    pub(super) fn is_aborted(&self) -> bool {
        self.is_aborted.load(Ordering::SeqCst)
    }
}

/// The kernel's state of a connection at one end.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The current subflows; closed ones and their counters are missing.
    pub subflows: Vec<Subflow>,
    /// The state of the connection, if it is MPTCP.
    pub multipath: Option<Multipath>,
}

/// The socket of one end, for the observer.
pub(super) struct End {
    multipath: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Its socket, while it is open.
    socket: Option<Arc<OwnedFd>>,
    /// The last state: a reset clears the kernel's counters.
    last: Option<Observed>,
}

impl End {
    fn new(multipath: bool) -> Self {
        End { multipath, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the socket of the new connection.
    pub(super) fn open(&self, socket: &Arc<OwnedFd>) {
        self.state().socket = Some(socket.clone());
    }

    /// The latest state. `None` before the connection exists.
    pub(super) fn observe(&self) -> io::Result<Option<Observed>> {
        let mut state = self.state();
        // While subflows change, the last state stays: the next sample reads them.
        if let Some(socket) = &state.socket
            && let Some(seen) = self.read(socket)?
        {
            state.last = Some(seen);
        }
        Ok(state.last.clone())
    }

    fn read(&self, socket: &OwnedFd) -> io::Result<Option<Observed>> {
        let multipath = if self.multipath { Some(multipath(socket)?) } else { None };
        let has_subflows = multipath.is_some_and(|multipath| !multipath.is_fallback);
        let subflows = subflows(socket.as_fd(), has_subflows)?;
        Ok(subflows.map(|subflows| Observed { subflows, multipath }))
    }

    /// Bytes that the kernel received in order.
    pub(super) fn received(&self) -> io::Result<u64> {
        let Some(Observed { subflows, multipath }) = self.observe()? else { return Ok(0) };
        match multipath {
            Some(multipath) if !multipath.is_fallback => {
                multipath.received_bytes.ok_or_else(|| io::Error::other("this needs Linux 6.6 or later"))
            }
            _ => Ok(subflows.first().map_or(0, |only| only.info.bytes_received)),
        }
    }

    /// Ends the connection by a reset, so that no state remains in the kernel.
    pub(super) fn abort(&self) -> io::Result<()> {
        let mut state = self.state();
        let Some(socket) = state.socket.take() else { return Ok(()) };
        if let Ok(Some(seen)) = self.read(&socket) {
            state.last = Some(seen);
        }
        Ok(connect_unspec(&*socket)?)
    }
}
