//! Max–min fairness over connections with several routes.
//!
//! An allocation is max–min fair where no connection's total can grow unless the total of one that has no more shrinks (Bertsekas
//! and Gallager, Data Networks, §6.5). With one route each, progressive filling finds it. A connection that
//! divides its total over routes as it likes makes each step of the filling a linear program: the most that all who
//! still grow can have at once. Those whose constraint has a positive multiplier are held by it and keep what they have.

use crate::utility::{Connection, UtilityError, check, each_route, narrowest, rates, sharing};
use clarabel::solver::NonnegativeConeT;

/// Rates of each connection's routes, in the capacities' unit, whose totals are max–min fair; weights do not count. The
/// totals are unique, the rates need not be.
///
/// Each total is accurate to about a hundred-thousandth.
pub fn max_min(capacities: &[f64], connections: &[Connection]) -> Result<Vec<Vec<f64>>, UtilityError> {
    check(capacities, connections)?;
    let mut held: Vec<Option<f64>> = vec![None; connections.len()];
    loop {
        let step = fill(capacities, connections, &held).ok_or(UtilityError::Solver)?;
        for (held, held_back) in held.iter_mut().zip(&step.held_back) {
            if *held_back {
                held.get_or_insert(step.level);
            }
        }
        if held.iter().all(Option::is_some) {
            return Ok(step.rates);
        }
    }
}

/// A step of the filling.
struct Step {
    /// The share of those that still grew.
    level: f64,
    /// Whether a connection still grew and cannot any more.
    held_back: Vec<bool>,
    rates: Vec<Vec<f64>>,
}

/// Maximises the level of those that are not held. Nobody has more than twice what it asks for, so that the solver's numbers
/// are near 1 however much capacities differ.
fn fill(capacities: &[f64], connections: &[Connection], held: &[Option<f64>]) -> Option<Step> {
    let alone = |c: &Connection| c.routes.iter().map(|r| narrowest(capacities, r)).sum::<f64>();
    // No level is higher.
    let growing = connections.iter().zip(held).filter(|(_, held)| held.is_none());
    let unit = growing.map(|(c, _)| alone(c)).fold(f64::INFINITY, f64::min);
    let asked: Vec<f64> = held.iter().map(|held| held.unwrap_or(unit)).collect();
    let carried = |(c, asked): (&Connection, &f64)| {
        c.routes.iter().map(|r| narrowest(capacities, r).min(2.0 * asked)).collect::<Vec<_>>()
    };
    let carried: Vec<Vec<f64>> = connections.iter().zip(&asked).map(carried).collect();
    let (mut program, _) = sharing(capacities, connections, &carried);
    let (rows, routes, totals) = (program.bounds.len(), program.objective.len(), connections.len());
    // After the routes' variables the level in `unit`; after their rows those of connections with what they ask for, and of
    // connections with twice that.
    program.objective.push(-1.0);
    // A little less than it had: rounding must not leave the program without a solution.
    program.bounds.extend(held.iter().map(|held| if held.is_some() { 1e-9 - 1.0 } else { 0.0 }));
    program.bounds.resize(rows + 2 * totals, 2.0);
    program.cones = vec![NonnegativeConeT(program.bounds.len())];
    for (route, (s, most)) in each_route(&carried).enumerate() {
        program.put(rows + s, route, -most / asked[s]);
        program.put(rows + totals + s, route, most / asked[s]);
    }
    for (s, _) in held.iter().enumerate().filter(|(_, held)| held.is_none()) {
        program.put(rows + s, routes, 1.0);
    }
    let solution = program.solve()?;

    let level = solution.x[routes] * unit;
    let rates = rates(&carried, &solution.x);
    let pulls = &solution.multipliers[rows..][..totals];
    let growing = held.iter().filter(|held| held.is_none()).count() as f64;
    // Of the multiplier and the room above the level one is zero. The multipliers add up to 1.
    let held_back = |s: usize| {
        let room = rates[s].iter().sum::<f64>() / level - 1.0;
        held[s].is_none() && pulls[s] * growing >= room
    };
    let mut held_back: Vec<bool> = (0..connections.len()).map(held_back).collect();
    let strongest =
        (0..held.len()).filter(|s| held[*s].is_none()).max_by(|a, b| pulls[*a].total_cmp(&pulls[*b]));
    if let Some(strongest) = strongest {
        held_back[strongest] = true;
    }
    Some(Step { level, held_back, rates })
}
