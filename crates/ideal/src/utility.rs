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
    let (mut program, links) = sharing(capacities, connections, &carried);
    let (rows, routes) = (program.bounds.len(), program.objective.len());
    // After the routes' variables every connection's t; after their rows three for each connection.
    for (s, connection) in connections.iter().enumerate() {
        program.objective.push(-connection.weight / weight);
        program.cones.push(ExponentialConeT());
        program.bounds.extend([0.0, 1.0, 0.0]);
        program.put(rows + 3 * s, routes + s, -1.0);
    }
    for (route, (s, most)) in each_route(&carried).enumerate() {
        program.put(rows + 3 * s + 2, route, -most / carried[s].iter().sum::<f64>());
    }
    let solution = program.solve().ok_or(UtilityError::Solver)?;
    let rates = rates(&carried, &solution.x);
    let mut prices = vec![0.0; capacities.len()];
    for (link, price) in links.into_iter().zip(&solution.multipliers) {
        prices[link] = price * weight / capacities[link];
    }
    Ok(Allocation { totals: rates.iter().map(|routes| routes.iter().sum()).collect(), rates, prices })
}

/// A program. Its first variables are the fractions of the most that each route carries. Its rows keep loads within the
/// capacities of the links that can be full, which are returned, and rates from being negative.
pub(crate) fn sharing(
    capacities: &[f64],
    connections: &[Connection],
    carried: &[Vec<f64>],
) -> (Program, Vec<usize>) {
    let links = fillable(capacities, connections, carried);
    let routes = carried.iter().flatten().count();
    let mut bounds = vec![1.0; links.len()];
    bounds.resize(links.len() + routes, 0.0);
    let cones = vec![NonnegativeConeT(bounds.len())];
    let mut program = Program::new(vec![0.0; routes], bounds, cones);
    let over = connections.iter().flat_map(|connection| &connection.routes);
    for (route, (over, most)) in over.zip(carried.iter().flatten()).enumerate() {
        for (row, link) in links.iter().enumerate().filter(|(_, link)| over.contains(link)) {
            program.put(row, route, most / capacities[*link]);
        }
        program.put(links.len() + route, route, -1.0);
    }
    (program, links)
}

/// For each route the index of its connection, and the most that it carries.
pub(crate) fn each_route(carried: &[Vec<f64>]) -> impl Iterator<Item = (usize, f64)> {
    carried.iter().enumerate().flat_map(|(s, routes)| routes.iter().map(move |most| (s, *most)))
}

/// The most that a route can carry if nothing else is there.
pub(crate) fn narrowest(capacities: &[f64], route: &[usize]) -> f64 {
    route.iter().map(|link| capacities[*link]).fold(f64::INFINITY, f64::min)
}

/// The links that can be full when each route carries no more than `carried`.
fn fillable(capacities: &[f64], connections: &[Connection], carried: &[Vec<f64>]) -> Vec<usize> {
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
