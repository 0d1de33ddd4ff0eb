//! The integer roots against those of the processor, over all magnitudes.

use crate::fixed::number;
use anabranch_cc_fixed as _;
use proptest::prelude::*;

unsafe extern "C" {
    safe fn ab_native_sqrt(a: u64) -> u64;
    safe fn ab_native_cbrt(a: u64) -> u64;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Q32 to Q32.
    #[test]
    fn sqrt(a in number()) {
        let exact = (a as f64 * 2f64.powi(32)).sqrt();
        let error = (ab_native_sqrt(a) as f64 - exact).abs();
        prop_assert!(error <= 1.0 + exact * 2f64.powi(-28), "sqrt of {a}: off by {error}");
    }

    /// A whole number to Q40.
    #[test]
    fn cbrt(a in number()) {
        let exact = (a as f64).cbrt() * 2f64.powi(40);
        let error = (ab_native_cbrt(a) as f64 - exact).abs();
        prop_assert!(error <= exact * 2f64.powi(-27), "cbrt of {a}: off by {error}");
    }
}
