//! The two hosts of a flow: their settings, addresses and routes.
//!
//! Each flow has its own hosts, so all flows use the same addresses. The sender has an address per path, `10.77.1.1` for the
//! first, and routes packets from it to the path's device. The receiver has one address, on `lo`, and answers each address of
//! the sender through its path's device.

use crate::device::Tun;
use crate::emulator::Ends;
use crate::netlink::{PathManager, Route, Routes};
use crate::{Host, TestbedError};
use anabranch_net::Time;
use anabranch_scenario::{Path, Tcp};
use std::net::{Ipv4Addr, SocketAddrV4};

/// The receiver's address.
pub const RECEIVER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(10, 99, 0, 1), 5001);

/// The most paths of a flow: the limit in Linux's path manager of endpoints, and of additional subflows.
pub const MOST_PATHS: usize = 8;

/// Linux's defaults (TCP_RTO_MIN, TCP_INIT_CWND).
const MIN_RTO: Time = Time::from_millis(200);
const INITIAL_WINDOW: u32 = 10;

/// The send buffer, in bytes: Linux's initial size, which grows with the window. MPTCP fills the buffer of each subflow, so a
/// large one would bind data to a path long before transmission. The maximum is effectively unlimited, as in the simulator.
const SEND_BUFFER: &str = "4096 16384 67108864";

/// The largest receive buffer, in bytes. Linux offers the payload that it expects to fit: 1448 bytes of a full packet take
/// 2304 bytes of memory, so the window is 5/8 of the buffer. Before Linux 6.6 it is half.
const LARGEST_BUFFER: u64 = 1 << 30;

/// The initial receive buffer, in bytes. It is enough for most scenarios, as the simulator's window does not have to grow.
/// With 256 MiB, Linux acknowledges nearly every segment; with 16 MiB, it acknowledges every other one, as it should.
const FIRST_BUFFER: u64 = 16 << 20;

/// Bytes of headers of a data packet: IPv4, TCP and its timestamps option.
pub(crate) const HEADERS: u32 = 52;

/// The sender's address on path `path`, counted from 0.
pub fn sender_address(path: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 77, path as u8 + 1, 1)
}

/// The path, counted from 0, with this sender address.
pub fn path_of(sender: Ipv4Addr) -> Option<usize> {
    let path = usize::from(sender.octets()[2]).checked_sub(1)?;
    (sender == sender_address(path)).then_some(path)
}

/// The name, in both hosts, of the device of path `path`, counted from 0.
pub fn device_name(path: usize) -> String {
    format!("path{}", path + 1)
}

/// The hosts of a flow.
pub struct Pair {
    /// The sender.
    pub sender: Host,
    /// The receiver.
    pub receiver: Host,
}

impl Pair {
    /// Creates two hosts with the scenario's TCP settings and their devices for each path. An emulator then moves packets
    /// between the devices.
    ///
    /// # Errors
    /// Without privileges, if the kernel lacks TUN devices, or if it lacks MPTCP and there are several paths.
    pub fn new(paths: &[Path], tcp: &Tcp) -> Result<(Self, Vec<Ends>), TestbedError> {
        let pair = Pair { sender: Host::new()?, receiver: Host::new()? };
        for host in [&pair.sender, &pair.receiver] {
            set_tcp(host, tcp)?;
            if paths.len() > 1 {
                set_mptcp(host)?;
            }
        }
        let device = |number| Tun::open(&device_name(number), u32::from(tcp.mss) + HEADERS);
        let ends = |(number, path): (usize, &Path)| -> Result<Ends, TestbedError> {
            let (sender, receiver) =
                (pair.sender.run(|| device(number))??, pair.receiver.run(|| device(number))??);
            Ok(Ends { sender, receiver, path: path.clone() })
        };
        let ends = paths.iter().enumerate().map(ends).collect::<Result<_, _>>()?;
        pair.sender.run(|| {
            let routes = Routes::open()?;
            (0..paths.len()).try_for_each(|path| connect_sender(&routes, path, tcp))
        })??;
        pair.receiver.run(|| {
            let routes = Routes::open()?;
            routes.add_address(routes.device("lo")?, *RECEIVER.ip())?;
            (0..paths.len()).try_for_each(|path| connect_receiver(&routes, path, tcp))
        })??;
        Ok((pair, ends))
    }
}

/// Adds two routes: for packets with the path's address, and for sockets that still choose an address.
fn connect_sender(routes: &Routes, path: usize, tcp: &Tcp) -> Result<(), TestbedError> {
    let device = routes.device(&device_name(path))?;
    routes.set_plain_queue(device)?;
    let number = path as u8 + 1;
    routes.add_address(device, sender_address(path))?;
    let route = Route {
        device,
        table: Some(number),
        initial_window: (tcp.initial_window != INITIAL_WINDOW).then_some(tcp.initial_window),
        min_rto_ms: (tcp.min_rto != MIN_RTO).then(|| (tcp.min_rto.as_nanos() / 1_000_000) as u32),
        ..Route::default()
    };
    routes.add_route(&route)?;
    routes.add_rule(sender_address(path), number)?;
    routes.add_route(&Route { table: None, priority: u32::from(number), ..route })
}

fn connect_receiver(routes: &Routes, path: usize, tcp: &Tcp) -> Result<(), TestbedError> {
    let device = routes.device(&device_name(path))?;
    routes.set_plain_queue(device)?;
    let route = Route {
        destination: Some(sender_address(path)),
        device,
        quick_ack: tcp.delayed_ack == 1,
        ..Route::default()
    };
    routes.add_route(&route)
}

fn set_tcp(host: &Host, tcp: &Tcp) -> Result<(), TestbedError> {
    let flag = |is: bool| if is { "1" } else { "0" };
    let most = (tcp.receive_buffer.saturating_mul(8) / 5).clamp(4096, LARGEST_BUFFER);
    host.set("ipv4/tcp_rmem", &format!("4096 {} {most}", most.min(FIRST_BUFFER)))?;
    host.set("ipv4/tcp_wmem", SEND_BUFFER)?;
    host.set("ipv4/tcp_ecn", flag(tcp.ecn))?;
    host.set("ipv4/tcp_slow_start_after_idle", flag(tcp.slow_start_after_idle))?;
    host.set("ipv4/tcp_no_metrics_save", "1")?;
    // The default algorithm may pace even the receiver's few packets.
    host.set("ipv4/tcp_congestion_control", "reno")?;
    // The remains of a killed run disappear soon.
    host.set("ipv4/tcp_orphan_retries", "1")?;
    for of in ["all", "default"] {
        host.set(&format!("ipv4/conf/{of}/rp_filter"), "0")?;
    }
    Ok(())
}

fn set_mptcp(host: &Host) -> Result<(), TestbedError> {
    host.set("mptcp/enabled", "1")?;
    // The scenario loses SYNs, not a middlebox.
    host.set_where_known("mptcp/blackhole_timeout", "0")?;
    host.set_where_known("mptcp/syn_retrans_before_tcp_fallback", "127")?;
    // The remains of a killed run disappear soon.
    host.set_where_known("mptcp/close_timeout", "1")?;
    host.run(|| PathManager::open()?.lift_limits())?
}
