//! Equilibria of windows and loss rates, with drop-tail links as capacity limits.
//!
//! Each link has a loss rate p as its price: it is zero while the link has room, and rises until the load is no more
//! than the capacity. A route's loss rate is 1 − Π(1 − p)(1 − q) over its links, q being what they lose at random.
//! At the equilibrium every link is either full or without congestion, and every window is what its [`Rule`] says.
//!
//! The unknowns are z = ln p. They follow ż = ln(load/capacity) between bounds, as prices do in the dual of network utility
//! maximisation (Low and Lapsley 1999), to where they rest. Its implicit Euler steps grow until they are Newton's for
//! the rest itself: pseudo-transient continuation (Kelley and Keyes 1998).

use crate::network::{Network, Route};
use crate::rule::{Path, Rule};

/// ln p of a link without congestion: a loss rate of 10⁻¹⁸.
const NONE: f64 = -41.4;
/// From there its queue grows to what a bottleneck's is within a factor of 100 in p, so that the round-trip times do
/// not jump when a link fills.
const RAMP: f64 = 4.6;
/// How close the load of a full link is to its capacity.
const TOLERANCE: f64 = 1e-7;
/// Steps before it gives up.
const STEPS: usize = 400;
/// The step below which it gives up, and the longest, in the time of ż = ln(load/capacity).
const DURATION: (f64, f64) = (1e-9, 1e12);
/// How often a step is corrected before a shorter one is tried.
const CORRECTIONS: usize = 4;
/// The least ln(load/capacity): a link without load has that.
const LEAST: f64 = -20.0;
/// Sharpness of OLIA's choice, one after the other: with the last, two paths whose rates differ by a factor of 10 differ in X by a
/// thousandth.
const SHARPNESS: [f64; 5] = [4.0, 16.0, 64.0, 256.0, 1024.0];

#[derive(Clone, Debug)]
pub(crate) struct Equilibrium {
    /// For each connection, each route's window and path conditions.
    pub routes: Vec<Vec<Settled>>,
    /// For each link its loss rate through congestion; 0 where it has room.
    pub losses: Vec<f64>,
    /// For each link its load, in bits per second.
    pub loads: Vec<f64>,
}

/// A route at the equilibrium.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settled {
    /// Mean window, in segments.
    pub window: f64,
    pub path: Path,
}

/// Why there is no equilibrium.
const OVERLOAD: &str =
    "the flows' smallest windows exceed a link's capacity: timeouts, which the models lack, would dominate";
const NOT_FOUND: &str = "the solver found no equilibrium";

/// Finds the equilibrium in which each connection follows its rule.
pub(crate) fn equilibrium(network: &Network, rules: &[Rule]) -> Result<Equilibrium, &'static str> {
    let mut z = vec![-9.0; network.links.len()];
    let mut found = Err(NOT_FOUND);
    // Without OLIA once is enough.
    let steps = if rules.iter().any(|rule| matches!(rule, Rule::Olia { .. })) { SHARPNESS.len() } else { 1 };
    for &k in &SHARPNESS[..steps] {
        let sharpened = |rule: &Rule| match rule {
            Rule::Olia { .. } => Rule::Olia { sharpness: k },
            rule => *rule,
        };
        found = System { network, rules: rules.iter().map(sharpened).collect() }.solve(&mut z);
    }
    found
}

struct System<'a> {
    network: &'a Network,
    rules: Vec<Rule>,
}

