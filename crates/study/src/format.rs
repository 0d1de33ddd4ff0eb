//! Numbers with their significant digits. Pages use `−`, `×` and thin spaces as in print; [`plain`] and [`plain_estimate`] are
//! for terminals.

use crate::stats::Estimate;

/// Between the digits of a long number.
const THIN: char = '\u{202f}';

/// A value without an interval, to four significant digits.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return power(&value.to_string());
    }
    if scientific_range(value) {
        return power(&format!("{:e}", significant(value, 4)));
    }
    let text = fixed(value, decimals(value, 4));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The same for terminals, every digit written: small values as powers of ten.
pub fn plain(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if value.abs() < SMALL {
        format!("{value:.2e}")
    } else {
        // Rounded first: what becomes 100.0 has no second decimal.
        format!("{value:.*}", decimals(significant(value, 4), 4))
    }
}

/// A mean and half its interval's width for terminals: both to the interval's second digit, but no more than six of the mean's.
pub fn plain_estimate(mean: f64, half_width: f64) -> String {
    let decimals = decimals(half_width, 2).min(decimals(mean, 6));
    let rounded = format!("{half_width:.decimals$}");
    let vanishes = rounded.parse() == Ok(0.0);
    let half_width = if vanishes { format!("{half_width:.0e}") } else { rounded };
    format!("{} ± {half_width}", to_decimals(mean, decimals))
}

/// A value as printed in a paper: every digit it was given with.
pub fn exact(value: f64) -> String {
    if !value.is_finite() || scientific_range(value) { scientific(value) } else { group(&value.to_string()) }
}

/// The same with a power of ten, except of zero: "5 × 10⁶".
pub fn scientific(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { power(&format!("{value:e}")) }
}

/// A mean and half its interval's width, both rounded to the interval's second digit.
pub fn estimate(mean: f64, half_width: f64) -> String {
    if !mean.is_finite() || !half_width.is_finite() || half_width <= 0.0 {
        return format!("{} ± {}", number(mean), number(half_width));
    }
    if scientific_range(mean) {
        let exponent = exponent(mean);
        let unit = 10f64.powi(exponent);
        let digits = decimals(half_width / unit, 2);
        let (mean, half_width) = (fixed(mean / unit, digits), fixed(half_width / unit, digits));
        return format!("({mean} ± {half_width}) × {}", power_of_ten(exponent));
    }
    let digits = decimals(half_width, 2);
    format!("{} ± {}", fixed(mean, digits), fixed(half_width, digits))
}

/// A measured value: with its interval, where it has one.
pub fn of(measured: &Estimate) -> String {
    let mean = measured.mean;
    measured.half_width.map_or_else(|| number(mean), |half_width| estimate(mean, half_width))
}

/// As [`of`], for tables to be read across: four digits of the mean at most, and the interval to the same place.
pub fn brief(measured: &Estimate) -> String {
    let mean = measured.mean;
    let Some(half_width) = measured.half_width.filter(|h| h.is_finite() && *h > 0.0) else {
        return number(mean);
    };
    if !mean.is_finite() || scientific_range(mean) {
        return estimate(mean, half_width);
    }
    let digits = decimals(half_width, 2).min(decimals(mean, 4));
    format!("{} ± {}", fixed(mean, digits), bounded(half_width, digits))
}

/// Half the width of an interval with that many decimals; what would be rounded to nothing is less than their unit.
pub fn bounded(half_width: f64, decimals: usize) -> String {
    let unit = 10f64.powi(-(decimals as i32));
    if half_width < unit / 2.0 {
        format!("<\u{202f}{}", fixed(unit, decimals))
    } else {
        fixed(half_width, decimals)
    }
}

/// 10 to the power of `exponent`: "10⁻⁸".
pub fn power_of_ten(exponent: i32) -> String {
    let raise = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The others stand in order in the Superscripts block.
        _ => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    "10".chars().chain(exponent.to_string().chars().map(raise)).collect()
}

