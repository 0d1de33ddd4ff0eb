//! Decodes an entry of a table into a connection.

use super::{Connection, Key, Subflow};
use anabranch_cc_fixed::registry::{KernelEntry, Row};
use anabranch_cc_fixed::shared::{self, ALONE, Sockets};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use zerocopy::FromBytes;

/// Bytes of a key.
pub(super) const KEY: usize = 8;

const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;

/// Bytes of a table's entry.
pub(super) fn size(entry: &KernelEntry) -> usize {
    entry.group_size() + size_of::<Sockets>()
}

/// The connection with its subflows. `None` if no subflow is complete or the sizes differ.
pub(crate) fn connection(entry: &'static KernelEntry, key: &[u8], value: &[u8]) -> Option<Connection> {
    let (group, sockets) = value.split_at_checked(entry.group_size())?;
    let shown = Sockets::read_from_bytes(sockets).ok()?.subflow;
    let now = shown.iter().map(|subflow| subflow.updated).max()?;
    let rows = entry.rows(group, now)?.into_iter();
    let subflows: Vec<_> = rows.filter_map(|row| subflow(&shown[row.index], row)).collect();
    let key = match u64::from_ne_bytes(key.try_into().ok()?) {
        number if number & ALONE != 0 => Key::Single(number & !ALONE),
        token => Key::Token(token as u32),
    };
    (!subflows.is_empty()).then_some(Connection { entry, key, subflows })
}

/// A row's subflow. `None` if its other members still belong to a former subflow.
fn subflow(shown: &shared::Subflow, row: Row) -> Option<Subflow> {
    let seconds = |us: u32| f64::from(us) * 1e-6;
    (shown.owner == row.owner).then_some(Subflow {
        owner: shown.owner,
        netns: shown.netns,
        local: SocketAddr::new(address(shown.family, shown.local)?, shown.local_port),
        remote: SocketAddr::new(address(shown.family, shown.remote)?, shown.remote_port),
        mss: shown.mss,
        cwnd: row.cwnd,
        ssthresh: row.ssthresh,
        srtt_s: Some(row.srtt_us).filter(|us| *us > 0).map(seconds),
        min_rtt_s: row.min_rtt_us.map(seconds),
        sent_bytes: shown.sent.saturating_sub(shown.resent),
        acked_bytes: shown.acked,
        acked_at_us: Some(shown.updated).filter(|at| *at > 0),
        in_flight_segments: shown.in_flight,
        sent_segments: shown.sent_segments,
        retransmitted_segments: shown.resent_segments,
        delivered_segments: shown.delivered,
        lost_segments: shown.lost,
        delivery_rate_bps: rate(shown.mss, shown.rate_delivered, shown.rate_interval),
        recoveries: shown.recoveries,
        timeouts: shown.timeouts,
        spurious: shown.undone,
        observables: row.observables,
    })
}

/// Segments per interval in microseconds, as bits per second; `None` before the kernel has an estimate.
fn rate(mss: u32, segments: u32, us: u32) -> Option<f64> {
    (us > 0).then(|| f64::from(segments) * f64::from(mss) * 8e6 / f64::from(us))
}

/// Decodes an address; an IPv4-mapped IPv6 address becomes IPv4.
pub(crate) fn address(family: u16, bytes: [u8; 16]) -> Option<IpAddr> {
    match family {
        AF_INET => Some(IpAddr::from([bytes[0], bytes[1], bytes[2], bytes[3]])),
        AF_INET6 => Some(IpAddr::from(Ipv6Addr::from(bytes)).to_canonical()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
