//! Jitter that keeps the order of packets.

use crate::{Random, Time};

/// After this many mean times between turns without a packet, the delay is independent of its old value and drawn anew.
const FORGOTTEN: f64 = 64.0;

/// A delay between 0 and a bound that rises or falls with one slope, turns at the two, and turns at random in between: a
/// telegraph process (Goldstein, Quart. J. Mech. Appl. Math. 1951; Kac, Rocky Mountain J. Math. 1974) between reflecting
/// walls. Position and direction are stationary if both are uniform, so at any time the delay is uniform on its range.
///
/// With a slope below 1 no packet overtakes: the delay falls by less than the time between two packets.
///
/// The slowest mode, cos(πx/bound), is critically damped if the rate of turns is π · slope ÷ bound. It then decays
/// fastest, as (1 + λt)·exp(−λt). The integral of this, the correlation time, is 2/λ.
#[derive(Clone, Debug)]
pub(crate) struct JitterProcess {
    random: Random,
    /// In ns.
    bound: f64,
    slope: f64,
    /// Mean time between turns, in ns.
    mean_run: f64,
    /// The delay at `since`, and the slope with its sign.
    delay: f64,
    falling: bool,
    since: Time,
    /// Time from there to the next turn at random, in ns.
    run: f64,
}

impl JitterProcess {
    /// A delay up to `bound` > 0. The correlation time is at least 2/π of `bound`, at which the slope is 1.
    pub fn new(bound: Time, correlation: Time, random: Random) -> JitterProcess {
        let bound = bound.as_nanos() as f64;
        let run_at_slope_1 = bound / std::f64::consts::PI;
        let mean_run = (correlation.as_nanos() as f64 / 2.0).max(run_at_slope_1);
        let mut wander = JitterProcess {
            random,
            bound,
            slope: run_at_slope_1 / mean_run,
            mean_run,
            delay: 0.0,
            falling: false,
            since: Time::ZERO,
            run: 0.0,
        };
        wander.draw();
        wander
    }

    /// The delay at `now`; `now` must not decrease.
    #[inline]
    pub fn at(&mut self, now: Time) -> Time {
        let mut span = now.since(self.since).as_nanos() as f64;
        self.since = now;
        if span > FORGOTTEN * self.mean_run {
            self.draw();
            span = 0.0;
        }
        while span >= self.run {
            span -= self.run;
            self.walk(self.run);
            self.falling = !self.falling;
            self.run = self.random.exponential(self.mean_run);
        }
        self.run -= span;
        self.walk(span);
        Time::from_nanos(self.delay as u64)
    }

    /// Draws position, direction and time to the next turn from the stationary distribution.
    fn draw(&mut self) {
        self.delay = self.random.uniform() * self.bound;
        self.falling = self.random.chance(0.5);
        self.run = self.random.exponential(self.mean_run);
    }

    /// Moves for `span` without a random turn, as on a circle: the way back is the mirrored second half.
    #[inline]
    fn walk(&mut self, span: f64) {
        let around = 2.0 * self.bound;
        let place = if self.falling { around - self.delay } else { self.delay };
        let place = (place + self.slope * span) % around;
        self.falling = place > self.bound;
        self.delay = if self.falling { around - place } else { place };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Time = Time::from_millis;

    fn wander(seed: u64, correlation: Time) -> JitterProcess {
        JitterProcess::new(MS(10), correlation, Random::new(seed, 1))
    }

    /// Kolmogorov's test of uniformity: the distance's critical value at a significance of 0.001 is 1.95 ÷ √n. Samples are
    /// ten correlation times apart, where the slowest mode has (1 + 20)·exp(−20) of its correlation.
    #[test]
    fn the_delay_is_uniform() {
        for (seed, correlation) in [(1, MS(7)), (2, MS(13)), (3, MS(100)), (4, MS(1000))] {
            let n = 20_000u64;
            let mut wander = wander(seed, correlation);
            let at = |i| wander.at(correlation.times(10 * i)).as_nanos() as f64 / 10e6;
            let mut samples: Vec<f64> = (1..=n).map(at).collect();
            samples.sort_by(f64::total_cmp);
            let n = n as f64;
            let distance = samples.iter().enumerate().fold(0.0, |most: f64, (i, x)| {
                most.max((x - i as f64 / n).abs()).max((x - (i + 1) as f64 / n).abs())
            });
            assert!(distance < 1.95 / n.sqrt(), "{distance} with a correlation time of {correlation}");
        }
    }

    /// The autocorrelation of a uniform variable's walk: Σ over odd modes k of 96/(πk)⁴ · its decay, where the slowest is
    /// critically damped, and for the others s = −λ ± iλ√(k² − 1).
    #[test]
    fn the_correlation_is_that_of_a_telegraph_process() {
        let (tau, n) = (MS(20), 400_000);
        let mut wander = wander(9, tau);
        let step = MS(2);
        let samples: Vec<f64> = (1..=n).map(|i| wander.at(step.times(i)).as_secs_f64() * 1e3 - 5.0).collect();
        let covariance = |lag: usize| {
            let pairs = samples.iter().zip(&samples[lag..]);
            pairs.map(|(a, b)| a * b).sum::<f64>() / (samples.len() - lag) as f64
        };
        let variance = covariance(0);
        // 100/12, from 800 s with a correlation time of 20 ms: a standard error of about 0.6 %.
        assert!((variance / (100.0 / 12.0) - 1.0).abs() < 0.03, "{variance}");
        for lag in [1, 5, 10, 20, 40] {
            let t = lag as f64 * 2.0 / 10.0; // in units of 1/λ = τ/2
            let mode = |k: i32| {
                let decay = if k == 1 {
                    1.0 + t
                } else {
                    let w = f64::from(k * k - 1).sqrt();
                    (w * t).cos() + (w * t).sin() / w
                };
                96.0 / (std::f64::consts::PI * f64::from(k)).powi(4) * decay * (-t).exp()
            };
            let expected: f64 = (0..50).map(|i| mode(2 * i + 1)).sum();
            let got = covariance(lag) / variance;
            assert!((got - expected).abs() < 0.03, "{got} at {lag} steps, expected {expected}");
        }
    }

    /// Order, without any help: a packet that leaves later is never ahead, however short the gaps.
    #[test]
    fn no_packet_overtakes() {
        let mut random = Random::new(5, 5);
        for correlation in [Time::from_nanos(6_400_000), MS(13), MS(500)] {
            let mut wander = wander(7, correlation);
            let (mut now, mut last) = (Time::ZERO, Time::ZERO);
            for i in 0..300_000 {
                now += Time::from_nanos(random.below(if i % 1000 == 0 { 1_000_000_000 } else { 50_000 }));
                let at = now + wander.at(now);
                assert!(at >= last && at <= now + MS(10));
                last = at;
            }
        }
    }
}
