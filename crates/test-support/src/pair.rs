//! Two hosts with paths between them, where the machine can have such.

use crate::host::kernel;
use crate::namespace::{listener, stream_socket};
use anabranch_net::LinkSpec;
use anabranch_scenario::Path;
use anabranch_testbed::Host;
use anabranch_testbed::device::Tun;
use anabranch_testbed::emulator::{Emulator, EmulatorOptions, Ends};
use anabranch_testbed::netlink::{Endpoint, PathManager, Route, Routes};
use rustix::net::sockopt::set_tcp_congestion;
use rustix::net::{bind, connect, ipproto};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// No test waits longer for a packet.
pub const LIMIT: Duration = Duration::from_secs(10);

/// The receiver's address.
pub const RECEIVER: &str = "10.99.0.1";

/// A sender, a receiver and the paths between them.
pub struct Pair {
    pub sender: Host,
    pub receiver: Host,
    pub emulator: Emulator,
}

impl Pair {
    /// `None`, with the reason on standard error, if the machine cannot have it; with ANABRANCH_REQUIRE_KERNEL=1 that is a failure.
    pub fn new(links: &[LinkSpec], paths: &[Path], options: &EmulatorOptions) -> Option<Pair> {
        kernel(&[])?;
        let (sender, receiver) = (Host::new().unwrap(), Host::new().unwrap());
        receiver.run(|| add_address("lo", RECEIVER)).unwrap();
        let mut ends = Vec::new();
        for (p, path) in (1..).zip(paths) {
            let name = format!("path{p}");
            let open = || Tun::open(&name, 1500).unwrap();
            ends.push(Ends {
                sender: sender.run(open).unwrap(),
                receiver: receiver.run(open).unwrap(),
                path: path.clone(),
            });
            sender.run(|| connect_sender(&name, p)).unwrap();
            receiver.run(|| connect_receiver(&name, p)).unwrap();
        }
        if paths.len() > 1 {
            for host in [&sender, &receiver] {
                host.run(|| PathManager::open().unwrap().lift_limits().unwrap()).unwrap();
            }
            sender.run(|| (2..=paths.len() as u8).for_each(join_from)).unwrap();
        }
        let emulator = Emulator::start(links, 1, ends, Instant::now(), options).unwrap();
        Some(Pair { sender, receiver, emulator })
    }

    /// A connection: the sender's end, the receiver's, and what further subflows need to join it. Calls of both ends end
    /// at a time limit.
    pub fn connect(&self, multipath: bool) -> (TcpStream, TcpStream, TcpListener) {
        let protocol = if multipath { ipproto::MPTCP } else { ipproto::TCP };
        let listener = self.receiver.run(|| listener(protocol, address(RECEIVER, 5001))).unwrap();
        let open = || {
            let sender = stream_socket(protocol);
            // The machine's own may be any.
            set_tcp_congestion(&sender, "cubic").unwrap();
            bind(&sender, &address("10.77.1.1", 0)).unwrap();
            connect(&sender, &address(RECEIVER, 5001)).unwrap();
            TcpStream::from(sender)
        };
        let sender = self.sender.run(open).unwrap();
        let (receiver, _) = listener.accept().unwrap();
        sender.set_write_timeout(Some(LIMIT)).unwrap();
        receiver.set_read_timeout(Some(LIMIT)).unwrap();
        (sender, receiver, listener)
    }
}

fn sender_address(path: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 77, path, 1)
}

fn add_address(device: &str, address: &str) -> u32 {
    let routes = Routes::open().unwrap();
    let device = routes.device(device).unwrap();
    routes.add_address(device, address.parse().unwrap()).unwrap();
    device
}

fn connect_sender(device: &str, path: u8) {
    let device = add_address(device, &sender_address(path).to_string());
    let routes = Routes::open().unwrap();
    let route = Route { device, priority: path.into(), ..Route::default() };
    routes.add_route(&route).unwrap();
    routes.add_route(&Route { table: Some(path), ..route }).unwrap();
    routes.add_rule(sender_address(path), path).unwrap();
}

fn connect_receiver(device: &str, path: u8) {
    let routes = Routes::open().unwrap();
    let device = routes.device(device).unwrap();
    let destination = Some(sender_address(path));
    routes.add_route(&Route { destination, device, ..Route::default() }).unwrap();
}

/// Connections get a subflow from the address of that path.
fn join_from(path: u8) {
    let device = Routes::open().unwrap().device(&format!("path{path}")).unwrap();
    let endpoint = Endpoint { id: path, address: sender_address(path), device, backup: false };
    PathManager::open().unwrap().add(&endpoint).unwrap();
}

fn address(ip: &str, port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(ip.parse().unwrap(), port)
}
