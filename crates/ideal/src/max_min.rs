//! Max–min fairness over connections with several routes.
//!
//! An allocation is max–min fair where no connection's total can grow without that of one that has no more shrinking
//! (Bertsekas and Gallager, Data Networks, §6.5). With one route each, progressive filling finds it. A connection that
//! divides its total over routes as it likes makes each step of the filling a linear program: the most that all who
//! still grow can have at once. Those whose constraint has a positive multiplier are held by it and keep what they have.

use crate::cone::Program;
use crate::utility::{Connection, UtilityError, check};
use clarabel::solver::NonnegativeConeT;

/// Rates of each connection's routes, in the capacities' unit, whose totals are max–min fair; weights do not count. The
/// totals are unique, the rates need not be.
///
/// Totals are accurate to about a hundred-thousandth of the largest capacity.
///
/// # Errors
/// [`UtilityError`].
pub fn max_min(capacities: &[f64], connections: &[Connection]) -> Result<Vec<Vec<f64>>, UtilityError> {
    check(capacities, connections)?;
    let mut held: Vec<Option<f64>> = vec![None; connections.len()];
    loop {
        let step = fill(capacities, connections, &held).map_err(UtilityError::Solver)?;
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
    /// What those have that still grew.
    level: f64,
    /// Whether a connection still grew and cannot any more.
    held_back: Vec<bool>,
    rates: Vec<Vec<f64>>,
}

/// Maximises the level of those that are not held.
fn fill(capacities: &[f64], connections: &[Connection], held: &[Option<f64>]) -> Result<Step, String> {
    let unit = capacities.iter().copied().fold(0.0, f64::max);
    let links = capacities.len();
    let routes: usize = connections.iter().map(|c| c.routes.len()).sum();
    // Variables: every route's rate, then the level. Rows: links, routes, connections.
    let mut program = Program::new(
        std::iter::repeat_n(0.0, routes).chain([-1.0]).collect(),
        capacities.iter().map(|c| c / unit).chain(std::iter::repeat_n(0.0, routes)).collect(),
        vec![NonnegativeConeT(links + routes + connections.len())],
    );
    let mut route = 0;
    for (s, connection) in connections.iter().enumerate() {
        let row = links + routes + s;
        for over in &connection.routes {
            over.iter().for_each(|&link| program.put(link, route, 1.0));
            program.put(links + route, route, -1.0);
            program.put(row, route, -1.0);
            route += 1;
        }
        match held[s] {
            // A little less than it had: rounding must not leave the program without a solution.
            Some(total) => program.bounds.push(-total / unit * (1.0 - 1e-9)),
            None => {
                program.put(row, routes, 1.0);
                program.bounds.push(0.0);
            }
        }
    }
    let solution = program.solve()?;

    let level = solution.x[routes];
    let mut x = solution.x.iter().map(|x| x.max(0.0) * unit);
    let rates: Vec<Vec<f64>> =
        connections.iter().map(|c| x.by_ref().take(c.routes.len()).collect()).collect();
    let pulls = &solution.multipliers[links + routes..];
    let growing = held.iter().filter(|held| held.is_none()).count() as f64;
    // Of the multiplier and the room above the level one is zero. The multipliers add up to 1.
    let held_back = |s: usize| {
        let room = rates[s].iter().sum::<f64>() / (level * unit) - 1.0;
        held[s].is_none() && pulls[s] * growing >= room
    };
    let mut held_back: Vec<bool> = (0..connections.len()).map(held_back).collect();
    let strongest =
        (0..held.len()).filter(|s| held[*s].is_none()).max_by(|a, b| pulls[*a].total_cmp(&pulls[*b]));
    if let Some(strongest) = strongest {
        held_back[strongest] = true;
    }
    Ok(Step { level: level * unit, held_back, rates })
}
