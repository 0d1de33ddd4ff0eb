//! The plan of a run: an algorithm, its parameters and events, decoded from bytes.

use crate::bytes::Bytes;
use anabranch_cc::registry::{ALL, Allowed, Entry, ParamValue, Value};
use anabranch_cc::{Seconds, Segments, Signal};
use std::fmt;

/// Bytes of one event. A fixed size lets a fuzzer remove, repeat and exchange whole events.
const EVENT: usize = 16;

const MOST_EVENTS: usize = 1000;

/// An algorithm, its parameters and the events that drive it.
#[derive(Clone)]
pub struct Plan {
    /// The algorithm.
    pub entry: &'static Entry,
    /// Its parameters that differ from the defaults.
    pub given: Vec<(String, ParamValue)>,
    /// The events.
    pub events: Vec<Event>,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Time since the previous event.
    pub gap: Seconds,
    /// Index of its path among those in use, modulo their number.
    pub path: usize,
    /// Its kind.
    pub what: EventKind,
}

/// The kind of an event. See [`crate::transport`] for its effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind {
    /// A path joins. Its round-trip time is known if `srtt` is not 0.
    Join {
        /// Smoothed round-trip time, or 0.
        srtt: Seconds,
        /// Its initial window.
        window: Segments,
    },
    /// The path leaves.
    Leave,
    /// All paths leave.
    AllLeave,
    /// A path joins and leaves at once, without carrying data.
    Visit,
    /// Acknowledgements, evenly spaced.
    Acks(Acks),
    /// Congestion.
    Congestion(Signal),
    /// This many segments are marked as lost, one by one: congestion, unless already reported.
    Lost(u32),
    /// Congestion that proves spurious before anything else happens.
    Mistake(Signal),
    /// The last congestion proves spurious.
    Spurious,
}

/// A series of acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Acks {
    /// Their number.
    pub count: u32,
    /// Time from one to the next.
    pub spacing: Seconds,
    /// The number of them per round.
    pub per_round: u32,
    /// The fraction of the segments in flight that each delivers.
    pub share: f64,
    /// The RTT that each measures.
    pub rtt: Rtt,
    /// Whether the window may grow: false in recovery.
    pub growing: bool,
    /// The fraction of the window in use; at 1 the window limits the sender.
    pub use_of_window: f64,
    /// The interval of each delivery rate sample, for model-based algorithms; 0 if unknown.
    pub interval: Seconds,
}

/// The round-trip time that an acknowledgement measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rtt {
    /// No sample: only retransmitted segments were acknowledged.
    None,
    /// This one.
    Sample(Seconds),
    /// The latest one times this; 0.1 s times this before the first.
    Scaled(f64),
    /// The smallest one; 0.1 s before the first.
    Smallest,
}

impl Plan {
    /// Decodes a plan from any bytes: the first selects the algorithm.
    pub fn decode(bytes: &[u8]) -> Plan {
        let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
        Plan::for_algorithm(ALL[usize::from(*first) % ALL.len()], rest)
    }

    /// Decodes a plan for an algorithm: parameters, then events.
    pub fn for_algorithm(entry: &'static Entry, bytes: &[u8]) -> Plan {
        let mut bytes = Bytes(bytes);
        let given = entry
            .all_params()
            .filter_map(|p| value(&mut bytes, p.allowed, p.default).map(|value| (p.name.to_owned(), value)));
        let given = given.collect();
        let events = bytes.0.chunks(EVENT).take(MOST_EVENTS).map(|chunk| Event::decode(Bytes(chunk)));
        Plan { entry, given, events: events.collect() }
    }
}

/// Decodes a parameter's value; `None` is the default, the most frequent value.
fn value(bytes: &mut Bytes, allowed: Allowed, default: Value) -> Option<ParamValue> {
    let choice = bytes.byte();
    if choice < 128 {
        return None;
    }
    Some(match (allowed, default) {
        (Allowed::Range(low, _) | Allowed::Whole(low, _), _) if choice < 144 => ParamValue::Number(low),
        (Allowed::Range(_, high) | Allowed::Whole(_, high), _) if choice < 160 => ParamValue::Number(high),
        // Ranges over many orders of magnitude hold most interest near their lower ends.
        (Allowed::Range(low, high), _) if low > 0.0 => ParamValue::Number(bytes.magnitude(low, high)),
        (Allowed::Range(low, high), _) => {
            ParamValue::Number((low + bytes.unit() * (high - low)).clamp(low, high))
        }
        (Allowed::Whole(low, high), _) => ParamValue::Number(bytes.magnitude(low, high).round()),
        (Allowed::Flag, _) => ParamValue::Flag(choice.is_multiple_of(2)),
        (Allowed::OneOf(_) | Allowed::SinglePath, _) => {
            let words = allowed.words();
            ParamValue::Word(words[bytes.below(words.len())].to_owned())
        }
    })
}

impl Event {
    fn decode(mut bytes: Bytes) -> Event {
        let kind = bytes.byte();
        let path = bytes.below(8);
        let gap = match bytes.byte() {
            0..64 => 0.0,
            64..248 => bytes.magnitude(1e-9, 100.0),
            _ => bytes.magnitude(3600.0, 1e6), // the machine slept
        };
        let signal = |byte| [Signal::Loss, Signal::Ecn, Signal::Timeout][usize::from(byte) % 3];
        let what = match kind {
            0..150 => EventKind::Acks(Acks {
                count: 1 + u32::from(kind % 25),
                spacing: gap,
                per_round: 1 + u32::from(kind % 7),
                share: [0.0, 1e-7, 1e-3, 0.1, 0.3, 0.5, 0.9, 1.0][bytes.below(8)],
                rtt: match bytes.byte() {
                    0..40 => Rtt::None,
                    40..110 => Rtt::Sample(bytes.magnitude(1e-6, 100.0)),
                    110..190 => Rtt::Scaled(bytes.magnitude(0.8, 1.25)),
                    _ => Rtt::Smallest,
                },
                growing: bytes.byte() < 224,
                use_of_window: [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.3, 0.99][bytes.below(8)],
                interval: if bytes.byte() < 32 { 0.0 } else { bytes.magnitude(1e-6, 1e3) },
            }),
            150..174 => EventKind::Congestion(signal(kind)),
            174..184 => EventKind::Lost(1 + u32::from(bytes.byte() % 16)),
            184..196 => EventKind::Mistake(signal(kind)),
            196..208 => EventKind::Spurious,
            208..232 => EventKind::Join {
                srtt: if bytes.byte() < 128 { 0.0 } else { bytes.magnitude(1e-6, 100.0) },
                window: bytes.magnitude(1.0, 1e7),
            },
            232..244 => EventKind::Leave,
            244..252 => EventKind::Visit,
            _ => EventKind::AllLeave,
        };
        Event { gap, path, what }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entry.name)?;
        for (name, value) in &self.given {
            match value {
                ParamValue::Number(x) => write!(f, ", {name} = {x:?}")?,
                ParamValue::Flag(x) => write!(f, ", {name} = {x}")?,
                ParamValue::Word(x) => write!(f, ", {name} = {x}")?,
            }
        }
        writeln!(f)?;
        self.events.iter().try_for_each(|e| writeln!(f, "  +{:?} s, path {}: {:?}", e.gap, e.path, e.what))
    }
}
