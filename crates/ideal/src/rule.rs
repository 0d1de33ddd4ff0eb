//! Where congestion control settles at given loss rates: the fixed points of the published fluid models.
//!
//! The models write √(2/p) for Reno's window where the mean of its saw-tooth is √(3/2p) ([RFC 9438 §5](https://www.rfc-editor.org/rfc/rfc9438#section-5)).
//! Here it is the latter for all, so that Reno, CUBIC and what is coupled stand on one foot. In the following W is
//! Reno's window at a path's loss rate, T its round-trip time, X = W/T, and y the connection's rate Σ w/T.

use crate::response::Response;

/// A path as its flow finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    pub loss: f64,
    pub rtt_s: f64,
}

/// How a connection's windows follow from its paths.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// Each path for itself.
    Uncoupled(Response),
    /// Linked by the response function: LIA with Reno's, Linked CUBIC with CUBIC's.
    Linked(Response),
    /// OLIA: only the best paths, those of the largest X. The model leaves open how the best divide y, so that the
    /// links decide; as the limit of shares ∝ X^(2k) for large k that becomes a function.
    Olia {
        /// k.
        sharpness: f64,
    },
    /// BALIA.
    Balia,
}

impl Rule {
    /// The windows, in segments.
    pub fn windows(&self, paths: &[Path]) -> Vec<f64> {
        let reno = |path: &Path| Response::Reno.window(path);
        match *self {
            Rule::Uncoupled(response) => paths.iter().map(|path| response.window(path)).collect(),
            Rule::Linked(response) => linked(response, paths),
            // Khalili et al. 2013, Theorem 1: y = max X, and no rate on paths of smaller X.
            Rule::Olia { sharpness } => {
                divide(paths, |best, path| (reno(path) / path.rtt_s / best).powf(2.0 * sharpness))
            }
            // The best path has α = max x/x = 1, so that y = max X, and x ∝ 1/α on each.
            Rule::Balia => divide(paths, |best, path| {
                let behind = best * path.rtt_s / reno(path);
                1.0 / balia_alpha(behind * behind)
            }),
        }
    }
}

/// BALIA's α on a path with (y/X)² = `u` ≥ 1. Peng et al. 2016 have ẋ = k (φ − q): with their increase and a decrease of
/// (w/2)(1 + α)/2 for each loss, φ = q is u = (4 + α)/5. The algorithm does not take more than (w/2)·3/2, which the fluid
/// model leaves out; with that, where α > 2, u = (1 + α)(4 + α)/15, and packets agree.
fn balia_alpha(u: f64) -> f64 {
    if u <= 1.2 { 5.0 * u - 4.0 } else { ((9.0 + 60.0 * u).sqrt() - 5.0) / 2.0 }
}

/// Windows that add up to the rate max X, each path's rate in proportion to `part(max X, path)`.
fn divide(paths: &[Path], part: impl Fn(f64, &Path) -> f64) -> Vec<f64> {
    let rate = |path: &Path| Response::Reno.window(path) / path.rtt_s;
    let best = paths.iter().map(rate).fold(0.0, f64::max);
    let parts: Vec<f64> = paths.iter().map(|path| part(best, path)).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter().zip(paths).map(|(part, path)| part * (best / sum * path.rtt_s)).collect()
}

