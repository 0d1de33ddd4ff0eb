//! The columns of a subflow, on the screen and in plain tables, and the sort orders of connections.

use anabranch::kernel::{Watched, WatchedSubflow};
use anabranch::studies::format::{decimals, plain};

pub struct Column {
    /// One word, with the unit.
    pub heading: &'static str,
    /// On a narrow screen, columns with higher values are dropped first.
    pub dispensable: u8,
    pub subflow: fn(&WatchedSubflow) -> Option<f64>,
    /// A connection's value, if it has a meaning.
    pub connection: fn(&Watched) -> Option<f64>,
    pub whole: bool,
}

const fn column(
    heading: &'static str,
    dispensable: u8,
    subflow: fn(&WatchedSubflow) -> Option<f64>,
    connection: fn(&Watched) -> Option<f64>,
) -> Column {
    Column { heading, dispensable, subflow, connection, whole: false }
}

const fn whole(column: Column) -> Column {
    Column { whole: true, ..column }
}

/// The heading of the rate: acknowledged bytes since the last sample.
pub const RATE: &str = "Mbit/s";

/// The columns. Rates in Mbit/s, times in ms, bytes in MB, windows and losses in segments.
pub const COLUMNS: [Column; 10] = [
    column("cwnd", 0, |s| Some(s.now.cwnd), |_| None),
    // If it is well below the window, something else limits the sender.
    whole(column("flight", 3, |s| Some(s.now.in_flight_segments.into()), |_| None)),
    column("ssthresh", 4, |s| Some(s.now.ssthresh), |_| None),
    column("srtt/ms", 0, |s| s.now.srtt_s.map(|t| t * 1e3), |_| None),
    column("min/ms", 2, |s| s.now.min_rtt_s.map(|t| t * 1e3), |_| None),
    column(RATE, 0, |s| s.rate_bps.map(|r| r * 1e-6), |c| c.rate_bps().map(|r| r * 1e-6)),
    column("delivery", 5, |s| s.now.delivery_rate_bps.map(|r| r * 1e-6), |_| None),
    column(
        "acked/MB",
        6,
        |s| Some(s.now.acked_bytes as f64 * 1e-6),
        |c| Some(c.sum(|s| s.acked_bytes as f64) * 1e-6),
    ),
    whole(column(
        "lost",
        1,
        |s| Some(s.now.lost_segments.into()),
        |c| Some(c.sum(|s| s.lost_segments.into())),
    )),
    whole(column("timeouts", 7, |s| Some(s.now.timeouts.into()), |c| Some(c.sum(|s| s.timeouts.into())))),
];

/// A sort order: the heading, and the value to sort by, the largest first. The input is sorted by name.
pub type Order = (&'static str, fn(&Watched) -> f64);

/// The sort orders. The values are sums over subflows; the RTT is the largest one.
pub const ORDERS: [Order; 6] = [
    ("Mbit/s", |c| c.rate_bps().unwrap_or(0.0)),
    ("acked/MB", |c| c.sum(|s| s.acked_bytes as f64)),
    ("cwnd", |c| c.sum(|s| s.cwnd)),
    ("lost", |c| c.sum(|s| s.lost_segments.into())),
    ("srtt/ms", |c| c.subflows.iter().filter_map(|s| s.now.srtt_s).fold(0.0, f64::max)),
    ("name", |_| 0.0),
];

impl Column {
    pub fn show(&self, value: Option<f64>) -> String {
        match value.filter(|x| x.is_finite()) {
            None => "–".to_owned(),
            Some(x) if self.whole => format!("{x:.0}"),
            // Narrow: four digits and at most two decimals, or three if two would leave one digit.
            Some(x) => format!("{x:.*}", decimals(x, 4).min(if x >= 0.095 || x == 0.0 { 2 } else { 3 })),
        }
    }
}

/// The algorithm's values: `alpha=0.75`.
pub fn observables(connection: &Watched, subflow: &WatchedSubflow) -> String {
    let names = connection.entry.entry.observables.iter().map(|o| o.name);
    let values = names.zip(&subflow.now.observables).filter(|(_, x)| x.is_finite());
    values.map(|(name, x)| format!("{name}={}", plain(*x))).collect::<Vec<_>>().join(" ")
}