impl System<'_> {
    /// The windows of connection `c`'s routes and their paths.
    fn settle(&self, c: usize, z: &[f64]) -> impl Iterator<Item = Settled> {
        let links = &self.network.links;
        let waits = |link: &usize| {
            links[*link].wait.seconds(z[*link].exp()) * ((z[*link] - NONE) / RAMP).clamp(0.0, 1.0)
        };
        let survives = |&link: &usize| (-z[link].exp()).ln_1p() + (-links[link].loss).ln_1p();
        let path = |route: &Route| Path {
            loss: -route.links.iter().map(survives).sum::<f64>().exp_m1(),
            rtt_s: route.base_rtt_s + route.links.iter().chain(&route.back).map(waits).sum::<f64>(),
        };
        let paths: Vec<Path> = self.network.connections[c].routes.iter().map(path).collect();
        let windows = self.rules[c].windows(&paths);
        windows.into_iter().zip(paths).map(|(window, path)| Settled { window, path })
    }

    /// The load of every link, in bits per second.
    fn loads(&self, z: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; z.len()];
        for (c, connection) in self.network.connections.iter().enumerate() {
            for (route, Settled { window, path }) in connection.routes.iter().zip(self.settle(c, z)) {
                let load = window / path.rtt_s * connection.packet_bits;
                route.links.iter().for_each(|link| loads[*link] += load);
            }
        }
        loads
    }

    /// ln(load/capacity) of every link.
    fn excess(&self, z: &[f64]) -> Vec<f64> {
        let loads = self.loads(z).into_iter().zip(&self.network.links);
        loads.map(|(load, link)| (load / link.rate_bps).ln().max(LEAST)).collect()
    }

    fn solve(&self, z: &mut [f64]) -> Result<Equilibrium, &'static str> {
        let mut duration = 1.0;
        let mut excess = self.excess(z);
        for _ in 0..STEPS {
            if error(z, &excess) < TOLERANCE {
                // All is lost on a link, and it is too much nevertheless?
                let overloaded = z.iter().zip(&excess).any(|(z, excess)| *z == 0.0 && *excess > TOLERANCE);
                return if overloaded { Err(OVERLOAD) } else { Ok(self.result(z)) };
            }
            let (moving, slopes) = self.slopes(z, &excess);
            let (next, there) = loop {
                match self.after(duration, z, &excess, &moving, &slopes) {
                    Some(found) => break found,
                    None if duration < DURATION.0 => return Err(NOT_FOUND),
                    None => duration /= 4.0,
                }
            };
            z.copy_from_slice(&next);
            excess = there;
            duration = (duration * 4.0).min(DURATION.1);
        }
        Err(NOT_FOUND)
    }

    /// An implicit Euler step, z' − z = `duration`·excess(z'): z' and the excess there; `None` if corrections by the slopes at z do
    /// not lead there.
    fn after(
        &self,
        duration: f64,
        z: &[f64],
        excess: &[f64],
        moving: &[usize],
        slopes: &[Vec<f64>],
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let (mut next, mut there) = (z.to_vec(), excess.to_vec());
        for _ in 0..CORRECTIONS {
            let mut rows: Vec<Vec<f64>> = slopes.to_vec();
            for (i, (row, &link)) in rows.iter_mut().zip(moving).enumerate() {
                row[i] += 1.0 / duration;
                row.push(there[link] - (next[link] - z[link]) / duration);
            }
            for (&link, by) in moving.iter().zip(eliminate(rows)?) {
                next[link] = (next[link] + by).clamp(NONE, 0.0);
            }
            there = self.excess(&next);
            let off = |&link: &usize| deviation(next[link], there[link] - (next[link] - z[link]) / duration);
            if moving.iter().map(off).fold(0.0, f64::max) <= 0.5 * error(z, excess) {
                return Some((next, there));
            }
        }
        None
    }

    /// The links whose z may move, and the slopes −∂excess/∂z among them.
    fn slopes(&self, z: &[f64], excess: &[f64]) -> (Vec<usize>, Vec<Vec<f64>>) {
        const DIFFERENCE: f64 = 1e-7;
        let moving: Vec<usize> = (0..z.len()).filter(|&i| !at_bound(z[i], excess[i])).collect();
        let mut slopes = vec![vec![0.0; moving.len()]; moving.len()];
        for (column, link) in moving.iter().enumerate() {
            let mut moved = z.to_vec();
            let by = if z[*link] < -1.0 { DIFFERENCE } else { -DIFFERENCE };
            moved[*link] += by;
            let there = self.excess(&moved);
            for (row, of) in moving.iter().enumerate() {
                slopes[row][column] = (excess[*of] - there[*of]) / by;
            }
        }
        (moving, slopes)
    }

    fn result(&self, z: &[f64]) -> Equilibrium {
        let routes = (0..self.network.connections.len()).map(|c| self.settle(c, z).collect()).collect();
        let losses = z.iter().map(|z| if *z > NONE { z.exp() } else { 0.0 }).collect();
        Equilibrium { routes, losses, loads: self.loads(z) }
    }
}

/// Whether z is at a bound, and moving by `excess` would leave it.
fn at_bound(z: f64, excess: f64) -> bool {
    (z == NONE && excess <= 0.0) || (z == 0.0 && excess >= 0.0)
}

/// How far z is from its rest, moving by `excess`.
fn deviation(z: f64, excess: f64) -> f64 {
    if at_bound(z, excess) { 0.0 } else { excess.abs() }
}

/// The largest deviation.
fn error(z: &[f64], excess: &[f64]) -> f64 {
    z.iter().zip(excess).map(|(z, excess)| deviation(*z, *excess)).fold(0.0, f64::max)
}

/// Solves linear equations by Gauss's elimination with pivots; each row ends with its right-hand side.
fn eliminate(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs()))?;
        rows.swap(i, pivot);
        let (head, tail) = rows.split_at_mut(i + 1);
        let pivot = &head[i];
        for row in tail {
            let factor = row[i] / pivot[i];
            for (a, b) in row[i..].iter_mut().zip(&pivot[i..]) {
                *a -= factor * b;
            }
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - known) / rows[i][i];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::eliminate;

    #[test]
    fn linear_equations() {
        // 2y = 6, x + y = 5; then without a solution.
        assert_eq!(eliminate(vec![vec![0.0, 2.0, 6.0], vec![1.0, 1.0, 5.0]]), Some(vec![2.0, 3.0]));
        assert_eq!(eliminate(vec![vec![1.0, 1.0, 1.0], vec![1.0, 1.0, 2.0]]), None);
        assert_eq!(eliminate(vec![]), Some(vec![]));
    }
}
