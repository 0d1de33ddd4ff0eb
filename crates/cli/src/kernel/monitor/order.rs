//! The order of connections on the screen.

use anabranch_mptcp_bpf::Watched;

/// By what connections are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Rate,
    Acked,
    Window,
    Lost,
    RoundTrip,
    Name,
}

const ALL: [Order; 6] =
    [Order::Rate, Order::Acked, Order::Window, Order::Lost, Order::RoundTrip, Order::Name];

impl Order {
    /// The next one, in a circle.
    pub fn next(self) -> Self {
        ALL[(self as usize + 1) % ALL.len()]
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Order::Rate => "Mbit/s",
            Order::Acked => "acked/MB",
            Order::Window => "cwnd",
            Order::Lost => "lost",
            Order::RoundTrip => "srtt/ms",
            Order::Name => "name",
        }
    }

    /// Sorts: the largest first, of names the first one. Equal ones keep their order.
    pub fn sort(self, connections: &mut [&Watched], reversed: bool) {
        if self != Order::Name {
            connections.sort_by(|a, b| self.value(b).total_cmp(&self.value(a)));
        }
        if reversed {
            connections.reverse();
        }
    }

    /// The sum over the subflows; of round-trip times the largest.
    fn value(self, c: &Watched) -> f64 {
        match self {
            Order::Rate => c.rate_bps().unwrap_or(0.0),
            Order::Acked => c.sum(|s| s.acked_bytes as f64),
            Order::Window => c.sum(|s| s.cwnd),
            Order::Lost => c.sum(|s| s.lost_segments.into()),
            Order::RoundTrip => c.subflows.iter().filter_map(|s| s.now.srtt_s).fold(0.0, f64::max),
            Order::Name => 0.0,
        }
    }
}
