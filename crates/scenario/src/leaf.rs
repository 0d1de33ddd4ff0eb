//! Plain values of the format: quantities and numbers, with their bounds.

use crate::diagnostic::Problems;
use crate::quantity::{self, Quantity};
use crate::read::{Read, schema};
use crate::tree::{Node, Value};
use anabranch_net::Time;
use schemars::{Schema, json_schema};

/// The largest time in a scenario; sums of it fit [`Time`].
const MAX_TIME_NS: f64 = 1e18;
/// The lowest rate of a link, in bits per second.
const MIN_RATE_BPS: f64 = 4.0;
/// The highest rate, in bits per second.
const MAX_RATE_BPS: f64 = 1e15;
/// The largest size, in bytes.
const MAX_BYTES: f64 = 1e15;

/// A rate in bits per second, at least 4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate(pub f64);

/// A time that is not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span(pub Time);

/// A time of at least a nanosecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PositiveSpan(pub Time);

/// A positive number of bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size(pub u64);

/// The length of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Length {
    /// Full-size packets.
    Packets(u64),
    Bytes(u64),
    /// Bandwidth-delay products.
    Bdp(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Probability(pub f64);

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Whole<const MIN: u64, const MAX: u64>(pub u64);

/// A seed: a whole number below 2⁶⁴, or its decimal digits as a string.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed(pub u64);

/// Reports a value that is out of bounds.
pub(crate) fn bounds<T>(node: &Node, what: &str, must: &str, problems: &mut Problems) -> Option<T> {
    let shown = node.place.text();
    let message =
        if shown.is_empty() || shown.len() > 40 { what.to_owned() } else { format!("{what} {shown}") };
    problems.refuse(&node.place, format!("{message} must be {must}"), format!("must be {must}"), "")
}

/// Reads a quantity and converts it to base units.
fn base(kind: &Quantity, node: &Node, problems: &mut Problems) -> Option<f64> {
    kind.read(node, problems).map(|(value, _)| value)
}

impl Read for Rate {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match base(&quantity::RATE, node, problems)? {
            rate if rate <= 0.0 => bounds(node, "the rate", "positive", problems),
            rate if !(MIN_RATE_BPS..=MAX_RATE_BPS).contains(&rate) => {
                bounds(node, "the rate", "from 4 bit/s to 1000000 Gbit/s", problems)
            }
            rate => Some(Rate(rate)),
        }
    }
}

impl Read for Span {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match base(&quantity::TIME, node, problems)? {
            ns if ns < 0.0 => bounds(node, "the time", "zero or more", problems),
            ns if ns > MAX_TIME_NS => bounds(node, "the time", "at most 1000000000 s", problems),
            ns => Some(Span(Time::from_nanos(ns.round() as u64))),
        }
    }
}

impl Read for PositiveSpan {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match base(&quantity::TIME, node, problems)? {
            ns if ns <= 0.0 => bounds(node, "the time", "positive", problems),
            ns if ns < 1.0 => bounds(node, "the time", "at least 1 ns", problems),
            ns if ns > MAX_TIME_NS => bounds(node, "the time", "at most 1000000000 s", problems),
            ns => Some(PositiveSpan(Time::from_nanos(ns.round() as u64))),
        }
    }
}

impl Read for Size {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let bytes = base(&quantity::SIZE, node, problems)?;
        whole_bytes(bytes, "the size", node, problems).map(Size)
    }
}

fn whole_bytes(bytes: f64, what: &str, node: &Node, problems: &mut Problems) -> Option<u64> {
    match bytes {
        bytes if bytes <= 0.0 => bounds(node, what, "positive", problems),
        bytes if !(0.5..=MAX_BYTES).contains(&bytes) => {
            bounds(node, what, "from 1 B to 1000000 GB", problems)
        }
        bytes => Some(bytes.round() as u64),
    }
}

