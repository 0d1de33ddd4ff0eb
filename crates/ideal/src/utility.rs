//! Network utility maximisation: how connections over several routes would share links that they want to use best.
//!
//! Maximise Σ_s w_s·log y_s over the rates x of the routes, where y_s is the sum of connection s's routes, no link
//! carries more than its capacity and no rate is negative: weighted proportional fairness of the connections' totals
//! (Kelly, Maulloo and Tan, 1998). A connection's utility is log-concave in its total only, so the totals y are unique;
//! the rates x of its routes need not be.
//!
//! With t_s ≤ log y_s the objective is linear, and (t_s, 1, y_s) lies in the exponential cone: an interior-point solver
//! for cones (Clarabel) finds the optimum and the links' prices, the multipliers of their capacities.
//!
//! Capacities may differ by many powers of ten. For the solver each route's rate is a fraction of the most that the route can
//! carry, and each total a fraction of the sum of these: all are between 0 and 1. Links that cannot be filled do not get a row.

use crate::cone::Program;
use clarabel::solver::{ExponentialConeT, NonnegativeConeT};

/// A connection: its utility is `weight`·log(its total rate).
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// w_s, positive.
    pub weight: f64,
    /// For each route its links, as indices; at least one route, each over at least one link, and no link twice.
    pub routes: Vec<Vec<usize>>,
}

/// The optimum.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    /// For each connection its total y_s, in the capacities' unit.
    pub totals: Vec<f64>,
    /// For each connection the rate of each route: where several splits are optimal, one of them.
    pub rates: Vec<Vec<f64>>,
    /// For each link its price λ, in weight per rate: what one more unit of capacity would add to the utility.
    pub prices: Vec<f64>,
}

/// Why there is no optimum.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UtilityError {
    /// A capacity or weight is not positive and finite, a connection has no route, or a route no link or one that
    /// does not exist or comes twice.
    #[error("not a network: {0}")]
    Network(&'static str),
    /// The solver did not converge.
    #[error("the solver found no optimum that is accurate enough")]
    Solver,
}

/// Solves it; totals are accurate to about a thousandth, mostly much better.
pub fn maximise(capacities: &[f64], connections: &[Connection]) -> Result<Allocation, UtilityError> {
    check(capacities, connections)?;
    let weight = connections.iter().map(|c| c.weight).fold(0.0, f64::max);
    let carried: Vec<Vec<f64>> =
        connections.iter().map(|c| c.routes.iter().map(|r| narrowest(capacities, r)).collect()).collect();
    let rows = fillable(capacities, connections, &carried);

    let (links, totals) = (rows.len(), connections.len());
    let routes: usize = connections.iter().map(|c| c.routes.len()).sum();
    // Variables: every route's fraction, then every connection's t. Rows: links, routes, and three for each connection.
    let objective = std::iter::repeat_n(0.0, routes).chain(connections.iter().map(|c| -c.weight / weight));
    let mut bounds = vec![1.0; links];
    bounds.resize(links + routes, 0.0);
    let mut cones = vec![NonnegativeConeT(links + routes)];
    cones.resize(1 + totals, ExponentialConeT());
    let mut program = Program::new(objective.collect(), bounds, cones);
    let mut route = 0;
    for (s, (connection, carried)) in connections.iter().zip(&carried).enumerate() {
        let cone = links + routes + 3 * s;
        let all: f64 = carried.iter().sum();
        program.put(cone, routes + s, -1.0);
        for (over, most) in connection.routes.iter().zip(carried) {
            for (row, link) in rows.iter().enumerate().filter(|(_, link)| over.contains(link)) {
                program.put(row, route, most / capacities[*link]);
            }
            program.put(links + route, route, -1.0);
            program.put(cone + 2, route, -most / all);
            route += 1;
        }
        program.bounds.extend([0.0, 1.0, 0.0]);
    }
    let solution = program.solve().ok_or(UtilityError::Solver)?;
    let rates = rates(&carried, &solution.x);
    let mut prices = vec![0.0; capacities.len()];
    for (&link, price) in rows.iter().zip(&solution.multipliers) {
        prices[link] = price * weight / capacities[link];
    }
    Ok(Allocation { totals: rates.iter().map(|routes| routes.iter().sum()).collect(), rates, prices })
}

/// The most that a route can carry if nothing else is there.
pub(crate) fn narrowest(capacities: &[f64], route: &[usize]) -> f64 {
    route.iter().map(|link| capacities[*link]).fold(f64::INFINITY, f64::min)
}

