//! The arguments of Python algorithms: rows of the table of paths, and events.

use anabranch_cc::{Ack as Event, Congestion as Signalled, Path as Row, Signal, slow_start};
use pyo3::prelude::*;

/// Declares a class around a Rust struct: a property for each field, and further methods. A property with `= set_NAME` is
/// writable.
macro_rules! properties {
    ($class:ident { $($(#[$doc:meta])* $field:ident $(= $set:ident)?: $type:ty,)* } $($rest:tt)*) => {
        #[pymethods]
        impl $class {
            $(
                $(#[$doc])*
                #[getter]
                fn $field(&self) -> $type {
                    self.0.$field
                }
                $(
                    #[setter($field)]
                    fn $set(&mut self, value: $type) {
                        self.0.$field = value;
                    }
                )?
            )*
            $($rest)*
        }
    };
}

/// A path of a connection: a row of the algorithm's table. The box is necessary because a row is aligned to a cache line, and
/// Python's allocations are not.
#[pyclass(module = "anabranch._anabranch")]
pub struct Path(pub Box<Row>);

properties! {
    Path {
        /// The congestion window; the simulator clamps it to valid values.
        cwnd = set_cwnd: f64,
        /// The slow-start threshold; infinite until the first congestion.
        ssthresh = set_ssthresh: f64,
        /// The pacing rate, in segments per second; `None` disables pacing.
        pacing_rate = set_pacing_rate: Option<f64>,
        /// Whether the algorithm bars the path from new data.
        barred = set_barred: bool,
        /// Smoothed RTT; 0 before the first sample.
        srtt: f64,
        /// The smallest RTT; infinite before the first sample.
        min_rtt: f64,
        /// The mean of the last round's samples; 0 before the first.
        round_rtt: f64,
        /// The smallest of them.
        round_min_rtt: f64,
        /// Segments sent and neither acknowledged nor deemed lost.
        in_flight: f64,
        /// Counts round trips.
        round: u64,
        /// Whether the path carries data: rows of removed paths stay.
        active: bool,
        /// Whether sums and comparisons of paths include it: the values of other paths are out of date.
        counts: bool,
        /// Segments delivered since the last congestion.
        delivered_since_loss: f64,
        /// Segments delivered between the last two.
        delivered_between_losses: f64,
    }

    /// Whether the window is below the threshold.
    #[getter]
    fn in_slow_start(&self) -> bool {
        self.0.in_slow_start()
    }

    /// Grows the window up to the threshold and returns the acknowledged segments left for congestion avoidance.
    fn slow_start(&mut self, acked: f64) -> f64 {
        slow_start::grow(&mut self.0, acked)
    }

    /// Sets window and threshold, both at least two segments.
    fn reduce_to(&mut self, segments: f64) {
        self.0.reduce_to(segments);
    }
}

/// An acknowledgement.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Ack(pub Event);

properties! {
    Ack {
        /// The time of its arrival.
        now: f64,
        /// Segments that may grow the window.
        acked: f64,
        /// Segments newly delivered.
        delivered: f64,
        /// The RTT that it measured, if any.
        rtt: Option<f64>,
        /// The smoothed RTT after it.
        srtt: f64,
        /// Segments in flight after it.
        in_flight: f64,
        /// The path's round after it.
        round: u64,
        /// Whether the window limited the sender.
        cwnd_limited: bool,
    }
}

/// A congestion signal.
#[pyclass(frozen, module = "anabranch._anabranch")]
pub struct Congestion(pub Signalled);

properties! {
    Congestion {
        /// The time of its detection.
        now: f64,
    }

    /// Its kind.
    #[getter]
    fn signal(&self) -> &'static str {
        match self.0.signal {
            Signal::Loss => "loss",
            Signal::Ecn => "ecn",
            Signal::Timeout => "timeout",
        }
    }
}
