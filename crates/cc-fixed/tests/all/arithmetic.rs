//! The integer arithmetic against 128-bit integers, and its roots, logarithms and powers against the standard library's, over all
//! magnitudes and within the errors that the headers state.

use anabranch_cc_fixed as _;
use proptest::prelude::*;

unsafe extern "C" {
    safe fn ab_native_product(a: u64, b: u64, high: &mut u64, low: &mut u64);
    safe fn ab_native_product_greater(a: u64, b: u64, c: u64, d: u64) -> u32;
    safe fn ab_native_mul(a: u64, b: u64, q: u32) -> u64;
    safe fn ab_native_div(a: u64, b: u64, q: u32) -> u64;
    safe fn ab_native_bits(a: u64) -> u32;
    safe fn ab_native_log2(a: u64) -> u32;
    safe fn ab_native_power_down(x: u64) -> u64;
    safe fn ab_native_sqrt(a: u64) -> u64;
    safe fn ab_native_cbrt(a: u64) -> u64;
}

/// One, in Q26.
const ONE: u64 = 1 << 26;

/// Whole numbers, evenly by magnitude, with the extremes and the neighbours of powers of two.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => (0..64u32, any::<u64>()).prop_map(|(shift, a)| a >> shift),
        1 => (0..64u32, -1..2i64).prop_map(|(shift, by)| (1u64 << shift).wrapping_add_signed(by)),
        1 => prop_oneof![Just(0), Just(u64::MAX)],
    ]
}

fn saturated(a: u128) -> u64 {
    u64::try_from(a).unwrap_or(u64::MAX)
}

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
    fn products(a in number(), b in number()) {
        let (mut high, mut low) = (0, 0);
        ab_native_product(a, b, &mut high, &mut low);
        prop_assert_eq!(u128::from(high) << 64 | u128::from(low), u128::from(a) * u128::from(b));
    }

    /// Equal products too.
    #[test]
    fn products_compare(a in number(), b in number(), c in number(), d in number()) {
        let wide = |a, b| u128::from(a) * u128::from(b);
        prop_assert_eq!(ab_native_product_greater(a, b, c, d) != 0, wide(a, b) > wide(c, d));
        prop_assert_eq!(ab_native_product_greater(a, b, b, a), 0);
    }

    #[test]
    fn mul(a in number(), b in number(), q in 1..64u32) {
        let exact = (u128::from(a) * u128::from(b)) >> q;
        prop_assert_eq!(ab_native_mul(a, b, q), saturated(exact));
    }

    /// Exact, rounded down, where a 2^q fits 64 bits; else within 1 and 2^-30 of itself.
    #[test]
    fn div(a in number(), b in number(), q in 1..64u32) {
        let ours = ab_native_div(a, b, q);
        if b == 0 {
            prop_assert_eq!(ours, u64::MAX);
            return Ok(());
        }
        let wide = u128::from(a) << q;
        let exact = wide / u128::from(b);
        if wide <= u128::from(u64::MAX) {
            prop_assert_eq!(u128::from(ours), exact);
        }
        let error = (exact >> 30) + 1;
        prop_assert!(ours >= saturated(exact - error.min(exact)), "{a} 2^{q} / {b}: {ours}, not {exact}");
        prop_assert!(ours <= saturated(exact + error), "{a} 2^{q} / {b}: {ours}, not {exact}");
    }

    #[test]
    fn bits(a in number()) {
        prop_assert_eq!(ab_native_bits(a), u64::BITS - a.leading_zeros());
    }

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
