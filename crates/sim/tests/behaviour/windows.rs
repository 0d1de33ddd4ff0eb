//! Mean windows against the response functions, losses 1e-2 to 1e-5, RTTs 10 to 200 ms.
//!
//! The path has no queue to speak of and constant delay, so that the window is a function of the losses
//! alone.

use crate::common::*;

const RTTS: [f64; 4] = [0.01, 0.05, 0.1, 0.2];

/// One flow over a fast path with RTT `rtt` and a loss process.
fn lossy(cc: &str, rtt: f64, loss: &str) -> String {
    let link = link_of("path", 10_000, rtt * 500.0, &format!("queue = \"1000000 packets\"\n{loss}"));
    EXACT.to_owned() + &link + &flow_of("one", cc, &["path"], "")
}

/// Mean window where every `n`-th packet is lost, over `epochs` losses after `warm` of them, if the mean
/// window is about `expected`.
///
/// The first loss comes when the window is near the `expected` one's peak: CUBIC without fast
/// convergence forgets its first plateau only with the inverse root of the number of losses, since its
/// window is flat around the plateau.
fn mean_window(cc: &str, n: u64, rtt: f64, expected: f64, warm: f64, epochs: f64) -> f64 {
    let first = 1.08 * expected;
    // Slow start sends 10 (2^k - 1) segments in k rounds, from the second round trip on.
    let rounds = (first / 10.0 + 1.0).log2().floor();
    let change = (rounds + 1.5) * rtt;
    let loss = format!(
        "loss = {{ model = \"every-nth\", n = {first:.0} }}\n\
         changes = [{{ at = \"{} us\", loss = {{ model = \"every-nth\", n = {n} }} }}]",
        change * 1e6
    );
    let epoch = n as f64 * rtt / expected;
    let summary = run((warm + epochs) * epoch, warm * epoch, &lossy(cc, rtt, &loss));
    let subflow = subflow(&summary);
    assert_eq!(subflow.timeouts, 0, "{cc}, n = {n}, RTT {rtt}");
    subflow.mean_cwnd_segments.unwrap()
}

/// The deterministic sawtooth of AIMD that adds `a` segments per round and keeps `b`, with the round of
/// recovery in which the window does not grow: the window goes from bW to W in (1 − b)W/a rounds, which
/// carry (1 − b²)W²/2a segments, after one round with bW. One loss each `n` segments sets W.
///
/// Without that round, and with a = 3 (1 − b)/(1 + b), this is √(3n/2).
fn sawtooth(n: f64, a: f64, b: f64) -> f64 {
    let square = (1.0 - b * b) / (2.0 * a);
    let w = ((b * b + 4.0 * square * n).sqrt() - b) / (2.0 * square);
    n / ((1.0 - b) * w / a + 1.0)
}

/// W_C = K (T/p)^¾ (RFC 9438 §5.1 with C = 0.4, β = 0.7).
fn cubic_region(n: f64, rtt: f64) -> f64 {
    1.0538 * (rtt * n).powf(0.75)
}

fn check(what: &str, measured: f64, expected: f64, tolerance: f64) {
    let ratio = measured / expected;
    println!("{what}: {measured:.2}, expected {expected:.2}, ratio {ratio:.4}");
    assert!((ratio - 1.0).abs() < tolerance, "{what}: mean window {measured:.2}, expected {expected:.2}");
}

/// Losses to wait for and to average over: fewer where each costs more, since the orbit repeats.
fn losses(n: u64) -> (f64, f64) {
    match n {
        100_000 => (8.0, 40.0),
        10_000 => (20.0, 100.0),
        _ => (30.0, 300.0),
    }
}

/// 1/p and RTTs: at 1e-5 one RTT for each region.
fn cases() -> impl Iterator<Item = (u64, f64)> {
    let slow = [100, 1000, 10_000].into_iter().flat_map(|n| RTTS.map(|rtt| (n, rtt)));
    slow.chain([(100_000, 0.01), (100_000, 0.1)])
}

#[test]
fn reno_follows_its_square_root_law() {
    for (n, rtt) in cases() {
        let formula = (1.5 * n as f64).sqrt();
        let (warm, average) = losses(n);
        let w = mean_window("reno", n, rtt, formula, warm, average);
        let what = format!("Reno, p = 1/{n}, RTT {rtt} s");
        check(&what, w, sawtooth(n as f64, 1.0, 0.5), 0.05);
        // At 1e-2 one round in nine is recovery, so √(3/2p) is 8 % too much even on paper.
        if n > 100 {
            check(&what, w, formula, 0.05);
        }
    }
}

/// In the cubic region fast convergence (`offset`) lowers the mean under every-nth loss to 0.95 of W_C: every other
/// stage ends beyond a lowered plateau. The orbit does not repeat exactly, hence the wider band.
fn check_cubic(cc: &str, offset: f64, tolerance: f64) {
    for (n, rtt) in cases() {
        let reno = sawtooth(n as f64, 9.0 / 17.0, 0.7);
        let cubic = cubic_region(n as f64, rtt);
        let (warm, average) = losses(n);
        let w = mean_window(cc, n, rtt, cubic.max(reno), warm, average);
        let what = format!("{cc}, p = 1/{n}, RTT {rtt} s");
        check(&what, w, reno.max(offset * cubic), tolerance);
    }
}

#[test]
fn cubic_follows_its_response_function() {
    check_cubic("{ name = \"cubic\", fast_convergence = false }", 1.0, 0.05);
}

#[test]
fn fast_convergence_costs_a_twentieth_of_the_window() {
    check_cubic("cubic", 0.95, 0.07);
}

/// The mean over seeds under Bernoulli loss against `offset` times the formula. Random spacing of losses
/// raises the mean, since the mean of √n is not what sets the mean of the window: the offsets are those
/// of a Monte-Carlo of the sawtooth with geometric spacing.
fn check_bernoulli(cc: &str, n: f64, rtt: f64, formula: f64, offset: f64) {
    let epoch = n * rtt / formula;
    let text = lossy(cc, rtt, &format!("loss = {{ model = \"bernoulli\", rate = {} }}", 1.0 / n));
    let mean =
        |seed| subflow(&run_seed(270.0 * epoch, 20.0 * epoch, &text, seed)).mean_cwnd_segments.unwrap();
    let means: Vec<f64> = (1..=8).map(mean).collect();
    let (mean, error) = mean_and_error(&means);
    println!("{cc}: {:.3} ± {:.3} of the formula, expected {offset}", mean / formula, error / formula);
    assert!(
        (mean - offset * formula).abs() < 3.0 * error,
        "{cc}: {mean:.1} ± {error:.1}, formula {formula:.1}"
    );
    assert!(error < 0.04 * formula, "{cc}: {mean:.1} ± {error:.1} tells nothing");
}

#[test]
fn random_losses_raise_the_mean() {
    check_bernoulli("reno", 2000.0, 0.1, 3000f64.sqrt(), 1.07);
    let cubic = cubic_region(3333.0, 0.2);
    check_bernoulli("cubic", 3333.0, 0.2, cubic, 1.13);
    check_bernoulli("{ name = \"cubic\", fast_convergence = false }", 3333.0, 0.2, cubic, 1.24);
}
