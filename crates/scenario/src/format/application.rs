//! The application of a flow.

use crate::diagnostic::{At, Problems};
use crate::leaf::{Rate, Size, Span, Whole, bounds, number};
use crate::model::Connections;
use crate::read::{Read, schema, tagged, words};
use crate::tree::{Node, Value};
use schemars::{JsonSchema, json_schema};

tagged! {
    /// The sending application.
    enum Application by "kind", "a kind of application" {
        /// Sends as fast as it can, until it has sent `size` or the flow stops.
        "bulk" Bulk {
            /// How much to send. Default: until the flow stops.
            size: Option<Size>,
        },
        /// Alternates between sending and pausing.
        "on-off" OnOff {
            /// Length of the sending periods.
            on: At<Draw<Span>>,
            /// Length of the pauses.
            off: Draw<Span>,
            /// Rate of writing in sending periods. Default: as fast as it can.
            rate: Option<Rate>,
        },
        /// The receiver requests, the sender answers, the receiver pauses, and repeats.
        "request-response" RequestResponse {
            /// Size of an answer.
            size: Draw<Size>,
            /// Pause between an answer's last byte and the next request. Default: 0 s.
            think: Option<Draw<Span>>,
            /// Number of answers. Default: until the flow stops.
            count: Option<Whole<1, { u64::MAX }>>,
        },
        /// Transfers arrive independently of earlier ones.
        "arrivals" Arrivals {
            /// Size of a transfer.
            size: Draw<Size>,
            /// Poisson arrivals whose payload takes this fraction of the paths' total capacity.
            load: Option<At<Load>>,
            /// Instead of load: time between arrivals; a plain value is constant.
            interval: Option<At<Draw<Span>>>,
            /// Number of transfers. Default: until the flow stops.
            count: Option<Whole<1, { u64::MAX }>>,
            /// The connections that carry them. Default: new.
            connections: Option<Connections>,
        },
    }
}

words! {
    Connections, "Connections", "a kind of connections" {
        "new" => Connections::New, "Each transfer opens its own connection.";
        "one" => Connections::One, "All transfers share one connection, in order of arrival.";
    }
}

/// A plain value, or a distribution.
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
            /// The smallest value.
            from: T,
            /// The largest value.
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
        /// Read from a file.
        "empirical" Empirical {
            /// The file: one line per point of the cumulative distribution function, `size,CDF`, the last with 1; linear between
            /// the points. Its path is relative to the scenario file.
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

schema!(Draw<T>, format!("Draw_of_{}", T::schema_name()), |generator| {
    let (plain, random) = (generator.subschema_for::<T>(), generator.subschema_for::<Distribution<T>>());
    json_schema!({ "description": "A plain value, or a distribution.", "anyOf": [plain, random] })
}; T: JsonSchema);

/// Numbers within bounds: type, name and example in diagnostics, the rule in words, the rule, and its schema.
macro_rules! bounded {
    ($($(#[$meta:meta])* $name:ident, $what:literal, $example:literal, $must:literal, $holds:expr, $schema:tt;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) struct $name(pub f64);

        impl Read for $name {
            fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
                let holds: fn(f64) -> bool = $holds;
                match number(node, "a number", $example, problems)? {
                    x if holds(x) => Some($name(x)),
                    _ => bounds(node, $what, $must, problems),
                }
            }
        }

        schema!($name, stringify!($name), |_| json_schema!($schema), inline_schema);
    )*};
}

bounded! {
    /// The tail index of a Pareto distribution that has a mean.
    Shape, "the shape", "1.5", "more than 1, at most 1000", |x| x > 1.0 && x <= 1000.0,
        { "type": "number", "exclusiveMinimum": 1, "maximum": 1000 };
    /// The standard deviation of a logarithm.
    Sigma, "sigma", "1.5", "from 0 to 10", |x| (0.0..=10.0).contains(&x),
        { "type": "number", "minimum": 0, "maximum": 10 };
    /// The requested fraction of a capacity.
    Load, "the load", "0.6", "more than 0 and less than 1: at 1 or more, transfers pile up without bound", |x| x > 0.0 && x < 1.0,
        { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 };
}
