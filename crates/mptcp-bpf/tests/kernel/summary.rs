//! The interval of a median.

use anabranch_test_support::summary::Median;

/// Ranks as in tables of the sign test's interval: 1 of 6, 2 of 10, 6 of 20, 40 of 100.
#[test]
fn of_a_median() {
    for (n, rank) in [(6, 1), (8, 1), (9, 2), (10, 2), (20, 6), (100, 40)] {
        let values: Vec<_> = (1..=n).rev().map(f64::from).collect();
        let (n, rank) = (f64::from(n), f64::from(rank));
        let expected = Median { median: (n + 1.0) / 2.0, low: rank, high: n + 1.0 - rank };
        assert_eq!(Median::of(&values), expected);
    }
}
