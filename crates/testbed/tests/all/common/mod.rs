//! Two hosts with paths between them, where the machine can have such.

use anabranch_net::LinkSpec;
use anabranch_scenario::Path;
use anabranch_testbed::device::Tun;
use anabranch_testbed::emulator::{Emulator, EmulatorOptions, Ends};
use rustix::net::sockopt::set_tcp_congestion;
use rustix::net::{AddressFamily, SocketType, bind, connect, ipproto, listen, socket};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};
use std::fs::{self, File};
use std::io::Write;
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::process::Command;
use std::time::{Duration, Instant};

/// No test waits longer for a packet.
pub const LIMIT: Duration = Duration::from_secs(10);

/// The receiver's address.
pub const RECEIVER: &str = "10.99.0.1";

/// A network namespace without a name.
pub struct Host(File);

impl Host {
    fn new() -> Host {
        let make = || {
            // SAFETY: the thread shares no table of files with others afterwards, and only its network changes.
            #[allow(unsafe_code)]
            unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.unwrap();
            File::open("/proc/thread-self/ns/net").unwrap()
        };
        let host = Host(std::thread::scope(|scope| scope.spawn(make).join().unwrap()));
        host.set("ipv6/conf/all/disable_ipv6", "1");
        host.set("ipv6/conf/default/disable_ipv6", "1");
        host.ip("link set lo up");
        host
    }

    /// Runs `inside` in the namespace: sockets that it opens belong there.
    pub fn run<T: Send>(&self, inside: impl FnOnce() -> T + Send) -> T {
        let inside = || {
            move_into_link_name_space(self.0.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
            inside()
        };
        std::thread::scope(|scope| scope.spawn(inside).join().unwrap())
    }

    /// Sets a value below `/proc/sys/net`.
    pub fn set(&self, name: &str, value: &str) {
        self.run(|| fs::write(format!("/proc/sys/net/{name}"), value)).unwrap();
    }

    fn ip(&self, arguments: &str) {
        let status = self.run(|| Command::new("ip").args(arguments.split_whitespace()).status().unwrap());
        assert!(status.success(), "ip {arguments}");
    }
}

/// A sender, a receiver and the paths between them.
pub struct Pair {
    pub sender: Host,
    pub receiver: Host,
    pub emulator: Emulator,
}

impl Pair {
    /// None, with the reason on standard error, where the machine cannot have it; with ANABRANCH_REQUIRE_KERNEL=1 that is
    /// a failure.
    pub fn new(links: &[LinkSpec], paths: &[Path], options: &EmulatorOptions) -> Option<Pair> {
        if let Some(why) = lacking() {
            assert!(std::env::var("ANABRANCH_REQUIRE_KERNEL").is_err(), "{why}");
            // Past the harness, which keeps to itself what a passing test prints.
            let _ = writeln!(std::io::stderr(), "skipped: {why}");
            return None;
        }
        let (sender, receiver) = (Host::new(), Host::new());
        let mut ends = Vec::new();
        for (p, path) in (1..).zip(paths) {
            let open = || Tun::open(&format!("path{p}"), 1500).unwrap();
            ends.push(Ends { sender: sender.run(open), receiver: receiver.run(open), path: path.clone() });
            sender.ip(&format!("address add 10.77.{p}.1/32 dev path{p}"));
            sender.ip(&format!("route add default dev path{p} metric {p}"));
            sender.ip(&format!("route add default dev path{p} table {p}"));
            sender.ip(&format!("rule add from 10.77.{p}.1 lookup {p}"));
            receiver.ip(&format!("route add 10.77.{p}.1/32 dev path{p}"));
        }
        receiver.ip(&format!("address add {RECEIVER}/32 dev lo"));
        if paths.len() > 1 {
            sender.ip("mptcp limits set subflows 8");
            receiver.ip("mptcp limits set subflows 8");
            for p in 2..=paths.len() {
                sender.ip(&format!("mptcp endpoint add 10.77.{p}.1 id {p} dev path{p} subflow"));
            }
        }
        let emulator = Emulator::start(links, 1, ends, Instant::now(), options).unwrap();
        Some(Pair { sender, receiver, emulator })
    }

    /// A connection: the sender's end, the receiver's, and what further subflows need to join it. Calls of both ends end
    /// at a time limit.
    pub fn connect(&self, multipath: bool) -> (TcpStream, TcpStream, TcpListener) {
        let protocol = if multipath { ipproto::MPTCP } else { ipproto::TCP };
        let open = || socket(AddressFamily::INET, SocketType::STREAM, Some(protocol)).unwrap();
        let listener = self.receiver.run(|| {
            let listener = open();
            bind(&listener, &address(RECEIVER, 5001)).unwrap();
            listen(&listener, 1).unwrap();
            TcpListener::from(listener)
        });
        let sender = self.sender.run(|| {
            let sender = open();
            // The machine's own may be any.
            set_tcp_congestion(&sender, "cubic").unwrap();
            bind(&sender, &address("10.77.1.1", 0)).unwrap();
            connect(&sender, &address(RECEIVER, 5001)).unwrap();
            TcpStream::from(sender)
        });
        let (receiver, _) = listener.accept().unwrap();
        sender.set_write_timeout(Some(LIMIT)).unwrap();
        receiver.set_read_timeout(Some(LIMIT)).unwrap();
        (sender, receiver, listener)
    }
}

fn address(ip: &str, port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(ip.parse().unwrap(), port)
}

fn lacking() -> Option<&'static str> {
    if !rustix::process::geteuid().is_root() {
        return Some("not root");
    }
    (!fs::exists("/dev/net/tun").unwrap_or(false)).then_some("there is no /dev/net/tun")
}
