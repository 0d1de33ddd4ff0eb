//! Formats values with units.

use anabranch_study::format::plain;

/// The units of a quantity: factor and name, ascending.
pub type Units = &'static [(f64, &'static str)];

/// Bits per second.
pub const RATE: Units = &[(1.0, "bit/s"), (1e3, "kbit/s"), (1e6, "Mbit/s"), (1e9, "Gbit/s")];
/// Seconds.
pub const TIME: Units = &[(1e-6, "µs"), (1e-3, "ms"), (1.0, "s")];
/// Bytes.
pub const BYTES: Units = &[(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB")];
/// Shares of 1, shown as percent.
pub const PERCENT: Units = &[(1e-2, "%")];
/// Numbers without a unit.
pub const PLAIN: Units = &[(1.0, "")];

/// Chooses the largest unit in which the largest value is at least 1.
pub fn choose(units: Units, values: impl Iterator<Item = f64>) -> (f64, &'static str) {
    let largest = values.map(f64::abs).fold(0.0, f64::max);
    *units.iter().rev().find(|(factor, _)| largest >= *factor).unwrap_or(&units[0])
}

/// Formats a value in the unit that suits it: a short value in full, another with four digits.
pub fn with_unit(x: f64, units: Units) -> String {
    let base = units.iter().find(|(factor, _)| *factor == 1.0);
    let (factor, unit) = base.filter(|_| x == 0.0).copied().unwrap_or(choose(units, std::iter::once(x)));
    let exact = x / factor;
    let short = (exact * 1e3).round() / 1e3;
    let text = if (exact - short).abs() <= 1e-9 * exact.abs() { short.to_string() } else { plain(exact) };
    format!("{text} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_suit() {
        assert_eq!(with_unit(5e8, RATE), "500 Mbit/s");
        assert_eq!(with_unit(0.05, TIME), "50 ms");
        assert_eq!(with_unit(0.0, TIME), "0 s");
        assert_eq!(with_unit(60_000_000_000.0 * 1e-9, TIME), "60 s");
        assert_eq!(with_unit(1.0 / 3.0, TIME), "333.3 ms");
    }
}
