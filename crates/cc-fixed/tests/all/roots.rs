//! The integer roots against those of the processor, over all magnitudes.

use anabranch_cc_fixed as _;
use proptest::prelude::*;

unsafe extern "C" {
    safe fn ab_native_sqrt(a: u64) -> u64;
    safe fn ab_native_cbrt(a: u64) -> u64;
}

/// Whole numbers, evenly by magnitude, and powers of two with their neighbours.
fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![
        (0..64u32, any::<u64>()).prop_map(|(shift, a)| a >> shift),
        (0..64u32, -1..2i64).prop_map(|(shift, by)| (1u64 << shift).wrapping_add_signed(by)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Q32 to Q32.
    #[test]
    fn sqrt(a in numbers()) {
        let exact = (a as f64 * 2f64.powi(32)).sqrt();
        let error = (ab_native_sqrt(a) as f64 - exact).abs();
        prop_assert!(error <= 1.0 + exact * 2f64.powi(-28), "sqrt of {a}: off by {error}");
    }

    /// A whole number to Q40.
    #[test]
    fn cbrt(a in numbers()) {
        let exact = (a as f64).cbrt() * 2f64.powi(40);
        let error = (ab_native_cbrt(a) as f64 - exact).abs();
        prop_assert!(error <= exact * 2f64.powi(-27), "cbrt of {a}: off by {error}");
    }
}
