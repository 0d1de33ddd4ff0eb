//! From the bytes of a table's entry to a connection.

use super::{Connection, Key, Subflow};
use anabranch_cc_fixed::registry::{KernelEntry, Row};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Bytes of a key.
pub(super) const KEY: usize = 8;

/// `AB_ALONE`.
const ALONE: u64 = 1 << 63;

/// Bytes of a `struct ab_subflow`, and rows of a connection.
const SUBFLOW: usize = 128;
const ROWS: usize = 9;

/// Where in a `struct ab_subflow` `updated` is.
const UPDATED: usize = 56;

/// Bytes of what follows them: a socket per row, the key, and how many use it.
const REST: usize = 8 * (ROWS + 2);

const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;

/// Bytes of a `struct ab_connection`.
pub(super) fn size(entry: &KernelEntry) -> usize {
    entry.group_size() + ROWS * SUBFLOW + REST
}

/// The connection with its subflows; `None` where none of them is complete, or the sizes are others.
pub(super) fn connection(entry: &'static KernelEntry, key: &[u8], value: &[u8]) -> Option<Connection> {
    if value.len() != size(entry) {
        return None;
    }
    let (group, subflows) = value.split_at(entry.group_size());
    let now = subflows.chunks_exact(SUBFLOW).filter_map(updated).max().unwrap_or(0);
    let subflows: Vec<_> =
        entry.rows(group, now)?.into_iter().filter_map(|row| subflow(row, subflows)).collect();
    let key = match u64::from_ne_bytes(key.try_into().ok()?) {
        number if number & ALONE != 0 => Key::Single(number & !ALONE),
        token => Key::Token(token as u32),
    };
    (!subflows.is_empty()).then_some(Connection { entry, key, subflows })
}

/// When a subflow was last acknowledged.
fn updated(subflow: &[u8]) -> Option<u64> {
    Fields(subflow.get(UPDATED..)?).u64()
}

/// A row's subflow; `None` where the rest of it is not the row's yet, but a former subflow's.
fn subflow(row: Row, subflows: &[u8]) -> Option<Subflow> {
    let mut fields = Fields(subflows.chunks_exact(SUBFLOW).nth(row.index)?);
    let owner = fields.u64()?;
    let netns = fields.u32()?;
    let (family, local_port, remote_port, _) = (fields.u16()?, fields.u16()?, fields.u16()?, fields.u16()?);
    let mss = fields.u32()?;
    let (local, remote) = (fields.take()?, fields.take()?);
    let acked_at_us = Some(fields.u64()?).filter(|at| *at > 0);
    let (acked_bytes, sent, resent) = (fields.u64()?, fields.u64()?, fields.u64()?);
    let seconds = |us: u32| f64::from(us) * 1e-6;
    let subflow = Subflow {
        owner,
        netns,
        local: SocketAddr::new(address(family, local)?, local_port),
        remote: SocketAddr::new(address(family, remote)?, remote_port),
        mss,
        cwnd: row.cwnd,
        ssthresh: row.ssthresh,
        srtt_s: Some(row.srtt_us).filter(|us| *us > 0).map(seconds),
        min_rtt_s: row.min_rtt_us.map(seconds),
        sent_bytes: sent.saturating_sub(resent),
        acked_bytes,
        acked_at_us,
        in_flight_segments: fields.u32()?,
        sent_segments: fields.u32()?,
        retransmitted_segments: fields.u32()?,
        delivered_segments: fields.u32()?,
        lost_segments: fields.u32()?,
        delivery_rate_bps: rate(mss, fields.u32()?, fields.u32()?),
        recoveries: fields.u32()?,
        timeouts: fields.u32()?,
        spurious: fields.u32()?,
        observables: row.observables,
    };
    (owner == row.owner).then_some(subflow)
}

/// So many segments in so many microseconds, as bits per second; `None` before the kernel has an estimate.
fn rate(mss: u32, segments: u32, us: u32) -> Option<f64> {
    (us > 0).then(|| f64::from(segments) * f64::from(mss) * 8e6 / f64::from(us))
}

/// IPv4 addresses that an IPv6 socket uses are shown as such.
fn address(family: u16, bytes: [u8; 16]) -> Option<IpAddr> {
    match family {
        AF_INET => Some(IpAddr::from([bytes[0], bytes[1], bytes[2], bytes[3]])),
        AF_INET6 => Some(IpAddr::from(Ipv6Addr::from(bytes)).to_canonical()),
        _ => None,
    }
}

/// Fields in the order of the C struct, which has no padding.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_ne_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_ne_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_ne_bytes)
    }
}

#[cfg(test)]
mod tests;