impl Read for Length {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        // In packets, BDPs or bytes.
        let (number, unit) = quantity::QUEUE.read(node, problems)?;
        if number <= 0.0 {
            return bounds(node, "the queue", "positive", problems);
        }
        if unit == quantity::BDP {
            if number > 1e6 {
                return bounds(node, "the queue", "at most 1000000 BDP", problems);
            }
            return Some(Length::Bdp(number));
        }
        if unit.starts_with("packet") {
            if number.fract() != 0.0 || number > 1e12 {
                return bounds(node, "the queue", "a whole number of packets, at most 1e12", problems);
            }
            return Some(Length::Packets(number as u64));
        }
        whole_bytes(number, "the queue", node, problems).map(Length::Bytes)
    }
}

/// Reads a number with or without a fraction.
pub(crate) fn number(node: &Node, what: &str, example: &str, problems: &mut Problems) -> Option<f64> {
    match node.value {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => node.expected(what, example, problems),
    }
}

impl Read for Probability {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match number(node, "a probability", "0.01", problems)? {
            p if (0.0..=1.0).contains(&p) => Some(Probability(p)),
            _ => bounds(node, "the probability", "from 0 to 1", problems),
        }
    }
}

/// Reads a whole number from `from` to `to`.
pub(crate) fn whole(node: &Node, from: u64, to: u64, problems: &mut Problems) -> Option<u64> {
    let Value::Integer(number) = node.value else {
        return node.expected("a whole number", &from.to_string(), problems);
    };
    let number = u64::try_from(number).ok().filter(|number| (from..=to).contains(number));
    number.or_else(|| {
        let must = if to == u64::MAX { format!("{from} or more") } else { format!("from {from} to {to}") };
        bounds(node, "the number", &must, problems)
    })
}

impl<const MIN: u64, const MAX: u64> Read for Whole<MIN, MAX> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        whole(node, MIN, MAX, problems).map(Whole)
    }
}

impl Read for Seed {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let seed = match &node.value {
            Value::Integer(number) => u64::try_from(*number).ok(),
            Value::String(digits) => digits.parse().ok(),
            _ => return node.expected("a seed", "1", problems),
        };
        seed.map(Seed)
            .or_else(|| bounds(node, "the seed", "a whole number from 0 to 18446744073709551615", problems))
    }
}

fn text(kind: &Quantity, description: &str, examples: &[&str]) -> Schema {
    json_schema!({ "type": "string", "description": description, "pattern": kind.pattern(), "examples": examples })
}

schema!(Rate, "Rate", |_| text(
    &quantity::RATE,
    "A positive rate.",
    &["500 Mbit/s", "64 kbit/s", "2.5 Gbit/s"]
));
schema!(Span, "Time", |_| text(&quantity::TIME, "A time, zero or more.", &["20 ms", "0 s", "1.5 min"]));
schema!(PositiveSpan, "PositiveTime", |_| text(
    &quantity::TIME,
    "A time, more than zero.",
    &["60 s", "100 ms"]
));
schema!(Size, "Size", |_| text(&quantity::SIZE, "A positive size.", &["10 MB", "64 KiB", "1500 B"]));
schema!(Length, "QueueLength", |_| text(
    &quantity::QUEUE,
    "A positive number of packets, bytes, or bandwidth-delay products. One BDP is the link's rate × the longest \
     base RTT of the paths that cross it; at least one full packet.",
    &["100 packets", "64 kB", "1 BDP", "0.5 BDP"],
));
schema!(Probability, "Probability", |_| {
    json_schema!({ "type": "number", "minimum": 0, "maximum": 1, "examples": [0.01, 1e-6] })
});
schema!(Seed, "Seed", |_| json_schema!({
    "description": "A whole number below 2^64; a string if it exceeds TOML's integers.",
    "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^[0-9]+$" }]
}));

schema!(Whole<MIN, MAX>, format!("Whole_{MIN}_{MAX}"), |_| whole_schema(MIN, MAX),
    inline_schema; const MIN: u64, const MAX: u64);

/// The schema of a whole number from `from` to `to`.
pub(crate) fn whole_schema(from: u64, to: u64) -> Schema {
    let mut schema = json_schema!({ "type": "integer", "minimum": from });
    if to < u64::MAX {
        schema.insert("maximum".into(), to.into());
    }
    schema
}
