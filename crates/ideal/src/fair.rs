//! The fair allocations of a scenario.

use crate::max_min;
use crate::network::Connection;
use crate::result::Builder;
use crate::utility::{self, UtilityError};

impl Builder<'_> {
    /// Adds both, or why one of them is missing.
    pub fn fair_allocations(&mut self) {
        // Capacities in bits per second, and connections of equal weight over them.
        let links: Vec<f64> = self.network.links.iter().map(|link| link.rate_bps).collect();
        let connection = |c: &Connection| utility::Connection {
            weight: 1.0,
            routes: c.routes.iter().map(|route| route.links.clone()).collect(),
        };
        let connections: Vec<_> = self.network.connections.iter().map(connection).collect();
        self.fair("max-min", "Max–min fairness over connections", max_min(&links, &connections));
        let pooled = utility::maximise(&links, &connections).map(|optimum| optimum.rates);
        self.fair("pooled", "Resource pooling: proportional fairness over connections", pooled);
    }

    /// Adds a fair allocation of the links' capacities: rates of the routes of each connection.
    fn fair(&mut self, id: &str, title: &str, rates: Result<Vec<Vec<f64>>, UtilityError>) {
        let rates = match rates {
            Ok(rates) => rates,
            Err(error) => return self.missing(id, title, error.to_string()),
        };
        let mut flows = self.flows(|_| None);
        let mut loads = vec![0.0; self.network.links.len()];
        for (connection, rates) in self.network.connections.iter().zip(&rates) {
            let flow = &mut flows[connection.flow];
            let total: f64 = rates.iter().sum();
            for (route, rate) in connection.routes.iter().zip(rates) {
                // The rate that the solver leaves to an unused route.
                let rate = if *rate < 1e-4 * total { 0.0 } else { *rate };
                flow.subflows[route.path].goodput_bps =
                    Some(rate * connection.payload_bits / connection.packet_bits);
                route.links.iter().for_each(|link| loads[*link] += rate);
            }
        }
        self.add(id, title, flows, &loads, |_| None);
    }
}
