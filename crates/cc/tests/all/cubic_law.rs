//! CUBIC's mean window against its response function: RFC 9438's equations alone, without our code, say by how much
//! they differ, and why.

use crate::group;
use anabranch_cc_model::{Loss, Model, Random, assert_close};
use multipath_cc::response::{Cubic, reno};

const C: f64 = 0.4;
const BETA: f64 = 0.7;
/// Where the Reno-friendly region holds throughout: w̄(10 ms) is 1654 segments, Reno's window here 39.
const FRIENDLY: (f64, f64) = (1e-3, 0.01);
/// Where PIE holds two flows on 10 Mbit/s: w̄ is 76 segments, Reno's window 31.
const PIE: (f64, f64) = (1.6e-3, 0.078);
/// Where long RED queues hold them: w̄ is 13 segments, CUBIC's window 111.
const RED: (f64, f64) = (5e-4, 0.25);

/// RFC 9438, of which a step may be left out.
#[derive(Clone, Copy)]
struct Rfc {
    /// §4.3: α = 1 from `cwnd_prior` on.
    as_reno_beyond_prior: bool,
    /// §4.7.
    fast_convergence: bool,
}

const ALL: Rfc = Rfc { as_reno_beyond_prior: true, fast_convergence: true };

/// Mean window over the law, in a fluid that loses every `gap()/p`-th segment and learns it at once. The window is the
/// larger of Figure 1 and `W_est`; steps are an eighth of a round-trip time.
fn fluid(rfc: Rfc, (p, rtt): (f64, f64), mut gap: impl FnMut() -> f64) -> f64 {
    const EPOCHS: u32 = 20_000;
    let law = Cubic::new(C, BETA).mean(p, rtt);
    let (mut window, mut w_max) = (law, 0.0);
    let (mut segments, mut time) = (0.0, 0.0);
    for epoch in 0..EPOCHS {
        let yields = rfc.fast_convergence && window < w_max;
        w_max = if yields { window * (1.0 + BETA) / 2.0 } else { window };
        let prior = window;
        window *= BETA;
        w_max = w_max.max(window);
        let k = ((w_max - window) / C).cbrt();
        let (mut w_est, mut t, mut sent) = (window, 0.0, 0.0);
        let until = gap() / p;
        while sent < until {
            let regained = rfc.as_reno_beyond_prior && w_est >= prior;
            w_est += if regained { 1.0 } else { 3.0 * (1.0 - BETA) / (1.0 + BETA) } / 8.0;
            let next = w_est.max(C * (t + rtt / 8.0 - k).powi(3) + w_max);
            let step = (window + next) / 2.0 / 8.0;
            let part = ((until - sent) / step).min(1.0);
            sent += step * part;
            t += rtt / 8.0 * part;
            window += (next - window) * part;
        }
        if epoch > EPOCHS / 10 {
            segments += sent;
            time += t;
        }
    }
    segments / time * rtt / law
}

fn periodic() -> impl FnMut() -> f64 {
    || 1.0
}

/// Gaps of independent losses.
fn independent() -> impl FnMut() -> f64 {
    let mut random = Random(5);
    move || -random.uniform().ln()
}

/// Gaps as RED spreads them.
fn spread() -> impl FnMut() -> f64 {
    let mut random = Random(5);
    move || 2.0 * random.uniform()
}

/// Ours, over the law.
fn ours(fast_convergence: bool, (p, rtt): (f64, f64), loss: Loss) -> f64 {
    let cubic = group(&format!("cubic fast_convergence={fast_convergence}"));
    let law = Cubic::new(C, BETA).mean(p, rtt);
    Model::new(cubic).path(rtt, loss, law).mean(500, 10_000) / law
}

fn bernoulli(p: f64) -> Loss {
    Loss::Bernoulli(p, Random(17))
}

/// With a loss every 1/p segments each epoch ends where the last one did, so that α = 1 never acts and §5.1 holds.
#[test]
fn evenly_spaced_losses_give_the_law() {
    for at in [FRIENDLY, PIE, RED] {
        assert_close(fluid(ALL, at, periodic()), 1.0, 0.015);
        assert_close(ours(true, at, Loss::Every(1.0 / at.0)), 1.0, 0.03);
    }
}

/// In the Reno-friendly region alone the epochs are in closed form: w² grows by 2α for each segment, from β W to W and,
/// with α = 1, beyond.
#[test]
fn the_fluid_is_the_closed_form_in_the_reno_friendly_region() {
    let (p, rtt) = FRIENDLY;
    let alpha = 3.0 * (1.0 - BETA) / (1.0 + BETA);
    for beyond in [1.0, alpha] {
        let (mut w, mut gap, mut rounds) = (reno(p), independent(), 0.0);
        let epochs = 100_000;
        for _ in 0..epochs {
            let (segments, regain) = (gap() / p, w * w * (1.0 - BETA * BETA) / (2.0 * alpha));
            let next = if segments < regain {
                (BETA * BETA * w * w + 2.0 * alpha * segments).sqrt()
            } else {
                (w * w + 2.0 * beyond * (segments - regain)).sqrt()
            };
            rounds += (next.min(w) - BETA * w) / alpha + (next - w).max(0.0) / beyond;
            w = next;
        }
        let mean = f64::from(epochs) / p / rounds / reno(p);
        let rfc = Rfc { as_reno_beyond_prior: beyond == 1.0, ..ALL };
        assert_close(fluid(rfc, (p, rtt), independent()), mean, 0.02);
    }
}

/// Independent losses: a lucky epoch goes beyond `cwnd_prior`, and grows there twice as fast. That is most of what CUBIC
/// has above its law; without it 4 to 7 % would remain, as Reno has 7 %.
#[test]
fn independent_losses_give_more_in_the_reno_friendly_region() {
    for (at, with, without) in [(FRIENDLY, 1.155, 1.04), (PIE, 1.18, 1.06)] {
        let model = fluid(ALL, at, independent());
        assert_close(model, with, 0.01);
        assert_close(fluid(Rfc { as_reno_beyond_prior: false, ..ALL }, at, independent()), without, 0.01);
        assert_close(ours(true, at, bernoulli(at.0)), model, 0.025);
    }
}

/// In the cubic region fast convergence takes from a flow whose losses are not evenly spaced: half of the epochs end
/// below the last one. The more even the gaps, the less there is above the law to make up for it.
#[test]
fn fast_convergence_takes_from_irregular_losses() {
    for fast_convergence in [true, false] {
        let rfc = Rfc { fast_convergence, ..ALL };
        let (geometric, uniform) = if fast_convergence { (1.14, 0.965) } else { (1.24, 1.025) };
        let model = fluid(rfc, RED, independent());
        assert_close(model, geometric, 0.015);
        assert_close(ours(fast_convergence, RED, bernoulli(RED.0)), model, 0.025);
        let model = fluid(rfc, RED, spread());
        assert_close(model, uniform, 0.015);
        let drops = Loss::Spread(1.0 / RED.0, Random(17));
        assert_close(ours(fast_convergence, RED, drops), model, 0.025);
    }
}
