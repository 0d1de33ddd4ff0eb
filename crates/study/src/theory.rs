//! The formulas that expressions of a study may call.

use crate::functions::Compute;

/// A formula.
pub struct Formula {
    /// Its name.
    pub name: &'static str,
    /// The names of its arguments.
    pub takes: &'static [&'static str],
    /// The unit of its value; empty for a ratio.
    pub unit: &'static str,
    /// The description of its value.
    pub doc: &'static str,
    /// Computes it.
    pub compute: Compute,
}

/// Every formula, in the order in which the reference shows them.
pub static FORMULAS: &[Formula] = &[
    Formula {
        name: "cubic_window",
        takes: &["C", "decrease", "loss", "rtt"],
        unit: "segments",
        doc: "CUBIC's mean window by its response function, C (4 − d) / 4d to the power of ¼, times rtt ÷ loss to that of ¾; \
              d = 0.3 is the decrease at a loss, and rtt is in seconds",
        compute: |x| cubic_window(x[0], x[1], x[2], x[3]),
    },
    Formula {
        name: "cubic_crossing",
        takes: &["C", "decrease", "rtt"],
        unit: "",
        doc: "the loss rate below which that window exceeds Reno's, 10^0.09 ÷ √loss",
        compute: |x| cubic_crossing(x[0], x[1], x[2]),
    },
    Formula {
        name: "virtual_reno",
        takes: &["window", "C", "decrease", "rtt", "constant"],
        unit: "segments",
        doc: "Reno's window, constant ÷ √loss, at the loss rate at which CUBIC has that window",
        compute: |x| virtual_reno(x[0], x[1], x[2], x[3], x[4]),
    },
    Formula {
        name: "lia_alpha",
        takes: &["window 1", "rtt 1", "window 2", "rtt 2"],
        unit: "",
        doc: "LIA's α (RFC 6356) of two subflows' windows and round-trip times",
        compute: |x| lia_alpha([(x[0], x[1]), (x[2], x[3])]),
    },
];

/// C (4 − d) / 4d, of segments/s³, which RFC 9438 §5 has in its response function: there β is 1 − d.
fn cubic_constant(c: f64, decrease: f64) -> f64 {
    c * (4.0 - decrease) / (4.0 * decrease)
}

/// CUBIC's mean window in segments, for a round-trip time in seconds: RFC 9438 §5, and the upper row of Lee et al. 2022, Eq. 6.
pub fn cubic_window(c: f64, decrease: f64, loss: f64, rtt_s: f64) -> f64 {
    cubic_constant(c, decrease).powf(0.25) * (rtt_s / loss).powf(0.75)
}

/// The loss rate at which that meets 10^0.09/√p: Lee et al. 2022, Eq. 7.
pub fn cubic_crossing(c: f64, decrease: f64, rtt_s: f64) -> f64 {
    cubic_constant(c, decrease) * rtt_s.powi(3) * 10f64.powf(-0.36)
}

/// Reno's window, `reno`/√p in segments, at the loss rate p at which CUBIC has `window`: Lee et al. 2022, Eq. 10.
pub fn virtual_reno(window: f64, c: f64, decrease: f64, rtt_s: f64, reno: f64) -> f64 {
    let loss = rtt_s * (cubic_constant(c, decrease).powf(0.25) / window).powf(4.0 / 3.0);
    reno / loss.sqrt()
}

/// LIA's α of two windows with their round-trip times: RFC 6356, section 3; Lee et al. 2022, Eq. 1.
pub fn lia_alpha([(w1, t1), (w2, t2)]: [(f64, f64); 2]) -> f64 {
    let best = f64::max(w1 / (t1 * t1), w2 / (t2 * t2));
    (w1 + w2) * best / (w1 / t1 + w2 / t2).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lee et al. 2022, Tab. 1: the loss rate, and at 100 ms the window of Reno and of CUBIC with a C of 0.04, 0.4 and 4.
    const TABLE_1: [(f64, [f64; 4]); 7] = [
        (1e-2, [12.0, 12.0, 12.0, 12.0]),
        (1e-3, [38.0, 38.0, 38.0, 59.0]),
        (1e-4, [120.0, 120.0, 187.0, 333.0]),
        (1e-5, [379.0, 593.0, 1054.0, 1874.0]),
        (1e-6, [1200.0, 3332.0, 5926.0, 10538.0]),
        (1e-7, [3795.0, 18740.0, 33325.0, 59267.0]),
        (1e-8, [12000.0, 105_383.0, 187_400.0, 333_250.0]),
    ];

    /// The table needs a decrease of 0.3, the text's 0.0002 that which is printed, 0.7: two interpretations of one letter.
    #[test]
    fn printed_values_of_cubic() {
        for (loss, [reno, windows @ ..]) in TABLE_1 {
            for (c, printed) in [0.04, 0.4, 4.0].into_iter().zip(windows) {
                let window = cubic_window(c, 0.3, loss, 0.1).max(reno);
                assert!((window - printed).abs() <= f64::max(1.0, 1e-3 * printed), "{loss:e}: {window}");
            }
        }
        assert!((cubic_crossing(0.4, 0.7, 0.1) - 2.06e-4).abs() < 0.005e-4);
        assert!((cubic_crossing(0.4, 0.3, 0.1) - 5.38e-4).abs() < 0.005e-4);
    }

    /// By hand: two equal paths have α = 1/2, one that dominates 1. At p = 1e-6 CUBIC has 1.054·(0.1/1e-6)^¾ = 5927 and
    /// Reno √1.5/√p = 1225.
    #[test]
    fn by_hand() {
        assert!((lia_alpha([(10.0, 0.1), (10.0, 0.1)]) - 0.5).abs() < 1e-12);
        assert!((lia_alpha([(1e6, 0.1), (1.0, 0.1)]) - 1.0).abs() < 1e-5);
        assert!((virtual_reno(5927.0, 0.4, 0.3, 0.1, 1.5f64.sqrt()) - 1225.0).abs() < 1.0);
    }
}