/// Coupling by a response function U, the window that a single flow would have, and V, Reno's at the same loss rate:
/// w = min(1, η V) U, where η = max w/(T y V(T y)). Without the limit to a single flow's window that makes y = max U/T
/// and η = y/Σ(V U/T). With U = V = W this is RFC 6356: there η is α/Σw = max(w/T²)/y², and the limit its 1/w.
fn linked(response: Response, paths: &[Path]) -> Vec<f64> {
    let single = |path: &Path| response.window(path);
    let reno = |path: &Path| Response::Reno.window(path);
    let best = paths.iter().map(|path| single(path) / path.rtt_s).fold(0.0, f64::max);
    let eta = best / paths.iter().map(|path| reno(path) * single(path) / path.rtt_s).sum::<f64>();
    let mut windows = vec![0.0; paths.len()];
    let mut at = |eta: f64| {
        for (w, path) in windows.iter_mut().zip(paths) {
            *w = (eta * reno(path)).min(1.0) * single(path);
        }
        let y: f64 = windows.iter().zip(paths).map(|(w, path)| w / path.rtt_s).sum();
        let of = |(w, path): (&f64, &Path)| {
            let alone = path.rtt_s * y;
            w / (alone * response.reno_beside(alone, path.rtt_s))
        };
        windows.iter().zip(paths).map(of).fold(0.0, f64::max)
    };
    if paths.iter().all(|path| eta * reno(path) <= 1.0) {
        at(eta);
        return windows;
    }
    // η over what the windows it gives ask for rises with η: below 1 where η is too small. Between the η that limits no
    // path and the one that limits all:
    let all = paths.iter().map(|path| 1.0 / reno(path)).fold(0.0, f64::max);
    let none = paths.iter().map(|path| 1.0 / reno(path)).fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = ((none.min(eta) * 1e-3).ln(), all.max(at(all)).ln());
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if middle.exp() < at(middle.exp()) { low = middle } else { high = middle }
    }
    at(high.exp());
    windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::cubic;

    const OLIA: Rule = Rule::Olia { sharpness: 1024.0 };

    fn windows(rule: Rule, paths: &[(f64, f64)]) -> Vec<f64> {
        rule.windows(&paths.iter().map(|&(loss, rtt_s)| Path { loss, rtt_s }).collect::<Vec<_>>())
    }

    fn close(ours: &[f64], expected: &[f64], within: f64) {
        let near = ours.iter().zip(expected).all(|(a, b)| (a - b).abs() <= within * b.abs() + 1e-9);
        assert!(near && ours.len() == expected.len(), "{ours:?}, expected {expected:?}");
    }

    /// One path: every rule is its single-path parent, and Reno's window goes with 1/√p.
    #[test]
    fn one_path_is_the_parent() {
        for p in [1e-6, 1e-3, 1.5e-2] {
            for rule in [Rule::Uncoupled(Response::Reno), Rule::Linked(Response::Reno), OLIA, Rule::Balia] {
                close(&windows(rule, &[(p, 0.1)]), &[(1.5 / p).sqrt()], 1e-9);
            }
            // 1.0538 (T/p)^¾ where that is larger.
            let single = (1.0538 * (0.1 / p).powf(0.75)).max((1.5 / p).sqrt());
            close(&windows(Rule::Linked(cubic()), &[(p, 0.1)]), &[single], 1e-4);
        }
    }

    /// Two alike: half a flow each; coupled by response functions, BALIA and OLIA agree.
    #[test]
    fn two_alike_are_one_flow() {
        for rule in [Rule::Linked(Response::Reno), OLIA, Rule::Balia] {
            close(&windows(rule, &[(1.5e-4, 0.1); 2]), &[50.0, 50.0], 1e-9);
        }
        let single = 1.0538 * 1e4_f64.powf(0.75);
        close(&windows(Rule::Linked(cubic()), &[(1e-5, 0.1); 2]), &[single / 2.0; 2], 1e-4);
    }

    /// LIA by hand: W = 100 and 50, T = 0.1 s each. Windows are as 1/p, 4 : 1, and add up to the best path's 100: 80
    /// and 20. With one loss rate and T = 0.1 and 0.4 s they are equal, w, with w/0.1 + w/0.4 = 100/0.1, so w = 80.
    ///
    /// OLIA has all on the better or the shorter path. BALIA: (100/50)² = 4 = (1 + α)(4 + α)/15, so α = (√249 − 5)/2, the rates'
    /// ratio; and 16 = (1 + α)(4 + α)/15, α = (√969 − 5)/2. With W = 100 and 100/√1.1 it is (4 + α)/5 = 1.1, α = 1.5.
    #[test]
    fn unequal_paths_by_hand() {
        for (second, lia, discriminant, rtt_ratio) in
            [((6e-4, 0.1), [80.0, 20.0], 249.0_f64, 1.0), ((1.5e-4, 0.4), [80.0, 80.0], 969.0, 4.0)]
        {
            let paths = [(1.5e-4, 0.1), second];
            close(&windows(Rule::Linked(Response::Reno), &paths), &lia, 1e-9);
            close(&windows(OLIA, &paths), &[100.0, 0.0], 1e-9);
            let alpha = (discriminant.sqrt() - 5.0) / 2.0;
            let balia = [alpha, rtt_ratio].map(|part| part * 100.0 / (alpha + 1.0));
            close(&windows(Rule::Balia, &paths), &balia, 1e-9);
        }
        close(&windows(Rule::Balia, &[(1.5e-4, 0.1), (1.65e-4, 0.1)]), &[60.0, 40.0], 1e-9);
    }

    /// RFC 6356's limit: W = 100 at 1 s, 10 at 0.01 s. Without it the first window were 500. With it w₁ = 100, and w₂ = η·100
    /// with η = max(w₁, 10⁴ w₂)/(w₁ + 100 w₂)²: for w₂ = v that is 10⁴v·100 = v (100 + 100v)², (1 + v)² = 100, v = 9.
    #[test]
    fn no_window_beyond_a_single_flows() {
        let windows = windows(Rule::Linked(Response::Reno), &[(1.5e-4, 1.0), (1.5e-2, 0.01)]);
        close(&windows, &[100.0, 9.0], 1e-9);
    }
}
