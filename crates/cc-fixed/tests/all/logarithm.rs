//! Logarithms and powers against the standard library's, within the errors that the header states.

use anabranch_cc_fixed as _;
use proptest::prelude::*;

unsafe extern "C" {
    safe fn ab_native_log2(a: u64) -> u32;
    safe fn ab_native_power_down(x: u64) -> u64;
}

/// One, in Q26.
const ONE: u64 = 1 << 26;

#[test]
fn whole_powers_are_exact() {
    for power in 0..64 {
        assert_eq!(ab_native_log2(1 << power), power << 26);
    }
    for power in 0..48 {
        assert_eq!(ab_native_power_down(power * ONE), 1 << (48 - power));
    }
    assert_eq!(ab_native_log2(0), 0);
    assert_eq!(ab_native_power_down(u64::MAX), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn log2(a in any::<u64>(), shift in 0..64u32) {
        let a = (a >> shift).max(1);
        let error = (ab_native_log2(a) as f64 / ONE as f64 - (a as f64).log2()).abs();
        prop_assert!(error <= 2f64.powi(-25), "log2 of {a}: off by {error:e}");
    }

    #[test]
    fn power_down(x in 0..60 * ONE) {
        let exact = (48.0 - x as f64 / ONE as f64).exp2();
        let error = (ab_native_power_down(x) as f64 - exact).abs();
        prop_assert!(error <= 1.0 + exact * 2f64.powi(-26), "2^-{}: off by {error}", x as f64 / ONE as f64);
    }
}
