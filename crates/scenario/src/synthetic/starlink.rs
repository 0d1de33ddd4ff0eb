//! A downlink over satellites that change every 15 s: the interval is from Mohan et al. (A multifaceted look at Starlink
//! performance, WWW 2024), which found latency and throughput to change with it. The other numbers are ours.

use super::{between, normal};
use anabranch_net::Random;

/// Seconds between handovers.
const INTERVAL: f64 = 15.0;
/// Mbit/s, uniform for each satellite.
const RATE: (f64, f64) = (50.0, 250.0);
/// ms one way, uniform for each satellite.
const DELAY: (f64, f64) = (15.0, 35.0);
/// Within an interval the rate varies by this fraction, every half second.
const VARIES: f64 = 0.1;
/// Mean and maximum outage of a handover, in seconds; exponential.
const GAP: f64 = 0.05;
const LONGEST_GAP: f64 = 0.25;
/// Loss in the half second of a handover.
const LOSS: f64 = 0.01;

/// Rows of rate, delay and loss.
pub fn lines(random: &mut Random, seconds: f64) -> Vec<String> {
    let mut lines = vec!["time (s),rate (Mbit/s),delay (ms),loss".to_owned()];
    let mut start = 0.0;
    while start < seconds - 5e-4 {
        let (rate, delay) = (between(random, RATE), between(random, DELAY));
        let gap = (random.exponential(GAP).clamp(0.001, LONGEST_GAP) * 1e3).round() / 1e3;
        lines.push(format!("{start:.3},0,{delay:.1},{LOSS}"));
        for half in 0..30 {
            let at = start + f64::from(half) * 0.5 + if half == 0 { gap } else { 0.0 };
            if at > seconds - 5e-4 {
                break;
            }
            let varied = rate * (1.0 + VARIES * normal(random)).max(0.1);
            lines.push(format!("{at:.3},{varied:.1},{delay:.1},{}", if half == 0 { LOSS } else { 0.0 }));
        }
        start += INTERVAL;
    }
    lines.push(format!("{seconds:.3},,,"));
    lines
}
