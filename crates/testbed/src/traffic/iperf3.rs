//! Traffic by iperf3 instead of our own, without a check of the bytes. It sends endlessly, because iperf3's server may leave
//! the last bytes of a sized transfer unread.

use super::membership::Membership;
use super::shared::Shared;
use crate::TestbedError;
use crate::pair::{RECEIVER, sender_address};
use crate::process::Process;
use anabranch_net::Time;
use rustix::net::{getpeername, sockopt};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

/// The interval between two checks of the programs and their sockets.
const CHECK_INTERVAL: Time = Time::from_millis(5);

/// Bytes of the cookie at the start of a connection.
const COOKIE: u64 = 37;

/// iperf3's longest duration, in seconds.
const LONGEST: &str = "86400";

/// A running iperf3.
struct Program(Process);

impl Program {
    /// Starts iperf3 in the calling thread's host.
    fn start(arguments: &[&str], multipath: bool) -> Result<Self, TestbedError> {
        let wrapper: &[&str] = if multipath { &["mptcpize", "run"] } else { &[] };
        let words = [wrapper, &["iperf3"], arguments].concat();
        let started = Process::start(Command::new(words[0]).args(&words[1..]), None);
        started.map(Program).map_err(TestbedError::kernel(format!("start {}", words.join(" "))))
    }

    /// Whether it has ended successfully.
    fn has_ended(&mut self) -> Result<bool, TestbedError> {
        match self.0.exit_status().map_err(TestbedError::kernel("wait for iperf3"))? {
            Some((status, said)) if !status.success() => {
                Err(TestbedError::Broken(format!("iperf3 ended with {status}: {}", said.trim())))
            }
            ended => Ok(ended.is_some()),
        }
    }

    /// Copies of its sockets, in the order of opening.
    fn sockets(&self) -> io::Result<Vec<OwnedFd>> {
        let process = pidfd_open(Pid::from_child(&self.0.0), PidfdFlags::empty())?;
        let files = fs::read_dir(format!("/proc/{}/fd", self.0.0.id()))?;
        let is_socket = |file: &fs::DirEntry| {
            fs::read_link(file.path()).is_ok_and(|to| to.to_string_lossy().starts_with("socket:"))
        };
        let sockets = files.flatten().filter(is_socket);
        let mut numbers: Vec<i32> =
            sockets.filter_map(|file| file.file_name().to_str()?.parse().ok()).collect();
        numbers.sort_unstable();
        let copies =
            numbers.into_iter().map(|number| pidfd_getfd(&process, number, PidfdGetfdFlags::empty()));
        Ok(copies.flatten().collect())
    }

    /// The data socket: the second connection, as the first is for control.
    fn data_socket(&self) -> Option<Arc<OwnedFd>> {
        let connected = |socket: &OwnedFd| getpeername(socket).is_ok();
        self.sockets().ok()?.into_iter().filter(connected).nth(1).map(Arc::new)
    }

    fn listens(&self) -> bool {
        let sockets = self.sockets().unwrap_or_default();
        sockets.iter().any(|socket| sockopt::socket_acceptconn(socket).unwrap_or(false))
    }
}

/// Runs the receiving end in a thread of its host until the end of the run. Notifies `listens` when it listens.
pub(super) fn receive(
    shared: &Shared,
    multipath: bool,
    listens: &SyncSender<()>,
) -> Result<(), TestbedError> {
    let port = RECEIVER.port().to_string();
    let address = RECEIVER.ip().to_string();
    let mut program = Program::start(&["-s", "-1", "-p", &port, "-B", &address], multipath)?;
    let (mut ready, mut connected) = (false, false);
    loop {
        if !ready && program.listens() {
            ready = true;
            let _ = listens.send(());
        }
        if !connected && let Some(socket) = program.data_socket() {
            connected = true;
            shared.receiver.open(&socket);
        }
        if connected {
            let received = shared.receiver.received().map_err(TestbedError::kernel("count bytes"))?;
            shared.received.store(received.saturating_sub(COOKIE), Ordering::Release);
        }
        if !shared.is_aborted() && program.has_ended()? {
            return Err(TestbedError::Broken("iperf3's server ended early".into()));
        }
        // In real time: the run's clock stands still until time 0, and the server must listen by then.
        let over = shared.wait_for(None, Duration::from_nanos(CHECK_INTERVAL.as_nanos()));
        if over.map_err(TestbedError::kernel("wait for iperf3"))? {
            drop(program);
            return shared.receiver.abort().map_err(TestbedError::kernel("close the connection"));
        }
    }
}

/// The settings of the sending end.
pub(super) struct Client {
    pub(super) congestion_control: String,
    pub(super) multipath: bool,
    pub(super) open_at: Time,
    pub(super) stop_at: Time,
}

/// Runs the sending end in a thread of its host until the end of the flow or the run.
pub(super) fn send(
    shared: &Shared,
    membership: &mut Membership,
    client: &Client,
) -> Result<(), TestbedError> {
    let mut program: Option<Program> = None;
    let mut connected = false;
    // The clock also shows 0 before time 0.
    if shared.is_over_after(None, Time::ZERO)? {
        return Ok(());
    }
    loop {
        let now = shared.clock.now();
        membership.advance(now)?;
        let mut over = now >= client.stop_at;
        if let (None, Some(path), false) = (&program, membership.first(), over || now < client.open_at) {
            program = Some(client.start(path)?);
        }
        if let Some(program) = &mut program {
            if !connected && let Some(socket) = program.data_socket() {
                connected = true;
                shared.sender.open(&socket);
            }
            program.has_ended()?;
        }
        let opening = if now < client.open_at { client.open_at } else { Time::NEVER };
        let until = (now + CHECK_INTERVAL).min(opening).min(membership.next_at()).min(client.stop_at);
        over = over || shared.is_over_after(None, until)?;
        if over {
            shared.is_aborted.store(true, Ordering::SeqCst);
            drop(program);
            return shared.sender.abort().map_err(TestbedError::kernel("close the connection"));
        }
    }
}

impl Client {
    fn start(&self, path: usize) -> Result<Program, TestbedError> {
        let (address, port) = (RECEIVER.ip().to_string(), RECEIVER.port().to_string());
        let own = sender_address(path).to_string();
        let ends = ["-c", &address, "-p", &port, "-B", &own];
        // Without `--no-delay`: with it, the server reopens its listener once the connection exists, and refuses subflows
        // that join meanwhile.
        let manner = ["-C", &self.congestion_control, "-t", LONGEST];
        Program::start(&[&ends[..], &manner[..]].concat(), self.multipath)
    }
}
