//! A client, a server and what lies between them.
//!
//! ```text
//!             10.77.1.0/24          10.78.1.0/24
//!           ┌─────────────── path 1 ─────────────┐
//!   client ─┤                                    ├─ server 10.99.0.1
//!           └─────────────── path 2 ─────────────┘
//! ```
//!
//! A path leads through a router, a namespace of its own, whose interface to the server is the
//! bottleneck: were it in the client's, its queue would hold the sender back (TCP small queues) instead of
//! dropping. Only the queues delay packets, unless a delay is requested: not every kernel has `netem`.

use crate::namespace::Namespace;
use anabranch_net::{LinkSpec, QueueLimit, Time};
use anabranch_scenario::Path;
use anabranch_testbed::clock::Clock;
use anabranch_testbed::device::Tun;
use anabranch_testbed::emulator::{Emulator, EmulatorOptions, Ends};
use std::process::Command;
use std::thread::panicking;
use std::time::{Duration, Instant};

/// The programs that the tests run, beside the kernel.
pub const TOOLS: &[&str] = &["ip", "tc", "ss", "iperf3", "mptcpize", "curl"];

pub const SERVER: &str = "10.99.0.1";

/// A rate limit with a drop-tail queue before it.
#[derive(Clone, Copy, Debug)]
pub struct Bottleneck {
    pub mbit_s: f64,
    /// Packets of 1500 bytes.
    pub queue: u32,
}

/// How long connections may take to end: what is in their buffers must go through a bottleneck.
const PATIENCE: Duration = Duration::from_secs(30);

/// The client opens a subflow from its second address; no address is announced.
pub struct Lab {
    pub client: Namespace,
    pub server: Namespace,
    pub routers: Vec<Namespace>,
    delays: Vec<Emulator>,
    /// How long it waits in the end for connections that are open.
    pub patience: Duration,
}

/// The client's address on a path, counted from 1.
pub fn client_address(path: usize) -> String {
    format!("10.77.{path}.1")
}

impl Lab {
    pub fn two_paths(bottlenecks: [Bottleneck; 2]) -> Self {
        Self::new(&bottlenecks, &[1, 2])
    }

    /// Each round trip takes so much longer: acknowledgements come late, past the bottleneck.
    pub fn delayed(mut self, delay: Duration) -> Self {
        let routers = (1..).zip(&self.routers);
        self.delays = routers.map(|(n, router)| late(router, &format!("s{n}"), delay)).collect();
        self
    }

    /// Two paths that meet in one bottleneck.
    pub fn shared(bottleneck: Bottleneck) -> Self {
        Self::new(&[bottleneck], &[1, 1])
    }

    /// Direct paths from client to server, as fast as the machine.
    pub fn direct(paths: usize) -> Self {
        let lab = Self::ends(vec![]);
        for path in 1..=paths {
            join((&lab.client, "c"), (&lab.server, "s"), "", (77, path));
            lab.add_path(path);
        }
        lab
    }

    /// Paths through these routers, counted from 1.
    fn new(bottlenecks: &[Bottleneck], router_of_path: &[usize]) -> Self {
        let lab = Self::ends(bottlenecks.iter().map(|_| Namespace::new()).collect());
        for (router, bottleneck) in (1..).zip(bottlenecks) {
            let r = &lab.routers[router - 1];
            join((r, "s"), (&lab.server, "r"), "", (78, router));
            r.set("ipv4/ip_forward", "1");
            r.command(&format!("ip route add {SERVER} via 10.78.{router}.254"));
            // The queue is counted in bytes, Ethernet's header included; ten packets' worth of burst bear
            // with a late timer.
            let bytes = bottleneck.queue * 1514;
            let rate = (bottleneck.mbit_s * 1e6) as u64;
            r.command(&format!(
                "tc qdisc add dev s{router} root tbf rate {rate}bit burst 15140 limit {bytes}"
            ));
        }
        for (path, &router) in (1..).zip(router_of_path) {
            // A queue of packets as on a wire: no bundles of segments.
            join((&lab.client, "c"), (&lab.routers[router - 1], "c"), "gso_max_segs 1", (77, path));
            lab.server.command(&format!("ip route add 10.77.{path}.0/24 via 10.78.{router}.1"));
            lab.add_path(path);
        }
        lab
    }

