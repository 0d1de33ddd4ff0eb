//! The formulas that expressions of a study may call: what follows from numbers alone.

use crate::functions::Compute;

/// A formula.
pub struct Formula {
    /// Its name.
    pub name: &'static str,
    /// What it is given, in order, for readers.
    pub takes: &'static [&'static str],
    /// The unit of its value; none for a ratio.
    pub unit: &'static str,
    /// What it gives.
    pub doc: &'static str,
    /// Computes it.
    pub compute: Compute,
}

impl Formula {
    /// How it is written: `cubic_crossing(C, decrease, rtt)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.takes.join(", "))
    }
}

/// Every formula, in the order in which the reference shows them.
pub static FORMULAS: &[Formula] = &[
    Formula {
        name: "cubic_window",
        takes: &["C", "decrease", "loss", "rtt"],
        unit: "segments",
        doc: "CUBIC's mean window by its response function, C (4 − d) / 4d to the power of ¼, times rtt ÷ loss to that of ¾; \
              the decrease d at a loss is 0.3, and rtt is in seconds",
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

/// In segments, for a round-trip time in seconds: RFC 9438 §5, and the upper row of Lee et al. 2022, Eq. 6.
fn cubic_window(c: f64, decrease: f64, loss: f64, rtt_s: f64) -> f64 {
    cubic_constant(c, decrease).powf(0.25) * (rtt_s / loss).powf(0.75)
}

/// Where that meets 10^0.09/√p: Lee et al. 2022, Eq. 7.
fn cubic_crossing(c: f64, decrease: f64, rtt_s: f64) -> f64 {
    cubic_constant(c, decrease) * rtt_s.powi(3) * 10f64.powf(-0.36)
}

/// Lee et al. 2022, Eq. 10.
fn virtual_reno(window: f64, c: f64, decrease: f64, rtt_s: f64, reno: f64) -> f64 {
    let loss = rtt_s * (cubic_constant(c, decrease).powf(0.25) / window).powf(4.0 / 3.0);
    reno / loss.sqrt()
}

/// RFC 6356, section 3; Lee et al. 2022, Eq. 1.
fn lia_alpha([(w1, t1), (w2, t2)]: [(f64, f64); 2]) -> f64 {
    let best = f64::max(w1 / (t1 * t1), w2 / (t2 * t2));
    (w1 + w2) * best / (w1 / t1 + w2 / t2).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lee et al. 2022, Tab. 1 at 100 ms, and the text below Eq. 7: its 0.0002 needs the decrease that is printed, 0.7.
    #[test]
    fn printed_values_of_cubic() {
        for (c, loss, printed) in [(0.04, 1e-6, 3332.0), (0.4, 1e-8, 187_400.0), (4.0, 1e-3, 59.0)] {
            let window = cubic_window(c, 0.3, loss, 0.1);
            assert!((window - printed).abs() <= f64::max(1.0, 1e-3 * printed), "{window}");
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
