//! A cellular downlink by the model of Winstein, Sivaraman and Balakrishnan (Stochastic forecasts achieve high throughput and low
//! delay over cellular networks, NSDI 2013, §3.1), with its authors' parameters. The rate after an outage is ours: from 0, a
//! Brownian motion would return to 0 at once.

use super::normal;
use anabranch_net::Random;

/// The highest rate, in full packets per second.
const MOST: f64 = 1000.0;
/// Standard deviation of the rate's Brownian motion, in packets per second per √s.
const SIGMA: f64 = 200.0;
/// Mean length of an outage, in seconds; exponential.
const OUTAGE: f64 = 1.0;
/// The rate after an outage, in packets per second.
const BEHIND: f64 = 100.0;
/// Seconds.
const STEP: f64 = 1e-3;

/// Delivery opportunities: a Poisson process whose rate is a Brownian motion. When the rate reaches 0, an outage begins.
pub fn lines(random: &mut Random, seconds: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rate = MOST * random.uniform();
    let mut outage_until = 0.0;
    let mut out = false;
    // The integral of the rate up to the next opportunity.
    let mut left = random.exponential(1.0);
    let steps = (seconds / STEP).round() as u64;
    for ms in 1..=steps {
        let now = ms as f64 * STEP;
        if now >= outage_until {
            rate += if out { BEHIND } else { 0.0 };
            out = false;
            rate += SIGMA * STEP.sqrt() * normal(random);
            if rate > MOST {
                rate = 2.0 * MOST - rate;
            } else if rate <= 0.0 {
                (rate, out) = (0.0, true);
                outage_until = now + random.exponential(OUTAGE);
            }
        }
        left -= rate * STEP;
        while left <= 0.0 {
            lines.push(ms.to_string());
            left += random.exponential(1.0);
        }
    }
    // The last line is the trace's length.
    if lines.last().is_none_or(|last| *last != steps.to_string()) {
        lines.push(steps.to_string());
    }
    lines
}
