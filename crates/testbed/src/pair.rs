//! The two hosts of a flow: their settings, addresses and routes.
//!
//! Flows share no host, so that all have the same addresses. The sender has an address for each path, `10.77.1.1` for the
//! first, and sends what comes from there to the device of the path. The receiver has one address, on `lo`, and answers
//! each address of the sender by its path's device.

use crate::device::Tun;
use crate::emulator::Ends;
use crate::netlink::{PathManager, Route, Routes};
use crate::{Host, TestbedError};
use anabranch_net::Time;
use anabranch_scenario::{Path, Tcp};
use std::net::{Ipv4Addr, SocketAddrV4};

/// The receiver's address.
pub const RECEIVER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(10, 99, 0, 1), 5001);

/// The most paths of a flow: as many endpoints has Linux' path manager.
pub const MOST_PATHS: usize = 8;

/// Linux' own (TCP_RTO_MIN, TCP_INIT_CWND).
const MIN_RTO: Time = Time::from_millis(200);
const INITIAL_WINDOW: u32 = 10;

/// Bytes of the send buffer: Linux' own at first, which grows with the window. MPTCP fills that of each subflow, so that a
/// large one would bind data to a path long before it is sent. At most as good as without limit, as in the simulator.
const SEND_BUFFER: &str = "4096 16384 67108864";

/// The largest receive buffer, in bytes. Of a buffer Linux offers what payload it expects to fit: of a full-sized packet
/// 1448 bytes take 2304, so that the window is 5/8 of the buffer; before Linux 6.6 it is half.
const LARGEST_BUFFER: u64 = 1 << 30;

/// The receive buffer at first, in bytes: enough for most scenarios, since the simulator's window need not grow. With
/// 256 MiB Linux acknowledges nearly every segment, with 16 MiB every other as it should.
const FIRST_BUFFER: u64 = 16 << 20;

/// Bytes of headers of a data packet: IPv4, TCP and its timestamps option.
const HEADERS: u32 = 52;

/// The sender's address on path `path`, counted from 0.
pub fn sender_address(path: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 77, path as u8 + 1, 1)
}

/// The path, counted from 0, that has this address at the sender.
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
    /// Two new hosts with TCP as the scenario has it, and their devices for each path. Packets pass between these once an
    /// emulator has them.
    ///
    /// # Errors
    /// Without privileges, and where the kernel has no TUN devices or no MPTCP where there are several paths.
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

/// Two routes: that of packets which have the path's address already, and that of those which look for one.
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
    // What a killed run leaves goes soon.
    host.set("ipv4/tcp_orphan_retries", "1")?;
    for of in ["all", "default"] {
        host.set(&format!("ipv4/conf/{of}/rp_filter"), "0")?;
    }
    Ok(())
}

fn set_mptcp(host: &Host) -> Result<(), TestbedError> {
    host.set("mptcp/enabled", "1")?;
    // Lost SYNs are the scenario's, not a middlebox's.
    host.set_where_known("mptcp/blackhole_timeout", "0")?;
    host.set_where_known("mptcp/syn_retrans_before_tcp_fallback", "127")?;
    // What a killed run leaves goes soon.
    host.set_where_known("mptcp/close_timeout", "1")?;
    host.run(|| PathManager::open()?.lift_limits())?
}