    fn ends(routers: Vec<Namespace>) -> Self {
        let (client, server) = (Namespace::new(), Namespace::new());
        let lab = Lab { client, server, routers, delays: vec![], patience: PATIENCE };
        lab.server.command(&format!("ip addr add {SERVER}/32 dev lo"));
        for end in [&lab.client, &lab.server] {
            end.set("mptcp/enabled", "1");
            // Connections of killed programs wait a second for data that nobody reads, instead of a minute.
            end.set_where_known("mptcp/close_timeout", "1");
            end.command("ip mptcp limits set subflows 8 add_addr_accepted 8");
        }
        lab
    }

    /// The client's routes by its own address, and the address as an end point for subflows.
    fn add_path(&self, path: usize) {
        let (client, address) = (&self.client, client_address(path));
        client.command(&format!("ip rule add from {address} table {path}"));
        for table in [format!("table {path}"), format!("metric {path}")] {
            client.command(&format!("ip route add default via 10.77.{path}.254 {table}"));
        }
        if path > 1 {
            self.add_subflow(path);
        }
    }

    /// Connections get a subflow from the client's address on this path.
    pub fn add_subflow(&self, path: usize) {
        self.client.command(&format!("ip mptcp endpoint add {} id {path} subflow", client_address(path)));
    }

    /// The subflows from that address carry data only while no other can (MP_PRIO, RFC 8684 §3.3.8).
    pub fn make_backup(&self, path: usize) {
        self.client.command(&format!("ip mptcp endpoint change id {path} backup"));
    }

    pub fn remove_subflow(&self, path: usize) {
        self.client.command(&format!("ip mptcp endpoint delete id {path}"));
    }

    /// Whether an end has a connection that is not over.
    pub fn is_connected(&self) -> bool {
        [&self.client, &self.server].into_iter().any(|end| {
            let sockets = end.run(|| {
                Command::new("ss").args(["-Htan", "state", "connected", "exclude", "time-wait"]).output()
            });
            sockets.is_ok_and(|out| !out.stdout.is_empty())
        })
    }

    /// The default algorithm of sockets at both ends.
    pub fn set_congestion_control(&self, name: &str) {
        for end in [&self.client, &self.server] {
            end.choose(name);
        }
    }
}

/// Programs that still run end first: sockets whose paths are gone would stay in the kernel, and use their algorithm, for minutes.
impl Drop for Lab {
    fn drop(&mut self) {
        let start = Instant::now();
        while self.is_connected() && start.elapsed() < self.patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        for delay in self.delays.drain(..) {
            let ended = delay.stop();
            // A test that fails already says more.
            assert!(panicking() || ended.is_ok(), "packets were no longer carried");
        }
    }
}

/// The reason why paths cannot be delayed here, if so.
pub fn lacks_delays() -> Option<String> {
    anabranch_testbed::ready().err().map(|why| why.to_string())
}

/// Delays what `router` forwards from one of its interfaces, by the testbed's emulated link from one device to another.
fn late(router: &Namespace, interface: &str, delay: Duration) -> Emulator {
    let [sender, receiver] = ["late", "later"].map(|name| router.run(|| Tun::open(name, 1500)).unwrap());
    router.command(&format!("ip rule add iif {interface} table 1"));
    router.command("ip route add default dev late table 1");
    // The way back to who sent what comes out of the device is not through it.
    for name in ["all", "later"] {
        router.set(&format!("ipv4/conf/{name}/rp_filter"), "0");
    }
    let delay = Time::from_nanos(delay.as_nanos() as u64);
    let link = LinkSpec::new(1e12, delay, QueueLimit::Packets(u64::MAX));
    let path = Path { links: vec![0], return_links: vec![], backup: false };
    let (clock, options) = (Clock::starting_in(Duration::ZERO), EmulatorOptions::default());
    Emulator::start(&[link], 1, vec![Ends { sender, receiver, path }], clock, &options).unwrap()
}

/// A cable between interfaces that have this number after their names: `10.NET.NUMBER.1` on the near side, `.254` on the far one.
/// `options`: of the near interface.
fn join(near: (&Namespace, &str), far: (&Namespace, &str), options: &str, (net, number): (u8, usize)) {
    let [n, f] = [near, far].map(|(end, name)| format!("{name}{number} netns {}", end.name));
    near.0.command(&format!("ip link add {n} {options} type veth peer name {f}"));
    for ((end, name), host) in [(near, 1), (far, 254)] {
        end.command(&format!("ip addr add 10.{net}.{number}.{host}/24 dev {name}{number}"));
        end.command(&format!("ip link set {name}{number} up"));
    }
}
