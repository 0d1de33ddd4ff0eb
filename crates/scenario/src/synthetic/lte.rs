//! A cellular downlink by the model of Winstein, Sivaraman and Balakrishnan (Stochastic forecasts achieve high throughput and low
//! delay over cellular networks, NSDI 2013, §3.1), with the parameters that its authors chose, and a rate behind an outage that is ours:
//! from 0 a Brownian motion would be back at once.

use super::normal;
use anabranch_net::Random;

/// The rate is at most that many full packets a second.
const MOST: f64 = 1000.0;
/// It wanders by so many packets a second in the square root of a second.
const SIGMA: f64 = 200.0;
/// Outages last for exponential times, in seconds.
const OUTAGE: f64 = 1.0;
/// Packets a second behind an outage.
const BEHIND: f64 = 100.0;
/// Seconds.
const STEP: f64 = 1e-3;

/// Opportunities to deliver a packet: a Poisson process whose rate is a Brownian motion. Where it comes to 0 there is an outage.
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
