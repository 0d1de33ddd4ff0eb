//! Network namespaces that go when they are dropped, with the processes that run in them.

use crate::reno;
use anabranch_mptcp_bpf::load;
use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{
    AddressFamily, Protocol, SocketFlags, SocketType, bind, connect, ipproto, listen, socket_with,
};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

const MOUNTS: &str = "/run/netns";

/// The next number in the names of this process' namespaces.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The prefix of the names of the tests' namespaces.
const PREFIX: &str = "anabranch-test-";

/// A network namespace, `anabranch-test-PID-NUMBER`, with `lo` up.
pub struct Namespace {
    pub name: String,
    inner: anabranch_mptcp_bpf::Namespace,
}

#[expect(clippy::new_without_default, reason = "it makes a namespace of the kernel's")]
impl Namespace {
    pub fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        run(&format!("ip netns add {name}"));
        let inner = anabranch_mptcp_bpf::Namespace::find(&name).unwrap();
        let namespace = Namespace { name, inner };
        namespace.command("ip link set lo up");
        namespace
    }

    /// One whose new sockets use Reno's programs, which it loads.
    pub fn with_reno() -> Self {
        load(reno()).unwrap();
        let namespace = Namespace::new();
        namespace.choose("ab_reno");
        namespace
    }

    /// Runs `inside` in the namespace: sockets that it opens and processes that it starts belong there.
    pub fn run<T: Send>(&self, inside: impl FnOnce() -> T + Send) -> T {
        self.inner.run_inside(inside).unwrap()
    }

    /// Runs a command to its end, which must be a good one; its standard output.
    pub fn command(&self, command: &str) -> String {
        self.run(|| run(command))
    }

    /// Starts a command that ends with what is returned.
    pub fn start(&self, command: &str) -> Process {
        let mut words = command.split_whitespace();
        let mut command = Command::new(words.next().unwrap());
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Process(Some(self.run(|| command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}")))))
    }

    /// Sets a value below `/proc/sys/net`, such as `mptcp/enabled`.
    pub fn set(&self, name: &str, value: &str) {
        let file = Path::new("/proc/sys/net").join(name);
        self.run(|| fs::write(&file, value).unwrap_or_else(|e| panic!("{value} to {}: {e}", file.display())));
    }

    /// The same, where the kernel has this setting.
    pub fn set_where_known(&self, name: &str, value: &str) {
        if self.run(|| Path::new("/proc/sys/net").join(name).exists()) {
            self.set(name, value);
        }
    }

    /// The default algorithm of new sockets.
    pub fn choose(&self, algorithm: &str) {
        self.inner.choose(algorithm).unwrap();
    }

    pub fn chosen(&self) -> String {
        self.inner.chosen().unwrap()
    }

    pub fn inode(&self) -> u32 {
        self.inner.inode().unwrap()
    }

    /// Both ends of a TCP connection over `lo`: the one that opened it first.
    pub fn connect(&self) -> (TcpStream, TcpStream) {
        self.connect_over(ipproto::TCP)
    }

    pub fn connect_mptcp(&self) -> (TcpStream, TcpStream) {
        self.connect_over(ipproto::MPTCP)
    }

    fn connect_over(&self, protocol: Protocol) -> (TcpStream, TcpStream) {
        self.run(|| {
            let listener = listener(protocol, SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));
            let client = stream_socket(protocol);
            let SocketAddr::V4(server) = listener.local_addr().unwrap() else { unreachable!() };
            connect(&client, &server).unwrap();
            (client.into(), listener.accept().unwrap().0)
        })
    }
}

/// Of the calling thread's namespace, over TCP or MPTCP.
pub fn stream_socket(protocol: Protocol) -> OwnedFd {
    socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, Some(protocol)).unwrap()
}

pub fn mptcp_socket() -> OwnedFd {
    stream_socket(ipproto::MPTCP)
}

/// Listens in the calling thread's namespace.
pub fn listener(protocol: Protocol, address: SocketAddrV4) -> TcpListener {
    let socket = stream_socket(protocol);
    set_socket_reuseaddr(&socket, true).unwrap();
    bind(&socket, &address).unwrap();
    listen(&socket, 4096).unwrap();
    socket.into()
}

/// Both ends of a connection send and are acknowledged, so that both have a row.
pub fn exchange((a, b): &mut (TcpStream, TcpStream)) {
    let mut byte = [0];
    for _ in 0..4 {
        a.write_all(&byte).unwrap();
        b.read_exact(&mut byte).unwrap();
        b.write_all(&byte).unwrap();
        a.read_exact(&mut byte).unwrap();
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.name]).status();
    }
}

/// A process that is killed when it is dropped.
pub struct Process(Option<Child>);

impl Process {
    /// Waits for its end, which must be a good one; its standard output.
    pub fn output(self) -> String {
        self.end().unwrap_or_else(|why| panic!("{why}"))
    }

    /// Waits for its end: its standard output, or how it ended and all that it said.
    pub fn end(mut self) -> Result<String, String> {
        let done = self.0.take().unwrap().wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, errors) = (text(&done.stdout), text(&done.stderr));
        if done.status.success() { Ok(out) } else { Err(format!("{}: {out}{errors}", done.status)) }
    }

    /// Asks it to end, as Ctrl-C does: all that it said.
    pub fn interrupt(mut self) -> String {
        let child = self.0.take().unwrap();
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let done = child.wait_with_output().unwrap();
        [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat()
    }

    pub fn runs(&mut self) -> bool {
        self.0.as_mut().is_some_and(|child| child.try_wait().unwrap().is_none())
    }

    pub fn kill(&mut self) {
        let _ = self.0.as_mut().map(Child::kill);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        let _ = self.0.as_mut().map(Child::wait);
    }
}

/// Runs a command to its end, which must be a good one; its standard output.
pub(crate) fn run(command: &str) -> String {
    let mut words = command.split_whitespace();
    let done = Command::new(words.next().unwrap()).args(words).stdin(Stdio::null()).output();
    let done = done.unwrap_or_else(|e| panic!("{command}: {e}"));
    assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Removes the namespaces of tests, and ends what still runs in them. The holder of the kernel's lock does not have any yet: they
/// belong to tests that were killed.
pub fn remove_all() {
    let Ok(files) = fs::read_dir(MOUNTS) else { return };
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    for name in names.filter(|name| name.starts_with(PREFIX)) {
        let pids = Command::new("ip").args(["netns", "pids", &name]).output();
        let pids = pids.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
        let pids: Vec<_> = pids.lines().collect();
        if !pids.is_empty() {
            let _ = Command::new("kill").arg("-KILL").args(pids).status();
        }
        let _ = Command::new("ip").args(["netns", "del", &name]).status();
    }
}
