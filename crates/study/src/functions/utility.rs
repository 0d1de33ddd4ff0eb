//! The rates that maximise the sum of utilities, weight · log(rate), over all connections.
//!
//! A connection's weight is the mean of one of its algorithm's observables, in segments, summed over its subflows: the backlog or
//! threshold that a delay-based algorithm keeps in queues. A link's price is then a delay. Segments count in packets of 1500
//! bytes.

use crate::outcome::{Outcome, PACKET_BITS};
use crate::segment::Segment;
use anabranch_ideal::utility::{Allocation, Connection, maximise};

/// A connection's rate in the optimum, in Mbit/s at IP level.
pub(super) fn rate(run: &Outcome, flow: &str, weight: &str) -> Option<f64> {
    let i = run.scenario.flows.iter().position(|known| known.name == flow)?;
    optimum(run, weight)?.totals.get(i).copied()
}

/// A link's price in the optimum, weight ÷ rate, in seconds.
pub(super) fn price(run: &Outcome, link: &str, weight: &str) -> Option<f64> {
    let i = run.scenario.links.iter().position(|known| known.name == link)?;
    // Packets per Mbit/s to packets per packet/s.
    Some(optimum(run, weight)?.prices.get(i)? * PACKET_BITS / 1e6)
}

/// With capacities in Mbit/s, and weights in packets.
fn optimum(run: &Outcome, weight: &str) -> Option<Allocation> {
    let connections = run.scenario.flows.iter().map(|flow| {
        let paths = 0..flow.paths.len();
        Some(Connection {
            weight: paths.map(|r| run.observable(&flow.name, r, weight)).sum::<Option<f64>>()?
                * (Segment::of(flow).packet * 8.0 / PACKET_BITS),
            routes: flow.paths.iter().map(|path| path.links.clone()).collect(),
        })
    });
    let connections: Vec<Connection> = connections.collect::<Option<_>>()?;
    let capacities: Vec<f64> = run.scenario.links.iter().map(|link| link.spec.rate_bps / 1e6).collect();
    maximise(&capacities, &connections).ok()
}
