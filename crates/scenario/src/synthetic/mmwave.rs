//! A cell at millimetre waves that people walk through: the mean duration and depth of blockages are those that MacCartney, Rappaport
//! and Rangan measured at 73 GHz with the narrowest antennas (Rapid fading due to human blockage in pedestrian crowds at 5G millimeter-wave
//! frequencies, GLOBECOM 2017). The other numbers are ours.

use anabranch_net::Random;

/// Hz.
const BANDWIDTH: f64 = 100e6;
/// Signal-to-noise ratio without blockage, in dB.
const CLEAR: f64 = 25.0;
/// Below this ratio, in dB, the rate is 0.
const LEAST: f64 = -5.0;
/// Mean length of a blockage and mean time between two, in seconds; both exponential.
const BLOCKED: f64 = 0.299;
const BETWEEN: f64 = 4.7;
/// Mean and smallest depth of a blockage, in dB; exponential beyond the smallest.
const DEPTH: f64 = 15.8;
const LEAST_DEPTH: f64 = 5.0;
/// Seconds; times are rounded to them.
const STEP: f64 = 1e-3;

/// One row per change of the rate, which is Shannon's capacity.
pub fn lines(random: &mut Random, seconds: f64) -> Vec<String> {
    let mut lines = vec!["time (s),rate (Mbit/s)".to_owned()];
    let (mut at, mut blocked) = (0, false);
    while at < (seconds / STEP).round() as u64 {
        let snr = CLEAR - if blocked { LEAST_DEPTH + random.exponential(DEPTH - LEAST_DEPTH) } else { 0.0 };
        lines.push(format!("{:.3},{:.1}", at as f64 * STEP, capacity_bps(snr) / 1e6));
        let lasts = random.exponential(if blocked { BLOCKED } else { BETWEEN });
        at += (lasts / STEP).ceil().max(1.0) as u64;
        blocked = !blocked;
    }
    lines.push(format!("{seconds:.3},"));
    lines
}

fn capacity_bps(snr_db: f64) -> f64 {
    if snr_db < LEAST { 0.0 } else { BANDWIDTH * libm::log2(1.0 + libm::pow(10.0, snr_db / 10.0)) }
}
