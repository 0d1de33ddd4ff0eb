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
use std::io;
use std::net::{IpAddr, Ipv4Addr};

/// The prefix length of a single address.
const WHOLE: u8 = 32;

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
        let mut message = LinkMessage::default();
        message.attributes.push(LinkAttribute::IfName(name.to_owned()));
        let answers = self.0.request(RouteNetlinkMessage::GetLink(message), 0);
        let index = answers.and_then(|answers| {
            let index = answers.into_iter().find_map(|answer| match answer {
                RouteNetlinkMessage::NewLink(link) => Some(link.header.index),
                _ => None,
            });
            index.ok_or_else(|| io::Error::other("no answer"))
        });
        index.map_err(TestbedError::kernel(format!("find the device {name}")))
    }

    /// Sets a device up.
    pub fn set_up(&self, device: u32) -> Result<(), TestbedError> {
        let mut message = LinkMessage::default();
        message.header.index = device;
        message.header.flags = LinkFlags::Up;
        message.header.change_mask = LinkFlags::Up;
        self.change(RouteNetlinkMessage::SetLink(message), 0, || format!("set device {device} up"))
    }

    /// Sets a device's queue discipline to a plain FIFO. The machine's default may pace flows or drop packets.
    pub fn set_plain_queue(&self, device: u32) -> Result<(), TestbedError> {
        let mut message = TcMessage::with_index(device as i32);
        message.header.handle = TcHandle { major: 1, minor: 0 };
        message.header.parent = TcHandle::ROOT;
        message.attributes.push(TcAttribute::Kind("pfifo".to_owned()));
        let new = NLM_F_CREATE | NLM_F_REPLACE;
        let doing = || format!("set a plain queue on device {device}");
        self.change(RouteNetlinkMessage::NewQueueDiscipline(message), new, doing)
    }

    /// Gives a device an address.
    pub fn add_address(&self, device: u32, address: Ipv4Addr) -> Result<(), TestbedError> {
        let mut message = AddressMessage::default();
        message.header.family = AddressFamily::Inet;
        message.header.prefix_len = WHOLE;
        message.header.index = device;
        message.attributes =
            vec![AddressAttribute::Local(address.into()), AddressAttribute::Address(address.into())];
        let new = NLM_F_CREATE | NLM_F_EXCL;
        self.change(RouteNetlinkMessage::NewAddress(message), new, || format!("add the address {address}"))
    }

    /// Adds a route.
    ///
    /// # Errors
    /// If the kernel refuses, for example if the route exists.
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
        message.attributes =
            vec![RouteAttribute::Oif(route.device), RouteAttribute::Priority(route.priority)];
        message
            .attributes
            .extend(route.destination.map(|to| RouteAttribute::Destination(RouteAddress::Inet(to))));
        let metrics = metrics(route);
        if !metrics.is_empty() {
            message.attributes.push(RouteAttribute::Metrics(metrics));
        }
        let new = NLM_F_CREATE | NLM_F_EXCL;
        self.change(RouteNetlinkMessage::NewRoute(message), new, || format!("add the route {route:?}"))
    }

    /// Adds a rule: packets from `source` use that table.
    pub fn add_rule(&self, source: Ipv4Addr, table: u8) -> Result<(), TestbedError> {
        let mut message = RuleMessage::default();
        message.header.family = AddressFamily::Inet;
        message.header.src_len = WHOLE;
        message.header.table = table;
        message.header.action = RuleAction::ToTable;
        message.attributes.push(RuleAttribute::Source(IpAddr::V4(source)));
        let new = NLM_F_CREATE | NLM_F_EXCL;
        self.change(RouteNetlinkMessage::NewRule(message), new, || {
            format!("add a rule for packets from {source}")
        })
    }

    fn change(
        &self,
        message: RouteNetlinkMessage,
        flags: u16,
        what: impl Fn() -> String,
    ) -> Result<(), TestbedError> {
        self.0.request(message, flags).map_err(TestbedError::kernel(what()))?;
        Ok(())
    }
}

/// The kernel applies a route's timeout only if it is locked.
fn metrics(route: &Route) -> Vec<RouteMetric> {
    const RTAX_RTO_MIN: u32 = 13;
    let mut metrics = Vec::new();
    metrics.extend(route.initial_window.map(RouteMetric::InitCwnd));
    if let Some(ms) = route.min_rto_ms {
        metrics.extend([RouteMetric::Lock(1 << RTAX_RTO_MIN), RouteMetric::RtoMin(ms)]);
    }
    if route.quick_ack {
        metrics.push(RouteMetric::QuickAck(1));
    }
    metrics
}
