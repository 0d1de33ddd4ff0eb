//! A network namespace of a test's own.

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// With `lo` up; gone when dropped.
pub struct Namespace {
    pub name: String,
}

impl Namespace {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let namespace = Namespace { name: format!("ab-test-{}-{number}", std::process::id()) };
        ip(&["netns", "add", &namespace.name]);
        ip(&["-n", &namespace.name, "link", "set", "lo", "up"]);
        namespace
    }

    /// Runs `inside` in the namespace.
    pub fn run<T: Send>(&self, inside: impl FnOnce() -> T + Send) -> T {
        let file = File::open(format!("/run/netns/{}", self.name)).unwrap();
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
                inside()
            });
            thread.join().unwrap()
        })
    }

    /// What new sockets choose.
    pub fn choose(&self, algorithm: &str) {
        self.run(|| std::fs::write(CONGESTION_CONTROL, algorithm).unwrap());
    }

    pub fn chosen(&self) -> String {
        self.run(|| std::fs::read_to_string(CONGESTION_CONTROL).unwrap().trim().to_owned())
    }

    /// Both ends of a TCP connection over `lo`: the one that opened it first.
    pub fn connect(&self) -> (TcpStream, TcpStream) {
        self.run(|| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            (client, listener.accept().unwrap().0)
        })
    }
}

const CONGESTION_CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.name]).status();
    }
}

fn ip(args: &[&str]) {
    let status = Command::new("ip").args(args).status();
    assert!(status.is_ok_and(|s| s.success()), "ip {}", args.join(" "));
}
