//! The application of a flow.

use crate::diagnostic::{At, Problems};
use crate::leaf::{Rate, Size, Span, Whole, bounds, number};
use crate::model::Connections;
use crate::read::{Read, tagged, words};
use crate::tree::{Node, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

tagged! {
    /// The sending application.
    enum Application by "kind", "a kind of application" {
        /// Sends as fast as it can, until it has sent this much or the flow stops.
        "bulk" Bulk {
            /// How much. Default: until the flow stops.
            size: Option<Size>,
        },
        /// Sends and pauses in turn.
        "on-off" OnOff {
            /// Length of the sending periods.
            on: At<Draw<Span>>,
            /// Length of the pauses.
            off: Draw<Span>,
            /// Rate of writing while on. Default: as fast as it can.
            rate: Option<Rate>,
        },
        /// The receiver asks, the sender answers, the receiver thinks, and asks again.
        "request-response" RequestResponse {
            /// Size of the answers.
            size: Draw<Size>,
            /// Pause between an answer's last byte and the next request. Default: 0 s.
            think: Option<Draw<Span>>,
            /// How many answers. Default: until the flow stops.
            count: Option<Whole<1, { u64::MAX }>>,
        },
        /// Transfers arrive, whatever has become of those before.
        "arrivals" Arrivals {
            /// Size of each.
            size: Draw<Size>,
            /// Poisson arrivals whose payload takes this part of the most that the paths carry together.
            load: Option<At<Load>>,
            /// In place of load: time from one arrival to the next; a plain value is always the same.
            interval: Option<At<Draw<Span>>>,
            /// How many transfers. Default: until the flow stops.
            count: Option<Whole<1, { u64::MAX }>>,
            /// What carries them. Default: new.
            connections: Option<Connections>,
        },
    }
}

words! {
    Connections, "Connections", "what carries transfers" {
        "new" => Connections::New, "Each transfer opens a connection of its own.";
        "one" => Connections::One, "All share one connection, in order of arrival.";
    }
}

/// A plain value, or a distribution to draw it from.
#[derive(Clone, Debug)]
pub(crate) enum Draw<T> {
    Plain(T),
    Random(At<Distribution<T>>),
}

tagged! {
    /// A distribution.
    enum Distribution<T> by "distribution", "a distribution" {
        /// Uniform between the two.
        "uniform" Uniform {
            /// The least.
            from: T,
            /// The greatest.
            to: T,
        },
        /// Exponential.
        "exponential" Exponential {
            /// Its mean.
            mean: T,
        },
        /// Pareto: heavy-tailed.
        "pareto" Pareto {
            /// Its mean.
            mean: T,
            /// Tail index, above 1.
            shape: Shape,
        },
        /// Log-normal.
        "log-normal" LogNormal {
            /// Its median.
            median: T,
            /// Standard deviation of the natural logarithm.
            sigma: Sigma,
        },
        /// As a file has it.
        "empirical" Empirical {
            /// The file: a line for each point of the cumulative distribution function, `size,CDF`, the last with 1; linear between
            /// the points. Its name is relative to the scenario's file.
            file: At<String>,
        },
    }
}

impl<T: Read> Read for Draw<T> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.value {
            Value::Table(_) => At::read(node, problems).map(Draw::Random),
            _ => T::read(node, problems).map(Draw::Plain),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Draw<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Draw_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (plain, random) = (generator.subschema_for::<T>(), generator.subschema_for::<Distribution<T>>());
        json_schema!({ "description": "A plain value, or a distribution to draw it from.", "anyOf": [plain, random] })
    }
}

/// The tail index of a Pareto distribution that has a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape(pub f64);

/// The standard deviation of a logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sigma(pub f64);

/// The part of a capacity that is asked for, from above 0 to below 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load(pub f64);

impl Read for Load {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let must = "more than 0 and less than 1: from 1 on transfers pile up without end";
        within(node, ("the load", "0.6"), must, problems, |x| x > 0.0 && x < 1.0).map(Load)
    }
}

impl JsonSchema for Load {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Load".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 })
    }
}

impl Read for Shape {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        within(node, ("the shape", "1.5"), "more than 1, at most 1000", problems, |x| x > 1.0 && x <= 1000.0)
            .map(Shape)
    }
}

impl Read for Sigma {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        within(node, ("sigma", "1.5"), "from 0 to 10", problems, |x| (0.0..=10.0).contains(&x)).map(Sigma)
    }
}

fn within(
    node: &Node,
    (what, example): (&str, &str),
    must: &str,
    problems: &mut Problems,
    allowed: fn(f64) -> bool,
) -> Option<f64> {
    let x = number(node, "a number", example, problems)?;
    if allowed(x) { Some(x) } else { bounds(node, what, must, problems) }
}

impl JsonSchema for Shape {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Shape".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "exclusiveMinimum": 1, "maximum": 1000 })
    }
}

impl JsonSchema for Sigma {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Sigma".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 10 })
    }
}
