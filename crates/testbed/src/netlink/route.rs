//! Devices, addresses, routes and rules.

use super::Netlink;
use crate::TestbedError;
use netlink_packet_core::{NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE};
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol, RouteScope,
    RouteType,
};
use netlink_packet_route::rule::{RuleAction, RuleAttribute, RuleMessage};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use rustix::net::netdevice::name_to_index;
use std::io;
use std::net::{IpAddr, Ipv4Addr};

/// Flags of requests for what does not exist yet.
const NEW: u16 = NLM_F_CREATE | NLM_F_EXCL;

/// The prefix length of a single address.
const WHOLE: u8 = 32;

/// The number of a metric (linux/rtnetlink.h).
const RTAX_RTO_MIN: u32 = 13;

/// The devices, addresses, routes and rules of a namespace.
pub struct Routes(Netlink);

/// A route.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The destination; `None` for all.
    pub destination: Option<Ipv4Addr>,
    /// The index of the device.
    pub device: u32,
    /// The table; `None` is the main one.
    pub table: Option<u8>,
    /// The metric: the kernel uses the route with the smaller number.
    pub priority: u32,
    /// The initial congestion window, in segments; `None` leaves it to the kernel.
    pub initial_window: Option<u32>,
    /// The smallest retransmission timeout, in milliseconds; `None` leaves it to the kernel.
    pub min_rto_ms: Option<u32>,
    /// Whether every segment is acknowledged at once.
    pub quick_ack: bool,
}

impl Routes {
    /// Opens a socket in the calling thread's namespace.
    pub fn open() -> Result<Self, TestbedError> {
        Netlink::open(NETLINK_ROUTE).map(Routes).map_err(TestbedError::kernel("open a netlink socket"))
    }

    /// The index of the device called `name`.
    pub fn device(&self, name: &str) -> Result<u32, TestbedError> {
        name_to_index(&self.0.0, name).map_err(TestbedError::kernel(format!("find the device {name}")))
    }

    /// Sets a device's queue discipline to a plain FIFO. The machine's default may pace flows or drop packets.
    pub fn set_plain_queue(&self, device: u32) -> Result<(), TestbedError> {
        let mut message = TcMessage::with_index(device as i32);
        message.header.handle = TcHandle { major: 1, minor: 0 };
        message.header.parent = TcHandle::ROOT;
        message.attributes.push(TcAttribute::Kind("pfifo".to_owned()));
        let doing = format!("set a plain queue on device {device}");
        let flags = NLM_F_CREATE | NLM_F_REPLACE;
        self.change(RouteNetlinkMessage::NewQueueDiscipline(message), flags, doing)
    }

    /// Gives a device an address.
    pub fn add_address(&self, device: u32, address: Ipv4Addr) -> Result<(), TestbedError> {
        let mut message = AddressMessage::default();
        message.header.family = AddressFamily::Inet;
        message.header.prefix_len = WHOLE;
        message.header.index = device;
        message.attributes =
            vec![AddressAttribute::Local(address.into()), AddressAttribute::Address(address.into())];
        self.change(RouteNetlinkMessage::NewAddress(message), NEW, format!("add the address {address}"))
    }

    /// Adds a route, which must not exist.
    pub fn add_route(&self, route: &Route) -> Result<(), TestbedError> {
        let mut message = RouteMessage::default();
        message.header = RouteHeader {
            address_family: AddressFamily::Inet,
            destination_prefix_length: if route.destination.is_some() { WHOLE } else { 0 },
            table: route.table.unwrap_or(RouteHeader::RT_TABLE_MAIN),
            protocol: RouteProtocol::Static,
            scope: RouteScope::Link,
            kind: RouteType::Unicast,
            ..RouteHeader::default()
        };
        let destination = route.destination.map(|to| RouteAttribute::Destination(RouteAddress::Inet(to)));
        message.attributes =
            vec![RouteAttribute::Oif(route.device), RouteAttribute::Priority(route.priority)];
        message.attributes.extend(destination);
        let mut metrics = Vec::from_iter(route.initial_window.map(RouteMetric::InitCwnd));
        // The kernel applies a route's timeout only if it is locked.
        if let Some(ms) = route.min_rto_ms {
            metrics.extend([RouteMetric::Lock(1 << RTAX_RTO_MIN), RouteMetric::RtoMin(ms)]);
        }
        if route.quick_ack {
            metrics.push(RouteMetric::QuickAck(1));
        }
        if !metrics.is_empty() {
            message.attributes.push(RouteAttribute::Metrics(metrics));
        }
        self.change(RouteNetlinkMessage::NewRoute(message), NEW, format!("add the route {route:?}"))
    }

    /// Adds a rule: packets from `source` use that table.
    pub fn add_rule(&self, source: Ipv4Addr, table: u8) -> Result<(), TestbedError> {
        let mut message = RuleMessage::default();
        message.header.family = AddressFamily::Inet;
        message.header.src_len = WHOLE;
        message.header.table = table;
        message.header.action = RuleAction::ToTable;
        message.attributes.push(RuleAttribute::Source(IpAddr::V4(source)));
        let doing = format!("add a rule for packets from {source}");
        self.change(RouteNetlinkMessage::NewRule(message), NEW, doing)
    }

    fn change(&self, message: RouteNetlinkMessage, flags: u16, what: String) -> Result<(), TestbedError> {
        self.0.request(message, flags).map(drop).map_err(TestbedError::kernel(what))
    }
}

/// Sets a device of the calling thread's namespace up, with these attributes.
pub(crate) fn set_up(name: &str, attributes: &[LinkAttribute]) -> io::Result<()> {
    let mut message = LinkMessage::default();
    message.header.flags = LinkFlags::Up;
    message.header.change_mask = LinkFlags::Up;
    message.attributes.push(LinkAttribute::IfName(name.to_owned()));
    message.attributes.extend_from_slice(attributes);
    Netlink::open(NETLINK_ROUTE)?.request(RouteNetlinkMessage::SetLink(message), 0).map(drop)
}
