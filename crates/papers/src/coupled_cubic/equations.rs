//! The paper's equations, for what follows from its printed values.

/// The testbed's first RTT, in seconds.
pub(super) const RTT_S: f64 = 0.1;

/// Eq. 8 with its constant, and the one that Eq. 6 has for the same.
pub(super) const RENO: [(f64, &str); 2] = [(1.224_745, "√1.5"), (1.230_269, "10^0.09")];

/// Eq. 10: Reno's window, `reno`/√p, at the loss rate at which CUBIC, whose C is 0.4 and whose decrease is `beta`, has the
/// window `cubic`.
pub(super) fn virtual_reno(cubic: f64, beta: f64, reno: f64) -> f64 {
    let k = (0.4 * (4.0 - beta) / (4.0 * beta)).powf(0.25);
    let p = RTT_S * (k / cubic).powf(4.0 / 3.0);
    reno / p.sqrt()
}

/// Eq. 1 for two windows with their RTTs.
pub(super) fn alpha([(w1, t1), (w2, t2)]: [(f64, f64); 2]) -> f64 {
    let best = f64::max(w1 / (t1 * t1), w2 / (t2 * t2));
    (w1 + w2) * best / (w1 / t1 + w2 / t2).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coupled_cubic::PAPER;

    /// By hand: two equal paths have α = 1/2; one that dominates 1. Eq. 10 undoes Eq. 9 of Eq. 8: at p = 1e-6 CUBIC has
    /// 1.054·(0.1/1e-6)^¾ = 5927 and Reno 1225.
    #[test]
    fn equations_by_hand() {
        assert!((alpha([(10.0, 0.1), (10.0, 0.1)]) - 0.5).abs() < 1e-12);
        assert!((alpha([(1e6, 0.1), (1.0, 0.1)]) - 1.0).abs() < 1e-5);
        assert!((virtual_reno(5927.0, 0.3, RENO[0].0) - 1225.0).abs() < 1.0);
    }

    /// The errata's numbers are those that the equations give.
    #[test]
    fn errata_are_computed() {
        let has = |text: String| assert!(PAPER.errata.iter().any(|e| e.contains(&text)), "{text}");
        let eq_10 = |beta, reno| format!("{:.0}", virtual_reno(5950.0, beta, reno));
        has(format!("{} at 100 ms", eq_10(0.3, RENO[0].0)));
        has(format!("{} to {}", eq_10(0.7, RENO[0].0), eq_10(0.7, RENO[1].0)));
        let alphas = [0.02, 0.04].map(|t2| alpha([(1493.0, RTT_S), (68.0, t2)]));
        has(format!("{:.2} to {:.2}", alphas[0], alphas[1]));
        has(format!("{:.2} to {:.2}", alphas[0].sqrt(), alphas[1].sqrt()));
        assert_eq!(
            [4730.0 / 5950.0, 1182.0 / 1493.0].map(|ratio: f64| format!("{ratio:.2}")),
            ["0.79", "0.79"]
        );
    }
}
