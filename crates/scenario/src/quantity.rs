//! Quantities with units: `500 Mbit/s`, `20 ms`, `64 KiB`, `1 BDP`.

use crate::diagnostic::Problems;
use crate::suggest::did_you_mean;
use crate::tree::{Node, Value};
use std::ops::Range;

/// A kind of quantity and its units.
pub(crate) struct Quantity {
    /// Its name with an article: "a rate".
    pub what: &'static str,
    /// An example, without quotes.
    pub example: &'static str,
    /// Its units, and the factor of each to base units.
    pub units: &'static [(&'static str, f64)],
}

/// Rates, in bits per second.
pub(crate) const RATE: Quantity = Quantity {
    what: "a rate",
    example: "50 Mbit/s",
    units: &[("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9)],
};

/// Times, in nanoseconds. Unicode has the micro sign twice, as a sign and as a Greek letter.
pub(crate) const TIME: Quantity = Quantity {
    what: "a time",
    example: "20 ms",
    units: &[
        ("ns", 1.0),
        ("us", 1e3),
        ("\u{b5}s", 1e3),
        ("\u{3bc}s", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("min", 60e9),
        ("h", 3600e9),
    ],
};

/// Sizes, in bytes.
pub(crate) const SIZE: Quantity =
    Quantity { what: "a size", example: "10 MB", units: QUEUE_UNITS.split_at(3).1 };

/// Lengths of a queue: in bytes, packets or bandwidth-delay products.
pub(crate) const QUEUE: Quantity =
    Quantity { what: "a queue length", example: "100 packets", units: QUEUE_UNITS };

/// The unit of queues in bandwidth-delay products.
pub(crate) const BDP: &str = "BDP";

/// Three units of queues alone, then those of sizes.
const QUEUE_UNITS: &[(&str, f64)] = &[
    ("packets", 1.0),
    ("packet", 1.0),
    (BDP, 1.0),
    ("B", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// Whether a quantity may have this unit.
pub fn is_unit(name: &str) -> bool {
    [RATE, TIME, QUEUE].iter().any(|quantity| quantity.names().any(|unit| unit == name))
}

/// A text that is not a quantity; `range` is the invalid range.
#[derive(Debug, PartialEq)]
pub(crate) struct ParseError {
    pub range: Range<usize>,
    pub message: String,
    pub help: String,
}

impl Quantity {
    /// The value, in base units, and the unit of a text such as `1.5 ms`; the space may be missing.
    pub fn parse(&self, text: &str) -> Result<(f64, &'static str), ParseError> {
        let trimmed = text.trim_start();
        let start = text.len() - trimmed.len();
        let digits = number_prefix(trimmed);
        let Ok(number) = trimmed[..digits].parse::<f64>() else {
            let message = format!("{} must begin with a number", self.what);
            return Err(ParseError { range: 0..text.len(), message, help: self.help("") });
        };
        let name = trimmed[digits..].trim();
        let at = start + digits + (trimmed[digits..].len() - trimmed[digits..].trim_start().len());
        match self.units.iter().find(|(unit, _)| *unit == name) {
            Some((unit, factor)) => Ok((number * factor, unit)),
            None if name.is_empty() => {
                let message = format!("{} needs a unit", self.what);
                Err(ParseError { range: 0..text.len(), message, help: self.help("") })
            }
            None => {
                let message = format!("`{name}` is not a unit of {}", self.what.trim_start_matches("a "));
                Err(ParseError { range: at..at + name.len(), message, help: self.help(name) })
            }
        }
    }

    /// Reads a node as such a text.
    pub fn read(&self, node: &Node, problems: &mut Problems) -> Option<(f64, &'static str)> {
        let text = match &node.value {
            Value::String(text) => text,
            Value::Integer(_) | Value::Float(_) => {
                let message = format!("{} needs a unit", self.what);
                return problems.refuse(&node.place, message, "a number without a unit", self.help(""));
            }
            _ => return node.expected(self.what, &format!("\"{}\"", self.example), problems),
        };
        let error = match self.parse(text) {
            Ok(found) => return Some(found),
            Err(error) => error,
        };
        // The invalid range can be marked if the string has no escapes.
        let place = match node.place.text().find(text.as_str()) {
            Some(offset) if !text.is_empty() => node.place.locate(&node.place.text()[offset..][error.range]),
            _ => node.place.clone(),
        };
        problems.refuse(&place, error.message, format!("not {}", self.what), error.help)
    }

    /// A regular expression for such texts, for the JSON Schema.
    pub fn pattern(&self) -> String {
        let names: Vec<&str> = self.names().collect();
        format!(r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*({})\s*$", names.join("|"))
    }

    /// The names of its units.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.units.iter().map(|(name, _)| *name)
    }

    fn help(&self, given: &str) -> String {
        if self.names().any(|name| name == BDP) && TIME.names().any(|name| name == given) {
            return "a queue is a number of packets, bytes or BDP; a time is rate × time ÷ 8 bytes: 20 ms at 20 Mbit/s are 50 kB"
                .into();
        }
        if given.ends_with("B/s") && self.names().any(|name| name == "bit/s") {
            return "rates are in bits: 1 MB/s is 8 Mbit/s".into();
        }
        let names: Vec<&str> = self.names().collect();
        // `us` and the Greek letter are read as the micro sign.
        let shown: Vec<&str> =
            names.iter().copied().filter(|name| !["us", "\u{3bc}s"].contains(name)).collect();
        let units = format!("for example \"{}\"; units: {}", self.example, shown.join(", "));
        // `Mbps` and `Mb/s` are common for `Mbit/s`; elsewhere it is the case or one letter.
        let plain = given.to_lowercase().replace("bps", "bit/s").replace("b/s", "bit/s");
        did_you_mean(&plain, &names, &units)
    }
}

/// The length of the decimal number at the start of a text.
fn number_prefix(text: &str) -> usize {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let sign = |from: usize| from + usize::from(text[from..].starts_with(['+', '-']));
    let mut end = digits(sign(0));
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    // A unit may begin with the letter of an exponent: `5e`.
    if text[end..].starts_with(['e', 'E']) {
        let exponent = sign(end + 1);
        if digits(exponent) > exponent {
            end = digits(exponent);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn base(kind: &Quantity, text: &str) -> Option<f64> {
        kind.parse(text).ok().map(|(value, _)| value)
    }

    #[test]
    fn units_are_the_si_ones_and_the_binary_ones() {
        assert_eq!(base(&RATE, "500 Mbit/s"), Some(5e8));
        assert_eq!(base(&RATE, "2.5Gbit/s"), Some(2.5e9));
        assert_eq!(base(&RATE, " 64  kbit/s "), Some(64_000.0));
        assert_eq!(base(&RATE, "1e3 bit/s"), Some(1000.0));
        let times = ["1h", "1 min", "1 s", "1 ms", "1 us", "1 \u{b5}s", "1 \u{3bc}s", "1 ns"];
        let times = times.map(|text| base(&TIME, text).unwrap());
        assert_eq!(times, [3.6e12, 6e10, 1e9, 1e6, 1e3, 1e3, 1e3, 1.0]);
        let sizes = ["1 B", "1 bytes", "1 kB", "1 MB", "1 GB", "1 KiB", "1 MiB", "1 GiB"];
        let bytes = [1.0, 1.0, 1e3, 1e6, 1e9, 1024.0, 1_048_576.0, 1_073_741_824.0];
        assert_eq!(sizes.map(|text| base(&SIZE, text).unwrap()), bytes);
        assert_eq!(QUEUE.parse("0.5 BDP").unwrap().0, 0.5);
    }

    #[test]
    fn the_offending_part_is_found() {
        for (text, part) in
            [("5 Mbps", "Mbps"), ("5Mbps ", "Mbps"), ("-1e3  x y", "x y"), ("5 e", "e"), ("", ""), ("5", "5")]
        {
            assert_eq!(&text[RATE.parse(text).unwrap_err().range], part, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(number in -1e12..1e12f64, exponent: bool, gap in " {0,3}", index in 0..64usize) {
            for kind in [&RATE, &TIME, &SIZE, &QUEUE] {
                let (unit, factor) = kind.units[index % kind.units.len()];
                let digits = if exponent { format!("{number:e}") } else { number.to_string() };
                prop_assert_eq!(kind.parse(&format!("{digits}{gap}{unit}")), Ok((number * factor, unit)));
            }
        }

        #[test]
        fn the_pattern_matches_what_can_be_parsed(text in "[+-]?[0-9.]{0,3}(e[0-9]?)? ?(s|ms|packets|MB|x)?") {
            let pattern = regex_lite::Regex::new(&QUEUE.pattern()).unwrap();
            prop_assert_eq!(pattern.is_match(&text), QUEUE.parse(&text).is_ok(), "{}", text);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            if let Err(error) = TIME.parse(&text) {
                prop_assert!(text.get(error.range).is_some());
            }
        }
    }
}
