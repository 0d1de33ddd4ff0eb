//! Sort orders of connections on the screen.

use anabranch::kernel::Watched;

/// A sort order: the heading, and the value to sort by, the largest first. The input is sorted by name.
pub type Order = (&'static str, fn(&Watched) -> f64);

/// The values are sums over subflows; the RTT is the largest one.
pub const ORDERS: [Order; 6] = [
    ("Mbit/s", |c| c.rate_bps().unwrap_or(0.0)),
    ("acked/MB", |c| c.sum(|s| s.acked_bytes as f64)),
    ("cwnd", |c| c.sum(|s| s.cwnd)),
    ("lost", |c| c.sum(|s| s.lost_segments.into())),
    ("srtt/ms", |c| c.subflows.iter().filter_map(|s| s.now.srtt_s).fold(0.0, f64::max)),
    ("name", |_| 0.0),
];

/// Sorts connections; equal ones keep their order.
pub fn sort((_, value): Order, reversed: bool, connections: &mut [&Watched]) {
    connections.sort_by(|a, b| value(b).total_cmp(&value(a)));
    if reversed {
        connections.reverse();
    }
}