/// `value` rounded to `digits` significant decimal digits; what is not finite stays as it is.
pub fn significant(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// Smaller values are written as powers of ten.
const SMALL: f64 = 1e-3;

/// Too small or too large to be read as digits.
pub fn scientific_range(value: f64) -> bool {
    value != 0.0 && !(SMALL..1e7).contains(&value.abs())
}

/// The exponent of the leading digit.
fn exponent(value: f64) -> i32 {
    match value.abs().log10().floor() {
        e if e.is_finite() => e as i32,
        _ => 0,
    }
}

/// The decimals that show this number of significant digits of a value, at most 9.
pub fn decimals(value: f64, digits: i32) -> usize {
    (digits - 1 - exponent(value)).clamp(0, 9) as usize
}

fn fixed(value: f64, decimals: usize) -> String {
    group(&to_decimals(value, decimals))
}

/// The value with that many decimals. What is rounded to nothing has no sign.
fn to_decimals(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.parse() == Ok(0.0) { text.trim_start_matches('-').to_owned() } else { text }
}

/// Sets a real minus sign, and thin spaces in integers of five digits or more.
fn group(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("−", rest));
    let (whole, fraction) = digits.find('.').map_or((digits, ""), |at| digits.split_at(at));
    let mut out = sign.to_owned();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && whole.len() > 4 && (whole.len() - i).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    out + fraction
}

/// "2.5e-8" as "2.5 × 10⁻⁸", "1e-8" as "10⁻⁸".
fn power(text: &str) -> String {
    match text.split_once('e').and_then(|(m, e)| Some((m, e.parse().ok()?))) {
        Some(("1", exponent)) => power_of_ten(exponent),
        Some((mantissa, exponent)) => format!("{} × {}", group(mantissa), power_of_ten(exponent)),
        None => match text {
            "inf" => "∞".to_owned(),
            "-inf" => "−∞".to_owned(),
            _ => "undefined".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(12.0), "12");
        assert_eq!(number(849.34567), "849.3");
        assert_eq!(number(333_250.4), "333\u{202f}250");
        assert_eq!(number(-2.71659), "−2.717");
        assert_eq!(number(2.06e-4), "2.06 × 10⁻⁴");
        assert_eq!(number(1e-8), "10⁻⁸");
        assert_eq!(number(f64::NAN), "undefined");
        assert_eq!(number(f64::INFINITY), "∞");
    }

    #[test]
    fn published_values_keep_their_digits() {
        assert_eq!(exact(5950.0), "5950");
        assert_eq!(exact(105_383.0), "105\u{202f}383");
        assert_eq!(exact(0.0123456), "0.0123456");
        assert_eq!(exact(-1e-7), "−1 × 10⁻⁷");
    }

    #[test]
    fn intervals_decide_the_digits() {
        assert_eq!(estimate(849.3456, 12.3456), "849 ± 12");
        assert_eq!(estimate(849.3456, 1.23456), "849.3 ± 1.2");
        assert_eq!(estimate(4.00049, 0.000231), "4.00049 ± 0.00023");
        assert_eq!(estimate(402.0, 0.0), "402 ± 0");
        assert_eq!(estimate(1.234e-6, 5.6e-8), "(1.234 ± 0.056) × 10⁻⁶");
        assert_eq!(estimate(12_345.0, 678.0), "12\u{202f}345 ± 678");
        assert_eq!(estimate(f64::NAN, 1.0), "undefined ± 1");
    }

    #[test]
    fn brief_values_have_four_digits_at_most() {
        let of = |mean, half| brief(&Estimate { mean, half_width: half, values: vec![] });
        assert_eq!(of(9.9412, Some(0.1234)), "9.94 ± 0.12");
        assert_eq!(of(99.9049, Some(0.0073)), "99.90 ± 0.01");
        assert_eq!(of(38.05906, Some(0.00035)), "38.06 ± <\u{202f}0.01");
        assert_eq!(of(4.61, Some(13.0)), "5 ± 13");
        assert_eq!(of(0.0, Some(0.25)), "0.00 ± 0.25");
        assert_eq!(of(-0.04, Some(3.0)), "0.0 ± 3.0");
        assert_eq!(of(1.2, None), "1.2");
        assert_eq!(of(f64::NAN, Some(1.0)), "undefined ± 1");
    }

    #[test]
    fn on_terminals_numbers_have_four_digits() {
        for (x, text) in [
            (0.0, "0"),
            (123_456.0, "123456"),
            (94.123_4, "94.12"),
            (99.996, "100.0"),
            (0.051_234, "0.05123"),
            (1e-6, "1.00e-6"),
            (-1.5, "-1.500"),
        ] {
            assert_eq!(plain(x), text);
        }
        assert_eq!(plain_estimate(33.401, 1e-9), "33.4010 ± 1e-9");
        assert_eq!(plain_estimate(0.0, 0.25), "0.00 ± 0.25");
        assert_eq!(plain_estimate(-0.4, 40.0), "0 ± 40");
    }
}