/// The links that can be full when each route carries no more than `carried`.
pub(crate) fn fillable(capacities: &[f64], connections: &[Connection], carried: &[Vec<f64>]) -> Vec<usize> {
    let mut most = vec![0.0; capacities.len()];
    for (connection, carried) in connections.iter().zip(carried) {
        for (route, carried) in connection.routes.iter().zip(carried) {
            route.iter().for_each(|link| most[*link] += carried);
        }
    }
    (0..capacities.len()).filter(|link| most[*link] >= capacities[*link]).collect()
}

/// Rates from the first variables of a solution, each a fraction of the most that its route carries.
pub(crate) fn rates(carried: &[Vec<f64>], x: &[f64]) -> Vec<Vec<f64>> {
    let mut x = x.iter().map(|x| x.max(0.0));
    carried.iter().map(|most| most.iter().zip(x.by_ref()).map(|(most, x)| most * x).collect()).collect()
}

/// Whether these are links and connections over them.
pub(crate) fn check(capacities: &[f64], connections: &[Connection]) -> Result<(), UtilityError> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let unless = |fine: bool, what| if fine { Ok(()) } else { Err(UtilityError::Network(what)) };
    unless(!connections.is_empty(), "no connection")?;
    unless(capacities.iter().all(|c| positive(*c)), "a capacity that is not positive")?;
    unless(connections.iter().all(|c| positive(c.weight)), "a weight that is not positive")?;
    unless(connections.iter().all(|c| !c.routes.is_empty()), "a connection without a route")?;
    let routes = || connections.iter().flat_map(|c| &c.routes);
    unless(routes().all(|links| !links.is_empty()), "a route without a link")?;
    unless(routes().flatten().all(|link| *link < capacities.len()), "a link that does not exist")?;
    let twice = |links: &Vec<usize>| (1..links.len()).any(|i| links[..i].contains(&links[i]));
    unless(!routes().any(twice), "a link twice on a route")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn connection(weight: f64, routes: &[&[usize]]) -> Connection {
        Connection { weight, routes: routes.iter().map(|links| links.to_vec()).collect() }
    }

    fn close(ours: &[f64], expected: &[f64]) {
        assert_eq!(ours.len(), expected.len());
        let largest = expected.iter().copied().fold(0.0, f64::max);
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * largest;
        assert!(ours.iter().zip(expected).all(near), "{ours:?} {expected:?}");
    }

    /// One link: shares are as the weights, and its price is Σ weights ÷ capacity.
    #[test]
    fn one_link_is_shared_by_weight() {
        let flows = [1.0, 2.0, 5.0].map(|w| connection(w, &[&[0]]));
        let optimum = maximise(&[80.0], &flows).unwrap();
        close(&optimum.totals, &[10.0, 20.0, 50.0]);
        close(&optimum.prices, &[0.1]);
    }

    #[test]
    fn a_flow_on_each_of_two_links_has_its_link() {
        let optimum = maximise(&[3.0, 7.0], &[connection(2.0, &[&[0]]), connection(9.0, &[&[1]])]).unwrap();
        close(&optimum.totals, &[3.0, 7.0]);
        close(&optimum.prices, &[2.0 / 3.0, 9.0 / 7.0]);
    }

    /// Kelly's line of n links: the flow over all of them gets 1/(n + 1) of each, those over one the rest.
    #[test]
    fn the_long_flow_of_a_line() {
        let mut flows: Vec<Connection> = (0..4).map(|link| connection(1.0, &[&[link]])).collect();
        flows.push(connection(1.0, &[&[0, 1, 2, 3]]));
        let optimum = maximise(&[10.0; 4], &flows).unwrap();
        close(&optimum.totals, &[8.0, 8.0, 8.0, 8.0, 2.0]);
        close(&optimum.prices, &[0.125; 4]);
    }

    /// Totals count: a connection over both links leaves the one that another has to itself.
    #[test]
    fn a_multipath_connection_takes_the_free_link() {
        let flows = [connection(1.0, &[&[0]]), connection(1.0, &[&[0], &[1]])];
        let optimum = maximise(&[100.0, 100.0], &flows).unwrap();
        close(&optimum.totals, &[100.0, 100.0]);
        close(&optimum.rates[1], &[0.0, 100.0]);
        // With less of its own it balances: one pool of 160.
        let optimum = maximise(&[100.0, 60.0], &flows).unwrap();
        close(&optimum.totals, &[80.0, 80.0]);
        close(&optimum.rates[1], &[20.0, 60.0]);
        close(&optimum.prices, &[1.0 / 80.0; 2]);
    }

    /// Two routes over one link: only the total is determined.
    #[test]
    fn subflows_on_one_link_count_once() {
        let flows = [connection(1.0, &[&[0], &[0]]), connection(3.0, &[&[0]])];
        close(&maximise(&[40.0], &flows).unwrap().totals, &[10.0, 30.0]);
    }

    /// Capacities that differ by a factor of a million, in either place.
    #[test]
    fn wide_and_narrow_links() {
        for wide in [5e5, 1e6] {
            // A detour over the wide link, which nothing fills: a pool of 2.
            let detour = [connection(1.0, &[&[0], &[1, 2]]), connection(1.0, &[&[0]])];
            let optimum = maximise(&[1.0, 1.0, wide], &detour).unwrap();
            close(&optimum.totals, &[1.0, 1.0]);
            close(&optimum.prices, &[1.0, 1.0, 0.0]);
            // The wide link is a connection's own: it leaves the narrow one.
            let own = [connection(1.0, &[&[0], &[1]]), connection(1.0, &[&[0]])];
            let optimum = maximise(&[1.0, wide], &own).unwrap();
            assert!((optimum.totals[0] / wide - 1.0).abs() < 1e-5 && (optimum.totals[1] - 1.0).abs() < 1e-5);
            // Kelly's line over both: of its weight w the narrow link costs the long flow 1/(1 - y), the wide one 1/(wide - y)
            // next to nothing: 1/y = 1/(1 - y).
            let line = [connection(1.0, &[&[0, 1]]), connection(1.0, &[&[0]]), connection(1.0, &[&[1]])];
            let optimum = maximise(&[1.0, wide], &line).unwrap();
            close(&optimum.totals[..2], &[0.5, 0.5]);
            assert!((optimum.totals[2] / wide - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn what_is_no_network_is_an_error() {
        let one = connection(1.0, &[&[0]]);
        let bad: [(&[f64], Vec<Connection>); 9] = [
            (&[1.0], vec![]),
            (&[0.0], vec![one.clone()]),
            (&[f64::NAN], vec![one.clone()]),
            (&[f64::INFINITY], vec![one.clone()]),
            (&[1.0], vec![connection(-1.0, &[&[0]])]),
            (&[1.0], vec![connection(1.0, &[])]),
            (&[1.0], vec![connection(1.0, &[&[]])]),
            (&[1.0], vec![connection(1.0, &[&[1]])]),
            (&[1.0], vec![connection(1.0, &[&[0, 0]])]),
        ];
        for (capacities, connections) in bad {
            let answer = maximise(capacities, &connections);
            assert!(matches!(answer, Err(UtilityError::Network(_))), "{answer:?}");
        }
    }

    /// Some links, and connections with some routes over them.
    fn networks() -> impl Strategy<Value = (Vec<f64>, Vec<Connection>)> {
        (1..5_usize).prop_flat_map(|links| {
            let route = proptest::sample::subsequence((0..links).collect::<Vec<_>>(), 1..=links);
            let routes = proptest::collection::vec(route, 1..4);
            let connection = (0.1..50.0, routes).prop_map(|(weight, routes)| Connection { weight, routes });
            let capacities = proptest::collection::vec(1e2..1e4, links);
            (capacities, proptest::collection::vec(connection, 1..6))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// Karush, Kuhn and Tucker: feasible, prices not negative and zero on links with room, no route cheaper than
        /// the connection's marginal utility w/y, and those in use exactly as dear. For a concave problem these
        /// suffice for the optimum.
        #[test]
        fn conditions_of_the_optimum((capacities, connections) in networks()) {
            let optimum = maximise(&capacities, &connections).unwrap();
            let mut loads = vec![0.0; capacities.len()];
            for (s, connection) in connections.iter().enumerate() {
                let marginal = connection.weight / optimum.totals[s];
                for (links, rate) in connection.routes.iter().zip(&optimum.rates[s]) {
                    let price: f64 = links.iter().map(|link| optimum.prices[*link]).sum();
                    prop_assert!(*rate >= 0.0 && price >= marginal * (1.0 - 5e-3), "{price} {marginal}");
                    // The product with the share of the total: a route hardly in use may be a little dearer.
                    prop_assert!((price / marginal - 1.0) * rate / optimum.totals[s] <= 5e-3);
                    links.iter().for_each(|link| loads[*link] += rate);
                }
            }
            let weights: f64 = connections.iter().map(|c| c.weight).sum();
            for ((load, capacity), price) in loads.iter().zip(&capacities).zip(&optimum.prices) {
                prop_assert!(*load <= capacity * (1.0 + 1e-6) && *price >= 0.0);
                prop_assert!(price * (capacity - load) <= 1e-3 * weights);
            }
        }
    }
}
