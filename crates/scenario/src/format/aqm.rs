//! A queue's management before it is full: `aqm = "codel"` or `aqm = { kind = "codel", … }`.

use crate::diagnostic::{At, Problems};
use crate::leaf::{Length, PositiveSpan, Probability, Size, Span, Whole, bounds, number};
use crate::read::{Read, tagged};
use crate::tree::{Node, Table, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

tagged! {
    /// A queue discipline with its parameters.
    enum Discipline by "kind", "a queue discipline" {
        /// Drops only packets that find the queue full: as without `aqm`.
        "drop-tail" DropTail {},
        /// Random early detection (Floyd and Jacobson 1993; RFC 2309).
        "red" Red {
            /// Below this average queue nothing is dropped. Default: 5 packets, or a third of max.
            min: Option<At<Length>>,
            /// At this average the probability reaches max_probability; more than min, and in packets where min is.
            /// Default: three times min.
            max: Option<At<Length>>,
            /// Probability at max. Default: 0.1.
            max_probability: Option<Probability>,
            /// Weight of a new sample in the average, more than 0. Default: 0.002.
            weight: Option<At<Probability>>,
            /// Beyond max the probability rises to 1 at twice max; otherwise it is 1. Default: true.
            gentle: Option<bool>,
            /// Mark packets of ECN-capable flows instead, while the average is at most max. Default: false.
            ecn: Option<bool>,
        },
        /// Controlled delay (RFC 8289).
        "codel" CoDel {
            /// The standing delay that is acceptable. Default: 5 ms.
            target: Option<Span>,
            /// How long the delay must exceed the target before it counts. Default: 100 ms.
            interval: Option<PositiveSpan>,
            /// Mark packets of ECN-capable flows instead of dropping them. Default: false.
            ecn: Option<bool>,
        },
        /// Proportional integral controller, enhanced (RFC 8033).
        "pie" Pie {
            /// The delay aimed at. Default: 15 ms.
            target: Option<Span>,
            /// Time between updates of the probability, at least 100 us. Default: 15 ms.
            update: Option<At<PositiveSpan>>,
            /// Weight of the deviation from the target, per second. Default: 0.125.
            alpha: Option<Gain>,
            /// Weight of the delay's change, per second. Default: 1.25.
            beta: Option<Gain>,
            /// Bursts of that length pass. Default: 150 ms.
            max_burst: Option<Span>,
            /// Mark packets of ECN-capable flows instead, while the probability is at most 0.1. Default: false.
            ecn: Option<bool>,
        },
        /// Controlled delay for each of many flow queues, served in turn (RFC 8290).
        "fq-codel" FqCoDel {
            /// The standing delay that is acceptable in a flow queue. Default: 5 ms.
            target: Option<Span>,
            /// How long the delay must exceed the target before it counts. Default: 100 ms.
            interval: Option<PositiveSpan>,
            /// Flow queues, to which subflows are hashed. Default: 1024.
            queues: Option<Whole<1, 65_536>>,
            /// The amount that a queue may send in its turn, from 64 B to 1 MB. Default: 1500 B.
            quantum: Option<At<Size>>,
            /// Mark packets of ECN-capable flows instead of dropping them. Default: false.
            ecn: Option<bool>,
        },
    }
}

/// A discipline's name, or a table of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Aqm(pub Discipline);

impl Read for Aqm {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.value {
            Value::Table(_) => Discipline::read(node, problems),
            Value::String(_) => {
                let kind = At { value: "kind".to_owned(), place: node.place.clone() };
                let table = Value::Table(Table(vec![(kind, node.clone())]));
                Discipline::read(&At { value: table, place: node.place.clone() }, problems)
            }
            _ => {
                node.expected(
                    "a queue discipline",
                    "\"codel\" or { kind = \"codel\", ecn = true }",
                    problems,
                );
                None
            }
        }
        .map(Aqm)
    }
}

impl JsonSchema for Aqm {
    fn schema_name() -> Cow<'static, str> {
        "Aqm".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A queue discipline, with or without parameters.",
            "anyOf": [
                { "enum": ["drop-tail", "red", "codel", "pie", "fq-codel"] },
                generator.subschema_for::<Discipline>()
            ]
        })
    }
}

/// A factor of a control law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gain(pub f64);

impl Read for Gain {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match number(node, "a number", "0.125", problems)? {
            gain if (0.0..=1e6).contains(&gain) => Some(Gain(gain)),
            _ => bounds(node, "the factor", "from 0 to 1000000", problems),
        }
    }
}

impl JsonSchema for Gain {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Gain".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1e6 })
    }
}
